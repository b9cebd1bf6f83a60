package import Wire

/// One calendar day of a device or a person, in the zone of that time.
package struct DayRecord: Sendable, Equatable {
    package var date: LocalDate
    /// The zone when the day was made; a later one does not change it.
    package var zone: String
    /// The minutes that belong to the day.
    package var minutes: Range<Int64>
    package var counts = Counts()
    /// Grows with every change of `counts`.
    package var revision: Int64 = 0
    /// The counts that readers were given where one of `counts` has fallen below them; else `nil`.
    package var published: Counts?
}

/// A device or a person with the days of some dates, only those that have data, in order.
package struct SubjectSnapshot: Sendable, Equatable {
    package var record: SubjectRecord
    package var days: [DayRecord] = []
}

extension DayRecord {
    static let table = SQLTable(
        name: "days", key: ["subject", "date"],
        columns: ["zone", "start_minute", "end_minute", "revision", "published"] + Counts.columns)
    /// The columns that `init(_:)` reads.
    static let columns = (["date"] + table.columns).joined(separator: ", ")

    /// Reads `columns`.
    init(_ row: inout SQLRow) throws(SQLColumnError) {
        date = LocalDate(dayNumber: Int(clamping: try row.int()))
        zone = try row.text()
        let (start, end) = (try row.int(), try row.int())
        minutes = start..<max(start, end)
        revision = try row.int()
        published = try row.optionalText().flatMap { Counts(text: $0) }
        counts = try Counts(&row)
    }

    /// The values for `table`, of a subject by its number in the store.
    func values(subject id: Int64) -> [SQLValue] {
        [
            .int(id), .int(Int64(date.dayNumber)), .text(zone), .int(minutes.lowerBound), .int(minutes.upperBound),
            .int(revision), .text(published?.text),
        ] + counts.values()
    }
}

extension HistoryStore {
    /// A subject with its days from one date up to another, which is not included; `nil` if nothing was ever kept of it.
    package func snapshot(
        of subject: Subject, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> SubjectSnapshot? {
        try await snapshots(of: [subject], from: first, to: end).first
    }

    /// Subjects with their days from `first` up to, but not including, `end`. Unknown ones are left out.
    package func snapshots(
        of subjects: [Subject], from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [SubjectSnapshot] {
        let dates: [SQLValue] = [.int(Int64(first.dayNumber)), .int(Int64(end.dayNumber))]
        return try await database.read(isSnapshot: false) { session in
            let results = try session.execute(
                subjects.flatMap { subject in
                    [
                        SQLStatement(SubjectRecord.byName, subject.key),
                        SQLStatement(Self.days, subject.key + dates),
                    ]
                })
            return try stride(from: 0, to: results.count, by: 2).compactMap { index in
                guard let row = results[index].rows.first, let (_, record) = try SubjectRecord.read(row) else {
                    return nil
                }
                return SubjectSnapshot(record: record, days: try results[index + 1].rows.read { try DayRecord(&$0) })
            }
        }
    }

    /// The days of a subject from one date up to another, which is not included; only those that have data.
    package func days(
        of subject: Subject, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DayRecord] {
        try await snapshot(of: subject, from: first, to: end)?.days ?? []
    }

    /// A day whose minutes are gone and of which only a part lies in a range; `nil` where there is none.
    func cutDay(of record: SubjectRecord, by range: Range<Int64>) async throws(HistoryError) -> DayRecord? {
        let borders = [range.lowerBound, range.upperBound].filter { $0 < record.compactedMinute }
        guard !borders.isEmpty else { return nil }
        return try await database.read(isSnapshot: false) { session in
            guard let id = try Self.find(record.subject, session)?.id else { return nil }
            for border in borders {
                let day = try DayRecord.containing(border, of: id, session)
                if let day, day.minutes.lowerBound < border { return day }
            }
            return nil
        }
    }

    private static let days = """
        SELECT \(DayRecord.columns) FROM days
        WHERE subject = (SELECT id FROM subjects WHERE is_person = $1 AND name = $2) AND date >= $3 AND date < $4
        ORDER BY date
        """
}

extension DayRecord {
    /// The day that a minute is in.
    static func containing(_ minute: Int64, of id: Int64, _ session: any SQLSession) throws -> DayRecord? {
        let near = LocalDate.dates(near: minute)
        return try session.query(
            """
            SELECT \(DayRecord.columns) FROM days WHERE subject = $1 AND date >= $2 AND date < $3
            AND start_minute <= $4 AND end_minute > $4
            """,
            [
                .int(id), .int(Int64(near.lowerBound.dayNumber)), .int(Int64(near.upperBound.dayNumber)), .int(minute),
            ]
        ).read { try DayRecord(&$0) }.first
    }
}

/// The days of one device or person around the minutes of one commit: finds the day of a minute, or makes it.
///
/// A day once made keeps its date, zone and minutes. New days are made in the device's present zone and cut so that
/// they do not overlap their neighbours: when a device travels, a day is as long as it was lived, and still no minute
/// is in two days.
struct DayAggregator {
    /// The zone and start of day of new days: a device's present ones; a person's may be others from minute to minute.
    var calendar: DayCalendar
    /// The revision that new days start after: the greatest of the days that they replace, so that none falls.
    var baseRevision: Int64 = 0
    /// True if days may be published lower than before: they are erased, or those of a person.
    var mayFall = false
    private var days: [LocalDate: DayRecord] = [:]
    private var changed: Set<LocalDate> = []
    private var known: Set<LocalDate> = []
    /// The counts that readers were given of each date before the commit.
    private var published: [LocalDate: Counts] = [:]
    /// The date of the day that was last added to: rows mostly come in the order of time.
    private var lastAdded: LocalDate?

    /// The most dates between a minute's day and its date: zones are up to 26 hours apart, starts of day 24.
    static let reachDays = 3

    init(calendar: DayCalendar) {
        self.calendar = calendar
    }

    /// The dates whose days must be inserted before `add` can place a minute; empty where they were asked for before.
    mutating func takeDatesNeeded(forMinute minute: Int64) -> [LocalDate] {
        let date = calendar.date(ofMinute: minute)
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

    private func day(containing minute: Int64) -> DayRecord? {
        if let lastAdded, let day = days[lastAdded], day.minutes.contains(minute) { return day }
        return neighbours(of: calendar.date(ofMinute: minute)).first { $0.minutes.contains(minute) }
    }

    /// The days that there are of a date and of those that a minute of it may belong to.
    private func neighbours(of date: LocalDate) -> [DayRecord] {
        (-Self.reachDays...Self.reachDays).compactMap { days[date.advanced(by: $0)] }
    }

    private func makeDay(forMinute minute: Int64) -> DayRecord {
        let date = calendar.date(ofMinute: minute)
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
