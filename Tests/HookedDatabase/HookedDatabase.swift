package import History

/// A database that tells a test what is done with it, and waits or fails where the test does.
package final class HookedDatabase: SQLDatabase {
    /// A transaction: before it begins and, where it writes, after it is done.
    package enum Call: Sendable, Equatable {
        case read(isSnapshot: Bool)
        case write
        case written
    }

    private let database: any SQLDatabase
    private let onCall: @Sendable (Call) async throws(HistoryError) -> Void
    private let onStatement: @Sendable (SQLStatement, [SQLRow]) -> Void
    private let onLock: @Sendable (SQLLock) -> Void
    package var name: String { database.name }

    /// What the statement of a query that locks rows ends with.
    package static let lockingMark = " -- locks"

    /// - Parameters:
    ///   - onStatement: Is given statements, those of other calls in the form that SQLite executes, with the rows that they
    ///     gave.
    package init(
        _ database: any SQLDatabase, onStatement: @escaping @Sendable (SQLStatement, [SQLRow]) -> Void = { _, _ in },
        onLock: @escaping @Sendable (SQLLock) -> Void = { _ in },
        onCall: @escaping @Sendable (Call) async throws(HistoryError) -> Void = { _ throws(HistoryError) in }
    ) {
        (self.database, self.onCall) = (database, onCall)
        (self.onStatement, self.onLock) = (onStatement, onLock)
    }

    package func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await onCall(.write)
        let (onStatement, onLock) = (onStatement, onLock)
        let result = try await database.write { session in
            try work(HookedSession(session: session, onStatement: onStatement, onLock: onLock))
        }
        try await onCall(.written)
        return result
    }

    package func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await onCall(.read(isSnapshot: isSnapshot))
        let (onStatement, onLock) = (onStatement, onLock)
        return try await database.read(isSnapshot: isSnapshot) { session in
            try work(HookedSession(session: session, onStatement: onStatement, onLock: onLock))
        }
    }

    package func close() async { await database.close() }
}

private struct HookedSession: SQLSession {
    let session: any SQLSession
    let onStatement: @Sendable (SQLStatement, [SQLRow]) -> Void
    let onLock: @Sendable (SQLLock) -> Void

    var forUpdate: String { session.forUpdate + HookedDatabase.lockingMark }

    func execute(_ statements: [SQLStatement]) throws -> [SQLResult] {
        let results = try session.execute(statements)
        for (statement, result) in zip(statements, results) { onStatement(statement, result.rows) }
        return results
    }

    func run(script: String) throws { try session.run(script: script) }

    func lock(_ lock: SQLLock) throws {
        onLock(lock)
        try session.lock(lock)
    }

    func find(_ columns: String, in table: SQLTable, _ keys: [[Int64]]) throws -> [SQLRow?] {
        let rows = try session.find(columns, in: table, keys)
        let condition = table.key.enumerated().map { "\($1) = $\($0 + 1)" }.joined(separator: " AND ")
        for (key, row) in zip(keys, rows) {
            onStatement(
                SQLStatement("SELECT \(columns) FROM \(table.name) WHERE \(condition)", key.map { .int($0) }),
                row.map { [$0] } ?? [])
        }
        return rows
    }

    func upsert(_ rows: [[SQLValue]], into table: SQLTable) throws { try session.upsert(rows, into: table) }

    func sums(of subject: Int64, in ranges: [Range<Int64>]) throws -> [CountSum] {
        for range in ranges {
            onStatement(
                SQLStatement(
                    "SELECT * FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3",
                    [.int(subject), .int(range.lowerBound), .int(range.upperBound)]), [])
        }
        return try session.sums(of: subject, in: ranges)
    }
}
