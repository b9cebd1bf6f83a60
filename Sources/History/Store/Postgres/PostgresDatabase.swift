import Synchronization
import Wire

/// A PostgreSQL server, 15 or later: for buses whose histories share one.
package final class PostgresDatabase: SQLDatabase {
    private let pool: PostgresPool
    /// The connection that holds the lock on the root, from the opening to the end; `nil` for work that is no
    /// history's.
    private let holder: PostgresPool?
    /// The months whose partitions are known to be there.
    private let knownMonths = Mutex<Set<LocalDate>>([])

    /// The oldest server that history works with, as in `server_version_num`.
    private static let minimumServerVersion: Int64 = 150_000
    /// The schema of all tables.
    static let schema = "stridebus"

    package var name: String { pool.server }
    package var lostConnections: UInt64 { pool.lostConnections }

    fileprivate init(_ address: PostgresAddress, lock: String?, synchronous: Synchronous, limits: PostgresLimits) {
        pool = PostgresPool(address, applicationName: "stridebus-history", limits: limits) { session in
            try session.run(script: Self.settings(synchronous))
        }
        holder = lock.map { Self.holder(of: $0, at: address, limits) }
    }

    /// Connects, and makes the tables where there are none, while other histories wait.
    fileprivate func open() async throws(HistoryError) {
        do throws(HistoryError) {
            try await makeTables()
            try await hold()
        } catch {
            await close()
            throw error
        }
    }

    /// A connection that other histories of the same bus notice. The server looks after half a minute whether we are
    /// there, so that a machine that lost its power is not in the way of its successor for long.
    private static func holder(
        of root: String, at address: PostgresAddress, _ limits: PostgresLimits
    ) -> PostgresPool {
        var limits = limits
        limits.maximumConnections = 1
        return PostgresPool(address, applicationName: "stridebus-history-holder", limits: limits) { session in
            try session.run(
                script: "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4")
            var row = try session.query(
                "SELECT pg_try_advisory_lock(hashtextextended('stridebus root ' || $1, 0))", [.text(root)]
            ).first
            guard try row?.bool() == true else { throw HistoryError.rootInUse(server: session.server, root: root) }
        }
    }

    /// Takes the lock on the root, or takes it again if its connection was lost meanwhile.
    private func hold() async throws(HistoryError) {
        do { try await holder?.statements { try $0.run(script: "SELECT 1") } } catch { throw failure(error) }
    }

    /// `full` leaves alone what waits for more than the disk, such as for a standby. Whether a statement is planned for
    /// its values or once for all is the server's choice: to read one device, planning takes longer than reading.
    private static func settings(_ synchronous: Synchronous) -> String {
        let commit =
            switch synchronous {
            case .full:
                """
                SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') = 'off'
                """
            case .normal: "SET synchronous_commit = off"
            }
        return """
            SET search_path = \(schema); SET jit = off; SET idle_in_transaction_session_timeout = '60s'; \(commit)
            """
    }

    private func makeTables() async throws(HistoryError) {
        let server = name
        try await write { session in
            try Self.check(session, server: server)
            try session.run(script: "SET LOCAL statement_timeout = 0")
            try session.lock(.schema)
            var found = try session.query(
                "SELECT to_regnamespace($1) IS NOT NULL, to_regclass($2) IS NOT NULL",
                [.text(Self.schema), .text("\(Self.schema).minutes")]
            ).first
            // Asked first, because it needs a right that a user may lack where the schema is there already.
            if try found?.bool() != true { try session.run(script: "CREATE SCHEMA \(Self.schema)") }
            try StoreSchema.postgres.make(session, path: server, hasTables: try found?.bool() == true)
        }
    }

    private static func check(_ session: any SQLSession, server: String) throws {
        guard
            var row = try session.query(
                "SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding')"
            ).first
        else { return }
        guard try row.int() >= minimumServerVersion else {
            throw HistoryError.wrongServer(server: server, problem: "is older than version 15; take a newer one")
        }
        let encoding = try row.text()
        guard encoding == "UTF8" else {
            throw HistoryError.wrongServer(
                server: server,
                problem: "has a database in \(encoding); create one with ENCODING 'UTF8' TEMPLATE template0")
        }
    }

    package func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        do { return try await pool.transaction { try work($0) } } catch { throw failure(error) }
    }

    package func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        do {
            return isSnapshot
                ? try await pool.transaction(isSnapshot: true) { try work($0) }
                : try await pool.statements { try work($0) }
        } catch {
            throw failure(error)
        }
    }

    package func close() async {
        await pool.close()
        await holder?.close()
    }

    private func failure(_ error: any Error) -> HistoryError {
        // A month's partition that was known to be there was dropped.
        if (error as? PostgresError)?.state == .checkViolation { knownMonths.withLock { $0 = [] } }
        return HistoryError(postgres: error, server: name)
    }
}

// MARK: - Partitions

