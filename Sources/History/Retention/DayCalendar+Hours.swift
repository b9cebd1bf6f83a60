import Wire

extension DayCalendar {
    /// What becomes of the minutes of a day: sums by the hours of the local clock, cut where the day is.
    func hours(of minutes: [MinuteRecord], on day: Range<Int64>) -> [Int64: CountSum] {
        minutes.reduce(into: [:]) { hours, minute in
            let hour = bucket(.hour, containing: minute.minute).clamped(to: day)
            hours[hour.lowerBound, default: CountSum()] += minute.sum
        }
    }
}
