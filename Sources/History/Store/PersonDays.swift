import Wire

/// What one device gave to a person's day, as it stood when the day's minutes went.
///
/// A minute is of one person, and the merger needs the minutes of all devices of a person: neither can be said of a
/// device's day afterwards. So before minutes go, what they come to is kept for each person who had them.
struct PersonDay: Sendable, Equatable {
    /// The number of the device in the store.
    var device: Int64
    /// From the first minute with data to the end of the day in the person's calendar, or of the device's day.
    var minutes: Range<Int64>
    /// All that the device counted while it was the person's.
    var own = CountSum()
    /// What of it is the person's, beside the other devices.
    var taken = CountSum()
}

extension PersonDay {
    private static let table = SQLTable(
        name: "person_days", key: [],
        columns: ["person", "device", "start_minute", "end_minute"] + sums("own_") + sums("taken_"))
    private static let columns = table.columns.dropFirst().joined(separator: ", ")

    private static func sums(_ prefix: String) -> [String] { CountSum.columns.map { prefix + $0 } }

    init(_ row: inout SQLRow) throws {
        device = try row.int()
        let (start, end) = (try row.int(), try row.int())
        minutes = start..<max(start, end)
        own = try CountSum(&row)
        taken = try CountSum(&row)
    }

    /// The days of a person that begin in a range of minutes.
    static func all(of person: String, in range: Range<Int64>, _ session: any SQLSession) throws -> [PersonDay] {
        try session.query(
            """
            SELECT \(columns) FROM person_days WHERE person = $1 AND start_minute >= $2 AND start_minute < $3
            ORDER BY start_minute, device
            """, [.text(person), .int(range.lowerBound), .int(range.upperBound)]
        ).read { try PersonDay(&$0) }
    }

    /// The minute up to which days of a person are kept; nil where none is.
    static func end(of person: String, _ session: any SQLSession) throws -> Int64? {
        try session.number("SELECT max(end_minute) FROM person_days WHERE person = $1", [.text(person)])
    }

    func insert(for person: String, _ session: any SQLSession) throws {
        let places = (1...Self.table.columns.count).map { "$\($0)" }.joined(separator: ", ")
        try session.change(
            "INSERT INTO person_days (\(Self.table.columns.joined(separator: ", "))) VALUES (\(places))",
            [.text(person), .int(device), .int(minutes.lowerBound), .int(minutes.upperBound)] + own.values
                + taken.values)
    }
}

// MARK: - Keeping

