import Wire

extension DayCalendar {
    /// The first minute of the local day of a minute: days up to it end before that minute.
    func startOfDay(containing minute: Int64) -> Int64 { minutes(of: date(ofMinute: minute)).lowerBound }

    /// What becomes of the minutes of a day: sums by the hours of the local clock, cut where the day is.
    func hours(of minutes: [MinuteRecord], on day: Range<Int64>) -> [Int64: CountSum] {
        minutes.reduce(into: [:]) { hours, minute in
            let hour = bucket(.hour, containing: minute.minute).clamped(to: day)
            hours[hour.lowerBound, default: CountSum()] += minute.sum
        }
    }
}
