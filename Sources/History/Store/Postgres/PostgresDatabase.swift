import ServiceKit

/// A PostgreSQL server, 15 or later: one history writes to a database, and others stand by.
package final class PostgresDatabase: SQLDatabase {
    private let readers: PostgresPool
    /// The one connection that writes. It holds the lock of the database, so that nobody else writes.
    private let writer: PostgresPool

    /// The oldest server that history works with, as in `server_version_num`.
    private static let minimumServerVersion: Int64 = 150_000
    /// The schema of all tables.
    static let schema = "stridebus"

    package var name: String { readers.server }
    package var lostConnections: UInt64 { readers.lostConnections + writer.lostConnections }

    fileprivate init(_ address: PostgresAddress, limits: PostgresLimits) {
        readers = PostgresPool(address, applicationName: "stridebus-history", limits: limits) { session in
            try session.run(script: Self.settings)
        }
        var limits = limits
        limits.maximumConnections = 1
        writer = PostgresPool(address, applicationName: "stridebus-history-writer", limits: limits) { session in
            try session.run(script: Self.settings + Self.keepAlive)
            var row = try session.query("SELECT pg_try_advisory_lock($1)", [.int(Self.lock)]).first
            guard try row?.bool() == true else { throw StoreError.alreadyInUse(path: session.server) }
        }
    }

    private static let lock: Int64 = 0x7374_7264_0001

    /// What waits for more than the disk, such as for a standby, is left alone. Whether a statement is planned for its
    /// values or once for all is the server's choice: to read one device, planning takes longer than reading.
    private static let settings = """
        SET search_path = \(schema); SET jit = off; SET idle_in_transaction_session_timeout = '60s';
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
        """
    /// The server looks after half a minute whether we are there, so that a machine that lost its power is not in the way of
    /// its successor for long.
    private static let keepAlive =
        "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4"

    /// Connects, and makes the tables where there are none.
    fileprivate func open() async throws(HistoryError) {
        let server = name
        do throws(HistoryError) {
            try await write { session in
                try Self.check(session, server: server)
                try session.run(script: "SET LOCAL statement_timeout = 0")
                var found = try session.query(
                    "SELECT to_regnamespace($1) IS NOT NULL, to_regclass($2) IS NOT NULL",
                    [.text(Self.schema), .text("\(Self.schema).minutes")]
                ).first
                // Asked first, because it needs a right that a user may lack where the schema is there already.
                if try found?.bool() != true { try session.run(script: "CREATE SCHEMA \(Self.schema)") }
                try StoreSchema.postgres.make(session, path: server, hasTables: try found?.bool() == true)
            }
        } catch {
            await close()
            throw error
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
        do { return try await writer.transaction { try work($0) } } catch { throw failure(error) }
    }

    package func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        do {
            return isSnapshot
                ? try await readers.transaction(isSnapshot: true) { try work($0) }
                : try await readers.statements { try work($0) }
        } catch {
            throw failure(error)
        }
    }

    package func close() async {
        await readers.close()
        await writer.close()
    }

    private func failure(_ error: any Error) -> HistoryError {
        HistoryError(error, path: name)
    }
}

extension HistoryStore {
    /// Opens the history of a PostgreSQL server.
    /// - Parameters:
    ///   - address: Where the database is. Its user must own the schema `stridebus`, or may make it.
    ///   - defaultZone: The IANA name of the zone of devices whose config names none.
    ///   - maximumDevices: How many devices are kept; rows of further ones are refused and counted.
    ///   - limits: The number of connections, and the timeouts.
    /// - Throws: `HistoryError`, in one line and without a password; `alreadyInUse` if another history is at work on it.
    package static func postgres(
        _ address: PostgresAddress, defaultZone: String = "UTC", maximumDevices: Int = 100_000,
        limits: PostgresLimits = PostgresLimits()
    ) async throws -> HistoryStore {
        let zone = try DayCalendar(zone: defaultZone)
        let database = PostgresDatabase(address, limits: limits)
        try await database.open()
        return HistoryStore(database, defaultZone: zone, maximumDevices: maximumDevices)
    }
}
