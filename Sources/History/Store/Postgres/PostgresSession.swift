/// A connection while a piece of work has it: statements are prepared once, and answers waited for on the thread of
/// the connection. It must not be kept beyond that work.
package final class PostgresSession: SQLSession {
    private let connection: PostgresConnection
    private let limits: PostgresLimits
    private var prepared: [String: String] = [:]
    private var preparedCount = 0
    /// Whether a COMMIT was sent whose answer has not come.
    private(set) var mayHaveCommitted = false

    init(_ connection: PostgresConnection, limits: PostgresLimits) {
        self.connection = connection
        self.limits = limits
    }

    /// Where the database is, without a password.
    package var server: String { connection.server }

    var isLost: Bool { connection.isLost }

    package let forUpdate = " FOR UPDATE"

    package func run(script: String) throws { _ = try connection.run(script) }

    package func lock(number: Int64) throws { _ = try query("SELECT pg_advisory_xact_lock($1)::text", [.int(number)]) }

    /// Executes statements in one round trip; each is prepared at its first use. Each sees what was committed before
    /// it, unless the transaction says otherwise; after one that fails those behind it are not executed.
    package func execute(_ statements: [SQLStatement]) throws -> [SQLResult] {
        try execute(statements.map { ($0.sql, $0.parameters.map { PostgresParameter($0) }) })
    }

    func execute(_ statements: [(sql: String, parameters: [PostgresParameter])]) throws(PostgresError) -> [SQLResult] {
        var named: [(name: String, parameters: [PostgresParameter])] = []
        for (sql, parameters) in statements { named.append((try name(of: sql, parameters), parameters)) }
        guard !named.isEmpty else { return [] }
        guard named.count != 1 else {
            return [try connection.execute(named[0].name, named[0].parameters).values()]
        }
        var results: [SQLResult] = []
        for answer in try connection.executeAll(named) { results.append(try answer.values()) }
        return results
    }

    /// Does something in a transaction, which is begun anew when other transactions are in its way.
    func transaction<Result>(
        _ kind: PostgresTransaction, _ body: (PostgresSession) throws -> Result
    ) throws -> Result {
        var tries = 1
        while true {
            do {
                return try attempt(kind, body)
            } catch let error as PostgresError
                where error.isSerializationConflict && tries < limits.maximumTransactionTries
            {
                tries += 1
            }
        }
    }

    private func attempt<Result>(
        _ kind: PostgresTransaction, _ body: (PostgresSession) throws -> Result
    ) throws -> Result {
        mayHaveCommitted = false
        try run(script: kind.beginning)
        do {
            let result = try body(self)
            try commit()
            return result
        } catch {
            if !isLost { try run(script: "ROLLBACK") }
            throw error
        }
    }

    private func commit() throws(PostgresError) {
        mayHaveCommitted = true
        let tag = try connection.run("COMMIT").commandTag
        mayHaveCommitted = false
        // A transaction in which a statement has failed is rolled back without an error.
        guard tag == "COMMIT" else { throw .unexpectedResult(problem: "a transaction ended with \(tag)") }
    }

    private func name(of sql: String, _ parameters: [PostgresParameter]) throws(PostgresError) -> String {
        if let name = prepared[sql] { return name }
        if prepared.count >= limits.maximumPreparedStatements {
            prepared = [:]
            _ = try connection.run("DEALLOCATE ALL")
        }
        preparedCount += 1
        let name = "s\(preparedCount)"
        try connection.prepare(name, sql, types: parameters.map(\.type))
        prepared[sql] = name
        return name
    }
}

/// What a transaction may do and see.
package enum PostgresTransaction: Sendable {
    /// Writes; each statement sees what was committed before it.
    case readWrite
    /// Reads only; all statements see the same.
    case snapshot

    var beginning: String {
        switch self {
        case .readWrite: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
        case .snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
    }
}
