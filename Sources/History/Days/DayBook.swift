/// The days of one device around the minutes of one commit: finds the day of a minute, or makes it.
///
/// A day once made keeps its date, zone and minutes. New days are made in the device's present zone and cut so that
/// they do not overlap their neighbours: when a device travels, a day is as long as it was lived, and still no minute
/// is in two days.
struct DayBook {
    /// The present zone and start of day.
    let calendar: DayCalendar
    /// The revision that new days start after: what remade days had, so that no reader sees one fall.
    var baseRevision: Int64 = 0
    private var days: [LocalDate: DayRecord] = [:]
    private var changed: Set<LocalDate> = []
    private var known: Set<LocalDate> = []

    /// How many dates around a minute's date its day can have: zones are up to 26 hours apart, starts of day 24.
    static let reachDays = 3

    /// An empty book.
    init(calendar: DayCalendar) {
        self.calendar = calendar
    }

    /// The dates that must be in the book before `add` can place a minute; nil if they are.
    func datesNeeded(forMinute minute: Int64) -> Range<LocalDate>? {
        let date = calendar.date(ofMinute: minute)
        guard !known.contains(date) else { return nil }
        return date.advanced(by: -Self.reachDays)..<date.advanced(by: Self.reachDays + 1)
    }

    /// Takes in what the store has of the dates around a minute.
    mutating func learn(_ records: [DayRecord], forMinute minute: Int64) {
        for record in records where days[record.date] == nil { days[record.date] = record }
        known.insert(calendar.date(ofMinute: minute))
    }

    /// Adds a change of a minute's counts to its day.
    mutating func add(_ change: Counts, toMinute minute: Int64, revision: Int64) {
        guard change != Counts() else { return }
        var day = days.values.first { $0.minutes.contains(minute) } ?? makeDay(forMinute: minute)
        day.counts += change
        if changed.insert(day.date).inserted { day.revision += 1 }
        day.revision = max(day.revision, revision)
        days[day.date] = day
    }

    /// The days that are new or have changed.
    var changedDays: [DayRecord] { changed.compactMap { days[$0] } }

    private func makeDay(forMinute minute: Int64) -> DayRecord {
        let date = calendar.date(ofMinute: minute)
        let natural = calendar.minutes(of: date)
        let earlier = days.values.lazy.map(\.minutes.upperBound).filter { $0 <= minute }.max() ?? natural.lowerBound
        let later = days.values.lazy.map(\.minutes.lowerBound).filter { $0 > minute }.min() ?? natural.upperBound
        let start = max(natural.lowerBound, earlier)
        let free = start..<max(start, min(natural.upperBound, later))
        guard let same = days[date] else {
            return DayRecord(date: date, zone: calendar.zone, minutes: free, revision: baseRevision)
        }
        // The date was begun in another zone: it goes on until it is over here.
        var longer = same
        longer.minutes =
            min(same.minutes.lowerBound, free.lowerBound)..<max(same.minutes.upperBound, free.upperBound)
        return longer
    }
}
