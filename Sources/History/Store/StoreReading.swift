package import Wire

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

    /// One device; `nil` if nothing was ever kept of it.
    package func device(_ device: DeviceID) async throws(HistoryError) -> SubjectRecord? {
        try await record(of: .device(device))
    }

    /// A device or a person; `nil` if nothing was ever kept of it.
    func record(of subject: Subject) async throws(HistoryError) -> SubjectRecord? {
        try await database.read(isSnapshot: false) { session in try Self.find(subject, session)?.record }
    }

    /// Devices by their ids, beginning after one of them.
    package func devices(after device: DeviceID?, limit: Int) async throws(HistoryError) -> [SubjectRecord] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                """
                SELECT \(SubjectRecord.columns.joined(separator: ", ")) FROM subjects
                WHERE is_person = $1 AND name > $2 ORDER BY name LIMIT $3
                """, [.bool(false), .text(device?.description ?? ""), .int(Int64(limit))]
            ).compactMap { try SubjectRecord.read($0)?.record }
        }
    }

    /// All devices and people, or only those that have minutes before a horizon.
    func subjects(before horizon: Int64? = nil) async throws(HistoryError) -> [Subject] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                """
                SELECT is_person, name FROM subjects WHERE kind <> $2 AND ($1 IS NULL
                    OR first_minute < $1 AND compacted_minute < $1 AND last_minute >= compacted_minute)
                ORDER BY is_person, name
                """, [.int(horizon), .text(Self.forgottenKind)]
            ).read { try SubjectRecord.subject(&$0) }
        }
    }

    /// The days of a subject from one date up to another, which is not included; only those that have data.
    package func days(
        of subject: Subject, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DayRecord] {
        try await snapshot(of: subject, from: first, to: end)?.days ?? []
    }

    /// The counts of each of some ranges of minutes, which must be in order and not overlap. Where there are no minutes
    /// any more, a day counts to the range of its first minute with data: `cutDay` says whether that is not all of it.
    /// - Parameter isOver: Whether nobody waits any more; it is asked for each month of minutes.
    /// - Throws: `HistoryError.overtime` where nobody does.
    package func sums(
        of subject: Subject, in ranges: [Range<Int64>], unless isOver: @Sendable @escaping () -> Bool = { false }
    ) async throws(HistoryError) -> [CountSum] {
        try await database.read(isSnapshot: true) { session in
            guard let (id, record) = try Self.find(subject, session),
                let known = record.firstMinute.map({ $0..<(record.lastMinute ?? $0) + 1 })
            else { return ranges.map { _ in CountSum() } }
            var sums = ranges.map { _ in CountSum() }
            for part in Self.parts(of: ranges.map { $0.clamped(to: known) }) {
                guard !isOver() else { throw HistoryError.overtime }
                var found = try session.aggregate(
                    CountSum.aggregates, of: "minutes", at: "minute", subject: id, in: part.map(\.range))
                if let first = part.first, first.range.lowerBound < record.compactedMinute {
                    found += try session.aggregate(
                        CountSum.oldAggregates, of: "days", at: "first_minute", subject: id, in: part.map(\.range))
                }
                for (place, sum) in zip(part + part, try found.read { try CountSum(aggregates: &$0) }) {
                    sums[place.index] += sum
                }
            }
            return sums
        }
    }

    /// The minutes that are summed up between two looks at the clock.
    private static let minutesALook: Int64 = 31 * 1440

    /// Ranges in groups of at most `minutesALook`, each piece with the index of its range.
    private static func parts(of ranges: [Range<Int64>]) -> [[(index: Int, range: Range<Int64>)]] {
        var parts: [[(index: Int, range: Range<Int64>)]] = []
        var room: Int64 = 0
        for (index, range) in ranges.enumerated() {
            var rest = range
            while !rest.isEmpty {
                if room == 0 {
                    parts.append([])
                    room = minutesALook
                }
                let end = min(rest.upperBound, rest.lowerBound + room)
                parts[parts.count - 1].append((index, rest.lowerBound..<end))
                room -= end - rest.lowerBound
                rest = end..<rest.upperBound
            }
        }
        return parts
    }

    /// The first day whose minutes are gone and of whose data only a part lies in a range; `nil` where there is none.
    func cutDay(of record: SubjectRecord, by range: Range<Int64>) async throws(HistoryError) -> DayRecord? {
        guard range.lowerBound < record.compactedMinute else { return nil }
        return try await database.read(isSnapshot: false) { session in
            guard let id = try Self.find(record.subject, session)?.id else { return nil }
            return try session.query(
                """
                SELECT \(DayRecord.columns) FROM days WHERE subject = $1 AND (first_minute < $2 AND last_minute >= $2
                OR first_minute < $3 AND last_minute >= $3) ORDER BY date LIMIT 1
                """, [.int(id), .int(range.lowerBound), .int(range.upperBound)]
            ).read { try DayRecord(&$0) }.first
        }
    }

    /// The minutes of a subject in a range that have data, in order and at most `limit`.
    package func minutes(
        of subject: Subject, in range: Range<Int64>, limit: Int
    ) async throws(HistoryError) -> [MinuteRecord] {
        try await database.read(isSnapshot: true) { session in
            guard let id = try Self.find(subject, session)?.id else { return [] }
            return try Self.minutes(of: id, in: range, limit: limit, session)
        }
    }

    static func find(_ subject: Subject, _ session: any SQLSession) throws -> (id: Int64, record: SubjectRecord)? {
        try session.query(SubjectRecord.byName, subject.key).first.flatMap { try SubjectRecord.read($0) }
    }

    static func minutes(
        of id: Int64, in range: Range<Int64>, limit: Int, _ session: any SQLSession
    ) throws -> [MinuteRecord] {
        try session.query(
            """
            SELECT minute, \(CountSum.aggregates) FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3
            GROUP BY minute ORDER BY minute LIMIT $4
            """, [.int(id), .int(range.lowerBound), .int(range.upperBound), .int(Int64(limit))]
        ).read { row in
            MinuteRecord(minute: try row.int(), sum: try CountSum(aggregates: &row))
        }
    }

    private static let days = """
        SELECT \(DayRecord.columns) FROM days
        WHERE subject = (SELECT id FROM subjects WHERE is_person = $1 AND name = $2) AND date >= $3 AND date < $4
        ORDER BY date
        """
}
