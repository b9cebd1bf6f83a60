/// A PostgreSQL server, 15 or later: for buses whose histories share one.
package final class PostgresDatabase: SQLDatabase {
    private let pool: PostgresPool
    /// The connection that holds the lock on the root, from the opening to the end; `nil` for work that is no
    /// history's.
    private let holder: PostgresPool?

    /// The oldest server that history works with, as in `server_version_num`.
    private static let minimumServerVersion: Int64 = 150_000
    /// The schema of all tables.
    static let schema = "stridebus"

    package var name: String { pool.server }
    package var lostConnections: UInt64 { pool.lostConnections }

    fileprivate init(_ address: PostgresAddress, lock: String?, limits: PostgresLimits) {
        pool = PostgresPool(address, applicationName: "stridebus-history", limits: limits) { session in
            try session.run(script: Self.settings)
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

    /// What waits for more than the disk, such as for a standby, is left alone. Whether a statement is planned for its
    /// values or once for all is the server's choice: to read one device, planning takes longer than reading.
    private static let settings = """
        SET search_path = \(schema); SET jit = off; SET idle_in_transaction_session_timeout = '60s';
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
        """

    private func makeTables() async throws(HistoryError) {
        let server = name
        try await transact { session in
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
        try await hold()
        return try await transact(work)
    }

    private func transact<Result: Sendable>(
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
        HistoryError(postgres: error, server: name)
    }
}

extension HistoryStore {
    /// Opens the history of a PostgreSQL server.
    /// - Parameters:
    ///   - address: Where the database is. Its user must own the schema `stridebus`, or may make it.
    ///   - root: The bus of this history, which no other history may keep meanwhile; `nil` for other work.
    ///   - defaultZone: The IANA name of the zone of devices whose config names none.
    ///   - maximumDevices: How many devices are kept; rows of further ones are refused and counted.
    ///   - limits: The number of connections, and the timeouts.
    /// - Throws: `HistoryError`, in one line and without a password; `rootInUse` if another history is at work for the
    ///   same bus.
    package static func postgres(
        _ address: PostgresAddress, root: String? = "stride",
        defaultZone: String = "UTC", maximumDevices: Int = 100_000,
        limits: PostgresLimits = PostgresLimits()
    ) async throws(HistoryError) -> HistoryStore {
        let zone = try DayCalendar.ofConfiguration(defaultZone)
        let database = PostgresDatabase(address, lock: root, limits: limits)
        try await database.open()
        return HistoryStore(database, defaultZone: zone, maximumDevices: maximumDevices, root: root ?? "")
    }
}
