import PrivatePostgres
import Testing

@testable import History

@Suite(
    "Connections to a server", .enabled(if: PrivatePostgres.isInstalled, "\(PrivatePostgres.missing)"),
    .timeLimit(.minutes(5)))
struct PostgresPoolTests {
    @Test("Every kind of parameter comes back as it went")
    func values() async throws {
        let pool = try await pool()
        let text = "gr\u{fc}\u{df}e \u{1F6B2} '\"\\"
        try await pool.statements { session in
            let rows = try session.query(
                "SELECT $1::bigint, $2::float8, $3::boolean, $4::text, $5::text, $6::bigint",
                [.int(.min), .double(-0.1), .bool(true), .text(text), .text(nil), .int(nil)])
            var row = try #require(rows.first)
            let (least, tenth, flag, words) = (try row.int(), try row.double(), try row.bool(), try row.text())
            #expect((least, tenth, flag, words) == (.min, -0.1, true, text))
            let (noText, noNumber) = (try row.optionalText(), try row.optionalInt())
            #expect(noText == nil && noNumber == nil)
            for column in ["'x'::text", "NULL::bigint", "0.5::float8"] {
                let wrong = try session.query("SELECT \(column)")
                #expect(throws: SQLColumnError.self) { try wrong.int() }
            }
        }
    }

    @Test("Rows that are written and looked up by the thousand are those that were given, gaps and none at all too")
    func bulk() async throws {
        let pool = try await pool()
        try await pool.statements { session in
            try session.run(
                script: """
                    CREATE TABLE t (subject bigint, minute bigint, name text, size float8, PRIMARY KEY (subject, minute))
                    """)
            let table = SQLTable(name: "t", key: ["subject", "minute"], columns: ["name", "size"])
            let rows: [[SQLValue]] = (0..<7_000).map { number in
                [.int(1), .int(number), .text(number % 2 == 0 ? nil : "a\0b"), .double(0.5)]
            }
            for _ in 1...2 { try session.upsert(rows, into: table) }
            try session.upsert([[.int(1), .int(3), .text("c"), .double(0.5)]], into: table)
            let found = try session.find("name, size", in: table, [[1, 9_999], [1, 3], [2, 4], [1, 4], [1, 5]])
            #expect(found.map { $0 == nil } == [true, false, true, false, false])
            let names = try found.compactMap(\.self).map { row in
                var row = row
                return try row.optionalText()
            }
            #expect(names == ["c", nil, "a\u{FFFD}b"])
            try session.upsert([], into: table)
            #expect(try session.find("name", in: table, []).isEmpty)
        }
    }

    @Test("Statements in one round trip give the rows of each, and see what those before them did")
    func pipeline() async throws {
        let pool = try await pool()
        try await pool.statements { session in
            let rows = try session.execute([
                SQLStatement("CREATE TEMPORARY TABLE t (n bigint)"),
                SQLStatement("SELECT generate_series($1::bigint, $2::bigint)", [.int(5), .int(7)]),
            ])
            #expect(rows.map(\.rows.count) == [0, 3])
            let later = try session.execute([
                SQLStatement("INSERT INTO t VALUES ($1), ($2)", [.int(1), .int(2)]),
                SQLStatement("SELECT n FROM t ORDER BY n"),
            ])
            #expect(later[0].changedCount == 2)
            #expect(try later[1].rows.map { try [$0].int() } == [1, 2])
            #expect(try session.execute([] as [SQLStatement]).isEmpty)
        }
    }

