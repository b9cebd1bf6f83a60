extension PostgresHistoryStore {
    /// The oldest server that history works with, as in `server_version_num`.
    static let minimumServerVersion: Int64 = 150_000

    /// Connects to a database and makes or renews the tables if need be, while other histories wait.
    /// - Parameters:
    ///   - address: Where the database is. Its user must own the schema `stridebus`, or may make it.
    ///   - root: The bus of this history: leases are kept for it, and no other history may keep it meanwhile. Nil for
    ///     work that is no history's.
    ///   - synchronous: How far a commit waits for the server's disk.
    ///   - defaultZone: The IANA name of the zone of devices whose config names none.
    ///   - maximumDevices: How many devices are kept; rows of further ones are refused and counted.
    ///   - limits: How many connections there are, and how long to wait for what.
    /// - Throws: `HistoryError`, in one line and without a password; `rootInUse` if another history is at work for the
    ///   same bus.
    public static func open(
        _ address: PostgresAddress, root: String? = "stride", synchronous: Synchronous = .full,
        defaultZone: String = "UTC", maximumDevices: Int = 100_000, limits: PostgresLimits = PostgresLimits()
    ) async throws(HistoryError) -> PostgresHistoryStore {
        let calendar: DayCalendar
        do { calendar = try DayCalendar(zone: defaultZone) } catch {
            throw .configuration(key: "zone", problem: "is wrong: \(error)")
        }
        let pool = PostgresPool(address, applicationName: "stridebus-history", limits: limits) { session in
            try session.run(settings(synchronous))
        }
        let store = PostgresHistoryStore(
            pool: pool, holder: root.map { holder(of: $0, at: address, limits) }, root: root ?? "",
            defaultZone: calendar, maximumDevices: maximumDevices)
        do throws(HistoryError) {
            try await store.migrate()
            try await store.hold()
        } catch {
            await store.close()
            throw error
        }
        return store
    }

    /// A connection that others of the same bus see is there. The server looks after half a minute whether we are, so
    /// that a machine that lost its power is not in the way of its successor for long.
    private static func holder(
        of root: String, at address: PostgresAddress, _ limits: PostgresLimits
    ) -> PostgresPool {
        var limits = limits
        limits.maximumConnections = 1
        limits.waitSeconds = max(limits.waitSeconds, limits.statementSeconds)
        return PostgresPool(address, applicationName: "stridebus-history-holder", limits: limits) { session in
            try session.run(
                "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4")
            let isOurs = try session.query(
                "SELECT pg_try_advisory_lock(hashtextextended('stridebus root ' || $1, 0))", [.text(root)]
            ).first?.bool(0)
            guard isOurs == true else { throw HistoryError.rootInUse(server: session.server, root: root) }
        }
    }

    /// Takes the lock on the root, or takes it again if its connection was lost meanwhile.
    func hold() async throws(HistoryError) {
        do { try await holder?.statements { try $0.run("SELECT 1") } } catch {
            throw HistoryError(error, server: server)
        }
    }

    /// `full` leaves alone what waits for more than the disk, such as for a standby. Whether a statement is planned for
    /// its values or once for all is the server's choice: of what reads one device a plan costs more than the reading.
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
            SET search_path = \(PostgresSchema.name); SET jit = off;
            SET idle_in_transaction_session_timeout = '60s'; \(commit)
            """
    }

    private func migrate() async throws(HistoryError) {
        let server = server
        try await write { session in
            try Self.check(session, server: server)
            try session.run("SET LOCAL statement_timeout = 0")
            try session.lock(.schema)
            let found = try session.query(
                "SELECT to_regnamespace($1) IS NOT NULL", [.text(PostgresSchema.name)]
            ).first?.bool(0)
            // Asked first, because it needs a right that a user may lack where the schema is there already.
            if found != true { try session.run("CREATE SCHEMA \(PostgresSchema.name)") }
            try session.run(PostgresSchema.versions)
            let version = try session.query("SELECT coalesce(max(version), 0) FROM versions").first?.int(0) ?? 0
            guard version <= PostgresSchema.version else { throw HistoryError.newerSchema(path: server) }
            for step in PostgresSchema.migrations where step.version > version {
                try session.run(step.script)
                try session.execute("INSERT INTO versions (version) VALUES ($1)", [.int(step.version)])
            }
        }
    }

    private static func check(_ session: PostgresSession, server: String) throws {
        let row = try session.query(
            "SELECT current_setting('server_version_num')::bigint, current_setting('server_encoding')"
        ).first
        guard let row else { return }
        guard try row.int(0) >= minimumServerVersion else {
            throw HistoryError.wrongServer(server: server, problem: "is older than version 15; take a newer one")
        }
        guard try row.text(1) == "UTF8" else {
            throw HistoryError.wrongServer(
                server: server,
                problem: "has a database in \(try row.text(1)); create one with ENCODING 'UTF8' TEMPLATE template0")
        }
    }
}

extension PostgresSession {
    /// Waits for a lock that ends with the transaction.
    func lock(_ lock: PostgresSchema.Lock) throws {
        _ = try query("SELECT pg_advisory_xact_lock($1)", [.int(lock.rawValue)])
    }
}
