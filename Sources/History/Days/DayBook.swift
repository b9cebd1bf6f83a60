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
    /// The date that was looked for last, and its minutes in the present zone: rows mostly come in the order of time.
    private var latest: (date: LocalDate, minutes: Range<Int64>)?
    /// The date of the day that was last added to.
    private var lastAdded: LocalDate?

    /// How many dates around a minute's date its day can have: zones are up to 26 hours apart, starts of day 24.
    static let reachDays = 3

    /// An empty book.
    init(calendar: DayCalendar) {
        self.calendar = calendar
    }

    /// The dates that must be in the book before `add` can place a minute; nil if they are.
    mutating func datesNeeded(forMinute minute: Int64) -> Range<LocalDate>? {
        let date = date(ofMinute: minute)
        guard !known.contains(date) else { return nil }
        return date.advanced(by: -Self.reachDays)..<date.advanced(by: Self.reachDays + 1)
    }

    /// Takes in what the store has of the dates around a minute.
    mutating func learn(_ records: [DayRecord], forMinute minute: Int64) {
        for record in records where days[record.date] == nil { days[record.date] = record }
        known.insert(date(ofMinute: minute))
    }

    /// Adds a change of a minute's counts to its day.
    mutating func add(_ change: Counts, toMinute minute: Int64, revision: Int64) {
        guard change != Counts() else { return }
        var day = day(containing: minute) ?? makeDay(forMinute: minute)
        day.counts += change
        if changed.insert(day.date).inserted { day.revision += 1 }
        day.revision = max(day.revision, revision)
        days[day.date] = day
        lastAdded = day.date
    }

    /// The days that are new or have changed.
    var changedDays: [DayRecord] { changed.compactMap { days[$0] } }

    private mutating func date(ofMinute minute: Int64) -> LocalDate {
        if let latest, latest.minutes.contains(minute) { return latest.date }
        let date = calendar.date(ofMinute: minute)
        latest = (date, calendar.minutes(of: date))
        return date
    }

    private mutating func day(containing minute: Int64) -> DayRecord? {
        if let lastAdded, let day = days[lastAdded], day.minutes.contains(minute) { return day }
        return neighbours(of: date(ofMinute: minute)).first { $0.minutes.contains(minute) }
    }

    /// The days that there are of a date and of those that a minute of it may belong to.
    private func neighbours(of date: LocalDate) -> [DayRecord] {
        (-Self.reachDays...Self.reachDays).compactMap { days[date.advanced(by: $0)] }
    }

    private mutating func makeDay(forMinute minute: Int64) -> DayRecord {
        let date = date(ofMinute: minute)
        let natural = calendar.minutes(of: date)
        let near = neighbours(of: date)
        let earlier = near.filter { $0.minutes.upperBound <= minute }.max {
            $0.minutes.upperBound < $1.minutes.upperBound
        }
        let later = near.filter { $0.minutes.lowerBound > minute }.min { $0.minutes.lowerBound < $1.minutes.lowerBound }
        let start = max(natural.lowerBound, earlier?.minutes.upperBound ?? natural.lowerBound)
        let end = max(start, min(natural.upperBound, later?.minutes.lowerBound ?? natural.upperBound))
        guard let same = days[date] else {
            return DayRecord(date: date, zone: calendar.zone, minutes: start..<end, revision: baseRevision)
        }
        // The date was begun in another zone: it goes on until it is over here. Beyond the date line it may come again
        // after another date has begun; then that one goes on, because a date is one stretch of time.
        var longer = same.date == earlier?.date || same.date == later?.date ? same : earlier ?? later ?? same
        longer.minutes = min(longer.minutes.lowerBound, start)..<max(longer.minutes.upperBound, end)
        return longer
    }
}
