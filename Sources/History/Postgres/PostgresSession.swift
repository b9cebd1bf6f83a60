/// A connection while a piece of work has it: statements are prepared once, and answers waited for on the thread of
/// the connection. It must not be kept beyond the work that it was given to.
public final class PostgresSession {
    private let link: PostgresLink
    private let limits: PostgresLimits
    private var prepared: [String: String] = [:]
    private var preparedCount = 0
    /// Whether a COMMIT was sent whose answer has not come.
    private(set) var mayHaveCommitted = false

    init(_ link: PostgresLink, limits: PostgresLimits) {
        self.link = link
        self.limits = limits
    }

    /// Where the database is, without a password.
    public var server: String { link.server }

    var isLost: Bool { link.isLost }

    /// Runs one or several statements without parameters or results.
    public func run(_ script: String) throws(PostgresError) {
        _ = try link.run(script)
    }

    /// Executes a statement, prepared at its first use, and gives its rows. A parameter has the type of its value, so
    /// `NULL`s need a cast where the server cannot find one.
    public func query(_ sql: String, _ parameters: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
        try link.execute(try name(of: sql, parameters), parameters)
    }

    /// Executes a statement and gives its rows; see ``query(_:_:)``.
    public func query(_ statement: PostgresStatement) throws(PostgresError) -> PostgresRows {
        try query(statement.sql, statement.parameters)
    }

    /// Executes some statements in one round trip: none can use what another gives. Each sees what was committed before
    /// it, unless the transaction says otherwise; after one that fails those behind it are not executed.
    /// - Returns: The rows of each.
    public func queries(_ statements: [PostgresStatement]) throws(PostgresError) -> [PostgresRows] {
        var named: [(name: String, parameters: [PostgresValue])] = []
        for statement in statements {
            named.append((try name(of: statement.sql, statement.parameters), statement.parameters))
        }
        return try link.executeAll(named)
    }

    /// Executes a statement.
    /// - Returns: How many rows it has changed.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [PostgresValue] = []) throws(PostgresError) -> Int {
        try query(sql, parameters).changedCount
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
        try run(kind.beginning)
        do {
            let result = try body(self)
            try commit()
            return result
        } catch {
            if !isLost { try run("ROLLBACK") }
            throw error
        }
    }

    private func commit() throws(PostgresError) {
        mayHaveCommitted = true
        let tag = try link.run("COMMIT").commandTag
        mayHaveCommitted = false
        // A transaction in which a statement has failed is rolled back without an error.
        guard tag == "COMMIT" else { throw .unexpectedResult(problem: "a transaction ended with \(tag)") }
    }

    private func name(of sql: String, _ parameters: [PostgresValue]) throws(PostgresError) -> String {
        if let name = prepared[sql] { return name }
        if prepared.count >= limits.maximumPreparedStatements {
            prepared = [:]
            try run("DEALLOCATE ALL")
        }
        preparedCount += 1
        let name = "s\(preparedCount)"
        try link.prepare(name, sql, types: parameters.map(\.type))
        prepared[sql] = name
        return name
    }
}

/// What a transaction may do and see.
public enum PostgresTransaction: Sendable {
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
