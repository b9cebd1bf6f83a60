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

    /// How long a drop waits for those who read or write, and how long the drop itself may take, in milliseconds:
    /// everybody else waits for as long.
    private static let (dropWaitMilliseconds, dropMilliseconds) = (200, 1000)

    /// Drops the partitions of months that are over before a minute and have no rows any more; see
    /// `HistoryStore.dropEmptyMonths`.
    ///
    /// Whether a month is empty is first looked at while others work. The drop looks again, with the parent locked, so
    /// that no row comes in between; where that lock cannot be had at once the month stays for the next time.
    public func dropEmptyMonths(before horizon: Int64) async throws(HistoryError) -> Int {
        let months = try await read { session in
            try session.query("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'minutes'::regclass")
                .map { try $0.text(0) }
        }.compactMap { Self.month(ofPartition: $0) }.sorted()
        var dropped = 0
        for month in months where Self.minutes(ofMonth: month).upperBound <= horizon {
            guard try await looksEmpty(month), try await drop(month) else { continue }
            _ = knownMonths.withLock { $0.remove(month) }
            dropped += 1
        }
        return dropped
    }

    /// Of an empty month nothing is left but dead rows, which are cleaned away so that the second look is quick.
    private func looksEmpty(_ month: LocalDate) async throws(HistoryError) -> Bool {
        let name = Self.partitionName(month)
        return try await read { session in
            guard try session.query("SELECT NOT EXISTS (SELECT 1 FROM \(name))").first?.bool(0) == true else {
                return false
            }
            try session.run("VACUUM \(name)")
            return true
        }
    }

    private func drop(_ month: LocalDate) async throws(HistoryError) -> Bool {
        let name = Self.partitionName(month)
        do {
            return try await pool.transaction(.readWrite) { session in
                try session.run(
                    """
                    SET LOCAL lock_timeout = \(Self.dropWaitMilliseconds);
                    SET LOCAL statement_timeout = \(Self.dropMilliseconds);
                    LOCK TABLE ONLY minutes IN ACCESS EXCLUSIVE MODE
                    """)
                guard try session.query("SELECT NOT EXISTS (SELECT 1 FROM \(name))").first?.bool(0) == true else {
                    return false
                }
                try session.run("DROP TABLE \(name)")
                return true
            }
        } catch let error as PostgresError where error.isTooBusy {
            return false
        } catch {
            throw HistoryError(error, server: server)
        }
    }

    private static func month(ofPartition name: String) -> LocalDate? {
        let parts = name.split(separator: "_")
        guard parts.count == 3, let year = Int(parts[1]), let month = Int(parts[2]) else { return nil }
        return LocalDate(year: year, month: month, day: 1)
    }

    private static func partitionName(_ month: LocalDate) -> String {
        let (year, number, _) = month.components
        return "minutes_\(year)_\(number < 10 ? "0" : "")\(number)"
    }

    private static func minutes(ofMonth month: LocalDate) -> Range<Int64> {
        Int64(month.dayNumber) * 1440..<Int64(month.startOfNextMonth.dayNumber) * 1440
    }
}

extension PostgresError {
    /// Whether a lock could not be had in the time given, or a statement took longer.
    fileprivate var isTooBusy: Bool {
        if case .statementTimeout = self { return true }
        return state == .lockNotAvailable
    }
}