    @Test("Behind one that fails no statement of its round trip is executed, and the connection is good for the next")
    func pipelineFailure() async throws {
        let pool = try await pool(PostgresLimits(maximumConnections: 1))
        try await pool.statements { try $0.run(script: "CREATE TABLE t (n bigint)") }
        let error = await #expect(throws: HistoryError.self) {
            try await pool.statements { session in
                _ = try session.execute([
                    SQLStatement("SELECT 1 / $1::bigint", [.int(0)]),
                    SQLStatement("INSERT INTO t VALUES ($1)", [.int(1)]),
                ])
            }
        }
        #expect("\(try #require(error))".contains("22012"))
        let count = try await pool.statements { try $0.query("SELECT count(*) FROM t").int() }
        #expect(count == 0)
    }

    @Test("A connection that the server ends amid statements in one round trip is an error, and the next is good")
    func pipelineEnded() async throws {
        let pool = try await pool(PostgresLimits(maximumConnections: 1))
        let error = await #expect(throws: HistoryError.self) {
            try await pool.statements { session in
                _ = try session.execute([
                    SQLStatement("SELECT pg_terminate_backend(pg_backend_pid())"), SQLStatement("SELECT 1"),
                ])
            }
        }
        guard case .serverAway? = error else {
            Issue.record("it was \(String(describing: error))")
            return
        }
        let one = try await pool.statements { try $0.execute([SQLStatement("SELECT 1::bigint")])[0].rows.int() }
        #expect(one == 1)
    }

    @Test("A body that throws leaves nothing, and the connection is good for the next")
    func rollback() async throws {
        let pool = try await pool()
        try await pool.statements { session in try session.run(script: "CREATE TABLE t (n bigint)") }
        await #expect(throws: CancellationError.self) {
            try await pool.transaction { session in
                try session.change("INSERT INTO t VALUES ($1)", [.int(1)])
                throw CancellationError()
            }
        }
        let count = try await pool.transaction(isSnapshot: true) { try $0.query("SELECT count(*) FROM t").int() }
        #expect(count == 0)
        let error = await #expect(throws: HistoryError.self) {
            try await pool.transaction(isSnapshot: true) { _ = try $0.query("SELECT nonsense") }
        }
        #expect("\(try #require(error))".contains("42703"))
    }

    @Test("Work waits for a connection")
    func limits() async throws {
        let pool = try await pool(PostgresLimits(maximumConnections: 1))
        let sums = try await withThrowingTaskGroup(of: Int64?.self) { group in
            for _ in 0..<5 { group.addTask { try await pool.statements { try $0.query("SELECT 1::bigint").int() } } }
            return try await group.reduce(0) { $0 + ($1 ?? 0) }
        }
        #expect(sums == 5)
    }

    @Test("A statement that takes too long is ended, and the connection is good for the next")
    func statementTimeout() async throws {
        let pool = try await pool(PostgresLimits(maximumConnections: 1, statementSeconds: 0.2))
        let error = await #expect(throws: HistoryError.self) {
            try await pool.statements { try $0.run(script: "SELECT pg_sleep(60)") }
        }
        #expect("\(try #require(error))".contains("did not answer within 0.2 s"))
        try await pool.statements { try $0.run(script: "SELECT 1") }
    }

    @Test("A connection that the server has ended is made again without anybody noticing")
    func ended() async throws {
        let pool = try await pool(PostgresLimits(maximumConnections: 1), name: "ended by a test")
        try await pool.statements { try $0.run(script: "SELECT 1") }
        let other = try await PrivatePostgres.shared().address("postgres")
        let killer = PostgresPool(other, applicationName: "killer")
        try await killer.statements { session in
            try session.run(
                script:
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended by a test'")
        }
        await killer.close()
        let one = try await pool.transaction { try $0.query("SELECT 1::bigint").int() }
        #expect(one == 1)
        await pool.close()
        await #expect(throws: HistoryError.closed) { try await pool.statements { try $0.run(script: "SELECT 1") } }
    }

    @Test("A connection is encrypted where the address says so, and refused where the certificate is another one")
    func encryption() async throws {
        let server = try await PrivatePostgres(isEncrypted: true)
        for (certificate, isTrusted) in [(server.certificate, true), ("/dev/null", false)] {
            let address = try PostgresAddress(server.encryptedURL("postgres", trusting: certificate))
            let pool = PostgresPool(address, applicationName: "tests")
            do {
                let isEncrypted = try await pool.statements { session in
                    var row = try session.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").first
                    return try row?.bool()
                }
                #expect(isTrusted && isEncrypted == true)
            } catch let error as HistoryError {
                guard case .serverAway = error else { throw error }
                #expect(!isTrusted)
            }
            await pool.close()
        }
        await server.stop()
    }

    private func pool(
        _ limits: PostgresLimits = PostgresLimits(), name: String = "tests"
    ) async throws -> PostgresPool {
        let address = try await PrivatePostgres.shared().database()
        return PostgresPool(address, applicationName: name, limits: limits)
    }
}

extension [SQLRow] {
    /// The first column of the first row.
    func int() throws -> Int64? {
        guard var row = first else { return nil }
        return try row.int()
    }
}