extension PostgresDatabase {
    /// The longest time that a drop waits for readers and writers, and that the drop itself takes, in milliseconds:
    /// all others wait for as long.
    private static let (dropWaitMilliseconds, dropMilliseconds) = (200, 1000)

    /// Makes the partitions of months, in a transaction of its own before the commit, because the commit holds locks
    /// that another one may wait for.
    package func makeRoom(forMonths months: Set<LocalDate>) async throws(HistoryError) {
        try await hold()
        let missing = knownMonths.withLock { months.subtracting($0) }.sorted()
        guard !missing.isEmpty else { return }
        try await write { session in
            try session.lock(.partitions)
            for month in missing { try Self.makePartition(month, session) }
        }
        knownMonths.withLock { $0.formUnion(missing) }
    }

    /// Attached after it was made, because that lets others read and write meanwhile.
    private static func makePartition(_ month: LocalDate, _ session: any SQLSession) throws {
        let name = partitionName(month)
        let known = try session.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [.text(name)])
        guard known.isEmpty else { return }
        let minutes = minutes(ofMonth: month)
        try session.run(
            script: """
                CREATE TABLE \(name) (LIKE minutes INCLUDING ALL) WITH (fillfactor = 80);
                ALTER TABLE minutes ATTACH PARTITION \(name)
                    FOR VALUES FROM (\(minutes.lowerBound)) TO (\(minutes.upperBound))
                """)
    }

    /// Drops the partitions of months that are over and have no rows any more.
    ///
    /// A first look for empty months goes on while others work. The drop looks again, with the parent locked, so
    /// that no row comes in between; where that lock cannot be had at once the month stays for the next time.
    package func dropEmptyMonths(before horizon: Int64) async throws(HistoryError) -> Int {
        let months = try await read(isSnapshot: false) { session in
            try session.query("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'minutes'::regclass")
                .read { Self.month(ofPartition: try $0.text()) }
        }
        var dropped = 0
        for month in months.sorted() where Self.minutes(ofMonth: month).upperBound <= horizon {
            guard try await looksEmpty(month), try await drop(month) else { continue }
            _ = knownMonths.withLock { $0.remove(month) }
            dropped += 1
        }
        return dropped
    }

    /// Of an empty month nothing is left but dead rows. The server cleans those away by itself (autovacuum); until then
    /// a look may take longer than a statement may, and the month stays for the next time.
    private func looksEmpty(_ month: LocalDate) async throws(HistoryError) -> Bool {
        do { return try await pool.statements { try Self.isEmpty(month, $0) } } catch let error as PostgresError
            where error.isTooBusy
        {
            return false
        } catch {
            throw failure(error)
        }
    }

    private func drop(_ month: LocalDate) async throws(HistoryError) -> Bool {
        do {
            return try await pool.transaction { session in
                try session.run(
                    script: """
                        SET LOCAL lock_timeout = \(Self.dropWaitMilliseconds);
                        SET LOCAL statement_timeout = \(Self.dropMilliseconds);
                        LOCK TABLE ONLY minutes IN ACCESS EXCLUSIVE MODE
                        """)
                guard try Self.isEmpty(month, session) else { return false }
                try session.run(script: "DROP TABLE \(Self.partitionName(month))")
                return true
            }
        } catch let error as PostgresError where error.isTooBusy {
            return false
        } catch {
            throw failure(error)
        }
    }

    private static func isEmpty(_ month: LocalDate, _ session: any SQLSession) throws -> Bool {
        try session.query("SELECT 1 FROM \(partitionName(month)) LIMIT 1").isEmpty
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
    /// True if a lock could not be had in the time given, or a statement took longer.
    fileprivate var isTooBusy: Bool {
        if case .statementTimeout = self { return true }
        return state == .lockNotAvailable
    }
}

extension HistoryStore {
    /// Opens the history of a PostgreSQL server.
    /// - Parameters:
    ///   - address: Where the database is. Its user must own the schema `stridebus`, or may make it.
    ///   - root: The bus of this history, which no other history may keep meanwhile; `nil` for other work.
    ///   - synchronous: How far a commit waits for the server's disk.
    ///   - defaultZone: The IANA name of the zone of devices whose config names none.
    ///   - maximumDevices: How many devices are kept; rows of further ones are refused and counted.
    ///   - limits: The number of connections, and the timeouts.
    /// - Throws: `HistoryError`, in one line and without a password; `rootInUse` if another history is at work for the
    ///   same bus.
    package static func postgres(
        _ address: PostgresAddress, root: String? = "stride",
        synchronous: Synchronous = .full, defaultZone: String = "UTC", maximumDevices: Int = 100_000,
        limits: PostgresLimits = PostgresLimits()
    ) async throws(HistoryError) -> HistoryStore {
        let zone = try DayCalendar.ofConfiguration(defaultZone)
        let database = PostgresDatabase(address, lock: root, synchronous: synchronous, limits: limits)
        try await database.open()
        return HistoryStore(database, defaultZone: zone, maximumDevices: maximumDevices, root: root ?? "")
    }
}
