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
    package var name: String { database.name }

    /// - Parameters:
    ///   - onStatement: Is given statements, those of other calls in the form that SQLite executes, with the rows that they
    ///     gave.
    package init(
        _ database: any SQLDatabase, onStatement: @escaping @Sendable (SQLStatement, [SQLRow]) -> Void = { _, _ in },
        onCall: @escaping @Sendable (Call) async throws(HistoryError) -> Void = { _ throws(HistoryError) in }
    ) {
        (self.database, self.onCall, self.onStatement) = (database, onCall, onStatement)
    }

    package func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await onCall(.write)
        let onStatement = onStatement
        let result = try await database.write { try work(HookedSession(session: $0, onStatement: onStatement)) }
        try await onCall(.written)
        return result
    }

    package func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        try await onCall(.read(isSnapshot: isSnapshot))
        let onStatement = onStatement
        return try await database.read(isSnapshot: isSnapshot) {
            try work(HookedSession(session: $0, onStatement: onStatement))
        }
    }

    package func close() async { await database.close() }
}

private struct HookedSession: SQLSession {
    let session: any SQLSession
    let onStatement: @Sendable (SQLStatement, [SQLRow]) -> Void

    func execute(_ statements: [SQLStatement]) throws -> [SQLResult] {
        let results = try session.execute(statements)
        for (statement, result) in zip(statements, results) { onStatement(statement, result.rows) }
        return results
    }

    func run(script: String) throws { try session.run(script: script) }

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
