import Wire

/// The days of one device or person around the minutes of one commit: finds the day of a minute, or makes it.
///
/// A day once made keeps its date, zone and minutes. New days are made in the device's present zone and cut so that
/// they do not overlap their neighbours: when a device travels, a day is as long as it was lived, and still no minute
/// is in two days.
struct DayAggregator {
    /// The zone and start of day of new days: a device's present ones; a person's may be others from minute to minute.
    var calendar: DayCalendar {
        didSet { if calendar != oldValue { latest = nil } }
    }
    /// The revision that new days start after: the greatest of the days that they replace, so that none falls.
    var baseRevision: Int64 = 0
    /// True if days may be published lower than before: they are erased, or those of a person.
    var mayFall = false
    private var days: [LocalDate: DayRecord] = [:]
    private var changed: Set<LocalDate> = []
    private var known: Set<LocalDate> = []
    /// The counts that readers were given of each date before the commit.
    private var published: [LocalDate: Counts] = [:]
    /// The date that was looked for last, and its minutes in the present zone: rows mostly come in the order of time.
    private var latest: (date: LocalDate, minutes: Range<Int64>)?
    /// The date of the day that was last added to.
    private var lastAdded: LocalDate?

    /// The most dates between a minute's day and its date: zones are up to 26 hours apart, starts of day 24.
    static let reachDays = 3

    init(calendar: DayCalendar) {
        self.calendar = calendar
    }

    /// The dates whose days must be inserted before `add` can place a minute; empty where they were asked for before.
    mutating func takeDatesNeeded(forMinute minute: Int64) -> [LocalDate] {
        let date = date(ofMinute: minute)
        guard known.insert(date).inserted else { return [] }
        return (-Self.reachDays...Self.reachDays).map { date.advanced(by: $0) }
    }

    /// Takes in a day that the store has.
    mutating func insert(_ day: DayRecord) {
        guard days[day.date] == nil else { return }
        days[day.date] = day
        notePublished(day)
    }

    /// Adds the published values of a day that is aggregated anew.
    mutating func notePublished(_ day: DayRecord) {
        published[day.date] = day.published ?? day.counts
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
    var changedDays: [DayRecord] {
        changed.compactMap { days[$0] }.map { day in
            var day = day
            day.published =
                mayFall ? nil : published[day.date].flatMap { day.counts.published(after: $0, nil) }
            return day
        }
    }

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
