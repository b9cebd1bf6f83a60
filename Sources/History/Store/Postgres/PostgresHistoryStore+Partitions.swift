import Postgres
import Synchronization
import Wire

extension PostgresHistoryStore {
    /// Makes the partitions of the months of some rows, if they are not there. In a transaction of its own before the
    /// commit, because the commit holds locks that another one may wait for.
    func makePartitions(for rows: [MinuteTotals]) async throws(HistoryError) {
        let needed = Set(rows.map { LocalDate(ofMinute: $0.minute).startOfMonth })
        let missing = knownMonths.withLock { needed.subtracting($0) }.sorted()
        guard !missing.isEmpty else { return }
        try await write { session in
            try session.lock(.partitions)
            for month in missing { try Self.makePartition(month, session) }
        }
        knownMonths.withLock { $0.formUnion(missing) }
    }

    /// Attached after it was made, because that lets others read and write meanwhile.
    private static func makePartition(_ month: LocalDate, _ session: PostgresSession) throws {
        let name = partitionName(month)
        let isThere = try session.query("SELECT to_regclass($1) IS NOT NULL", [.text(name)]).first?.bool(0)
        guard isThere != true else { return }
        let minutes = minutes(ofMonth: month)
        try session.run(
            """
            CREATE TABLE \(name) (LIKE minutes INCLUDING ALL) WITH (fillfactor = 80);
            ALTER TABLE minutes ATTACH PARTITION \(name)
                FOR VALUES FROM (\(minutes.lowerBound)) TO (\(minutes.upperBound))
            """)
    }

    private static func partitionName(_ month: LocalDate) -> String {
        let (year, number, _) = month.components
        return "minutes_\(year)_\(number < 10 ? "0" : "")\(number)"
    }

    private static func minutes(ofMonth month: LocalDate) -> Range<Int64> {
        Int64(month.dayNumber) * 1440..<Int64(month.startOfNextMonth.dayNumber) * 1440
    }
}

extension LocalDate {
    /// The date in UTC of a minute.
    fileprivate init(ofMinute minute: Int64) { self.init(dayNumber: Int(clamping: floorDivide(minute, 1440))) }
}