extension HistoryStore {
    /// Keeps the days of a person that end before a horizon, and have not been kept yet.
    /// - Returns: How many stretches.
    package func keepDays(of person: String, before horizon: Int64) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await database.write { session in
            let sources = try Self.sources(of: person, session)
            guard let first = sources.first else { return 0 }
            let calendar = DayCalendar(first.record.settings, defaultZone: defaultZone)
            var (next, count) = (try PersonDay.end(of: person, session) ?? DayCalendar.minutes.lowerBound, 0)
            while let oldest = try Self.oldestMinute(of: sources, from: next, session), oldest < horizon {
                let day = calendar.minutes(of: calendar.date(ofMinute: oldest)).clamped(to: next..<Int64.max)
                guard day.upperBound <= horizon else { break }
                for part in Self.cut(day, by: sources, defaultZone) {
                    let days = try Self.days(of: sources, in: part, session)
                    for day in days { try day.insert(for: person, session) }
                    count += days.count
                }
                next = day.upperBound
            }
            return count
        }
    }

    /// A device of a person, with what the store knows of it.
    private typealias StoredSource = (id: Int64, record: DeviceRecord, source: PersonSource)

    private static func sources(of person: String, _ session: any SQLSession) throws -> [StoredSource] {
        let names = try session.query("SELECT DISTINCT device FROM assignments WHERE person = $1", [.text(person)])
            .read { try? DeviceID($0.text()) }
        return try names.compactMap { name -> StoredSource? in
            guard let (id, record) = try find(name, session) else { return nil }
            let assignments = try Assignment.all(of: name, session)
            return PersonSource(record, person: person, assignments: assignments).map { (id, record, $0) }
        }.sorted { $0.source < $1.source }
    }

    private static func oldestMinute(
        of sources: [StoredSource], from minute: Int64, _ session: any SQLSession
    ) throws -> Int64? {
        try sources.flatMap { source in
            try ["minutes", hours].compactMap { rows in
                try session.number(
                    "SELECT min(minute) FROM \(rows) AS known WHERE device = $1 AND minute >= $2",
                    [.int(source.id), .int(minute)])
            }
        }.min()
    }

    /// The hours that versions up to 0.1 made of old minutes. Whose they are is told by where they begin, as it was.
    private static let hours = "(SELECT * FROM old_days WHERE length = 60)"

    /// A day in pieces that lie each in one day of every device, so that they can be taken off those.
    private static func cut(
        _ day: Range<Int64>, by sources: [StoredSource], _ defaultZone: DayCalendar
    ) -> [Range<Int64>] {
        let starts = sources.flatMap { source in
            let calendar = DayCalendar(source.record.settings, defaultZone: defaultZone)
            return [day.lowerBound, day.upperBound].map { calendar.startOfDay(containing: $0) }
        }
        let borders = Set(starts.filter { day.contains($0) } + [day.lowerBound, day.upperBound]).sorted()
        return zip(borders, borders.dropFirst()).map { $0..<$1 }
    }

    private static func days(
        of sources: [StoredSource], in range: Range<Int64>, _ session: any SQLSession
    ) throws -> [PersonDay] {
        var merger = SourceMerger(sources.map(\.source))
        var starts = [Int64](repeating: range.upperBound, count: sources.count)
        for (table, length) in [("minutes", Int64(1)), (hours, 60)] {
            let rows = try counts(of: sources, in: range, from: table, session)
            for row in rows {
                for (source, _) in row.sums { starts[source] = min(starts[source], row.minute) }
                merger.add(row.sums, minutes: length)
            }
        }
        return sources.indices.filter { merger.parts[$0].own != CountSum() }.map { index in
            PersonDay(
                device: sources[index].id, minutes: starts[index]..<range.upperBound, own: merger.parts[index].own,
                taken: merger.parts[index].taken)
        }
    }

    private static func stored(_ sources: [PersonSource], _ session: any SQLSession) throws -> [StoredSource] {
        try sources.compactMap { source in try find(source.device, session).map { ($0.id, $0.record, source) } }
    }

    /// What some devices counted in their person's minutes of a range, in order.
    private static func counts(
        of sources: [StoredSource], in range: Range<Int64>, from table: String = "minutes", _ session: any SQLSession
    ) throws -> [(minute: Int64, sums: [(source: Int, sum: CountSum)])] {
        var minutes: [Int64: [(source: Int, sum: CountSum)]] = [:]
        for (index, source) in sources.enumerated() {
            let owned = source.source.minutes.intersection(RangeSet(range))
            guard let first = owned.ranges.first, let last = owned.ranges.last else { continue }
            let rows = try session.query(
                """
                SELECT minute, \(CountSum.aggregates) FROM \(table) AS known
                WHERE device = $1 AND minute >= $2 AND minute < $3 GROUP BY minute
                """, [.int(source.id), .int(first.lowerBound), .int(last.upperBound)])
            for row in rows {
                var row = row
                let minute = try row.int()
                guard owned.contains(minute) else { continue }
                minutes[minute, default: []].append((index, try CountSum(aggregates: &row)))
            }
        }
        return minutes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

// MARK: - Reading

extension HistoryStore {
    /// The minutes that are read at once.
    private static let minutesARead: Int64 = 1440

    /// What a person's devices come to together in each of some ranges, which must be in order and not overlap. Of time
    /// whose minutes are gone whole days count to the range that they begin in.
    /// - Parameter isOver: Whether nobody waits any more; looked at before each day that is read.
    /// - Returns: nil when nobody waits.
    func merged(
        _ person: String, _ sources: [PersonSource], in ranges: [Range<Int64>],
        unless isOver: @Sendable @escaping () -> Bool
    ) async throws(HistoryError) -> [PersonBucket]? {
        guard let first = ranges.first, let last = ranges.last else { return [] }
        return try await database.read(isSnapshot: true) { session in
            let known = try Self.stored(sources, session)
            let gone = sources.map(\.compactedMinute).max() ?? 0
            let days = try PersonDay.all(
                of: person, in: first.lowerBound..<min(max(gone, first.lowerBound), last.upperBound), session)
            let oldMinute = days.map(\.minutes.upperBound).max() ?? 0
            var buckets: [PersonBucket] = []
            for range in ranges {
                var merger = SourceMerger(known.map(\.source))
                for day in days where range.contains(day.minutes.lowerBound) {
                    guard let index = known.firstIndex(where: { $0.id == day.device }) else { continue }
                    merger.add(day, of: index)
                }
                var next = max(range.lowerBound, oldMinute)
                while next < range.upperBound {
                    guard !isOver() else { return nil }
                    let end = min(next + Self.minutesARead, range.upperBound)
                    for row in try Self.counts(of: known, in: next..<end, session) { merger.add(row.sums) }
                    next = end
                }
                buckets.append(merger.bucket(start: Double(range.lowerBound) * 60))
            }
            return buckets
        }
    }

    /// What a person's devices counted in the minutes of a range, merged.
    func mergedMinutes(of sources: [PersonSource], in range: Range<Int64>) async throws(HistoryError) -> [MinuteRecord]
    {
        try await database.read(isSnapshot: true) { session in
            let known = try Self.stored(sources, session)
            var merger = SourceMerger(known.map(\.source))
            return try Self.counts(of: known, in: range, session).map { row in
                MinuteRecord(minute: row.minute, sum: merger.add(row.sums))
            }
        }
    }
}

// MARK: - Forgetting

extension HistoryStore {
    /// Forgets the days that are kept of a person, and takes what their devices counted then off the days and totals of
    /// those.
    /// - Returns: How many stretches.
    static func removeDays(of person: String, _ defaultZone: DayCalendar, _ session: any SQLSession) throws -> Int {
        let all = try PersonDay.all(of: person, in: DayCalendar.minutes, session)
        for (id, days) in Dictionary(grouping: all, by: \.device).sorted(by: { $0.key < $1.key }) {
            var name = try session.query("SELECT name FROM devices WHERE id = $1", [.int(id)]).first
            guard let text = try name?.text(), let device = try? DeviceID(text) else { continue }
            var commit = StoreCommit(session, defaultZone: defaultZone, nowMinute: 0)
            try commit.takeOff(days.map { ($0.minutes.lowerBound, $0.own.counts) }, of: device)
            for day in days { try takeOff(day, session) }
        }
        try session.change("DELETE FROM person_days WHERE person = $1", [.text(person)])
        return all.count
    }

    /// Takes a stretch off the device's own day that it lies in.
    private static func takeOff(_ day: PersonDay, _ session: any SQLSession) throws {
        let columns = CountSum.columns.joined(separator: ", ")
        let found = try session.query(
            """
            SELECT minute, length, \(columns) FROM old_days WHERE device = $1 AND minute < $2
            ORDER BY minute DESC LIMIT 1
            """, [.int(day.device), .int(day.minutes.upperBound)]
        ).first
        guard var row = found else { return }
        let (minute, length, sum) = (try row.int(), try row.int(), try CountSum(&row))
        try session.upsert(
            [[.int(day.device), .int(minute), .int(length)] + (sum - day.own).values], into: oldDays)
    }
}
