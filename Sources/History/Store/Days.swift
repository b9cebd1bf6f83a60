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

    /// Notes the first and the last minute with data of a day whose minutes are gone.
    static func keep(
        extent: ClosedRange<Int64>, of id: Int64, _ date: LocalDate, _ session: any SQLSession
    ) throws {
        try session.change(
            """
            UPDATE days SET first_minute = CASE WHEN first_minute < $3 THEN first_minute ELSE $3 END,
                last_minute = CASE WHEN last_minute > $4 THEN last_minute ELSE $4 END WHERE subject = $1 AND date = $2
            """, [.int(id), .int(Int64(date.dayNumber)), .int(extent.lowerBound), .int(extent.upperBound)])
    }
}
