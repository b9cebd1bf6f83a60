import ServiceKit

/// A connection while a piece of work has it: statements are prepared once, and answers waited for on the thread of
/// the connection. It must not be kept beyond that work.
package final class PostgresSession: SQLSession {
    private let connection: PostgresConnection
    /// The names of statements by their texts, of which there are as many as in this program.
    private var prepared: [String: String] = [:]
    /// True if a COMMIT was sent whose answer has not come.
    private(set) var mayHaveCommitted = false

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// The address of the database, without a password.
    package var server: String { connection.server }

    var isLost: Bool { connection.isLost }

    package func run(script: String) throws { _ = try connection.run(script) }

    /// Executes statements in one round trip; each is prepared at its first use. Each sees what was committed before
    /// it, unless the transaction is a snapshot; after one that fails those behind it are not executed.
    package func execute(_ statements: [SQLStatement]) throws -> [SQLResult] {
        try execute(statements.map { ($0.sql, $0.parameters.map { PostgresParameter($0) }) })
    }

    func execute(_ statements: [(sql: String, parameters: [PostgresParameter])]) throws(HistoryError) -> [SQLResult] {
        var named: [(name: String, parameters: [PostgresParameter])] = []
        for (sql, parameters) in statements { named.append((try name(of: sql, parameters), parameters)) }
        guard !named.isEmpty else { return [] }
        var results: [SQLResult] = []
        for answer in try connection.execute(named) { results.append(try answer.values()) }
        return results
    }

    /// Does something in a transaction.
    func transaction<Result>(
        isSnapshot: Bool, _ body: (PostgresSession) throws -> Result
    ) throws -> Result {
        mayHaveCommitted = false
        try run(
            script: isSnapshot
                ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        do {
            let result = try body(self)
            try commit()
            return result
        } catch {
            if !isLost { try run(script: "ROLLBACK") }
            throw error
        }
    }

    private func commit() throws(HistoryError) {
        mayHaveCommitted = true
        let tag = try connection.run("COMMIT").commandTag
        mayHaveCommitted = false
        // COMMIT of a failed transaction rolls it back without an error.
        guard tag == "COMMIT" else { throw .store(.database(path: server, problem: "a transaction ended with \(tag)")) }
    }

    private func name(of sql: String, _ parameters: [PostgresParameter]) throws(HistoryError) -> String {
        if let name = prepared[sql] { return name }
        let name = "s\(prepared.count)"
        try connection.prepare(name, sql, types: parameters.map(\.type))
        prepared[sql] = name
        return name
    }
}

// MARK: - Many rows

/// Statements that touch many rows at once: a column of parameters is one array, and `unnest` makes rows of them.
/// Thousands of executions of a statement for one row would take the server ten times as long.
extension PostgresSession {
    package func upsert(_ rows: [[SQLValue]], into table: SQLTable) throws {
        guard !rows.isEmpty else { return }
        let (unnested, arrays) = Self.unnest(rows)
        let sql = """
            INSERT INTO \(table.name) (\(table.allColumns.joined(separator: ", "))) SELECT * FROM \(unnested)
            \(table.onConflict)
            """
        _ = try execute([(sql, arrays)])
    }

    /// `OFFSET 0` has each key looked up by the index. Where a table is new the planner knows nothing of its rows, and
    /// once compared all of them with every key.
    package func find(_ columns: String, in table: SQLTable, _ keys: [[Int64]]) throws -> [SQLRow?] {
        guard !keys.isEmpty else { return [] }
        let (name, key) = (table.name, table.key)
        let condition = key.map { "\(name).\($0) = wanted.\($0)" }.joined(separator: " AND ")
        let (unnested, arrays) = Self.unnest(keys.map { $0.map { .int($0) } })
        let sql = """
            SELECT wanted.number, found.* FROM \(unnested) WITH ORDINALITY
                AS wanted (\(key.joined(separator: ", ")), number)
            CROSS JOIN LATERAL (SELECT \(columns) FROM \(name) WHERE \(condition) OFFSET 0) AS found
            """
        var rows = [SQLRow?](repeating: nil, count: keys.count)
        for var row in try execute([(sql, arrays)])[0].rows {
            let index = Int(clamping: try row.int() - 1)
            if rows.indices.contains(index) { rows[index] = row }
        }
        return rows
    }

    package func sums(of subject: Int64, in ranges: [Range<Int64>]) throws -> [CountSum] {
        let (unnested, arrays) = Self.unnest(ranges.map { [.int($0.lowerBound), .int($0.upperBound)] })
        let sql = """
            SELECT sums.* FROM \(unnested) WITH ORDINALITY AS range (first, last, number)
            CROSS JOIN LATERAL (
                SELECT \(CountSum.aggregates) FROM minutes
                WHERE subject = $3 AND minute >= range.first AND minute < range.last
            ) AS sums ORDER BY range.number
            """
        let found = try execute([(sql, arrays + [PostgresParameter(.int(subject))])])[0].rows
            .read { try CountSum(aggregates: &$0) }
        guard found.count == ranges.count else {
            throw StoreError.database(path: server, problem: "\(found.count) sums for \(ranges.count) ranges")
        }
        return found
    }

    /// The rows as a table of `$1`, `$2`, …, a column each.
    private static func unnest(_ rows: [[SQLValue]]) -> (sql: String, arrays: [PostgresParameter]) {
        let columns = (rows.first ?? []).indices
        let types = (rows.first ?? []).map { value in
            switch value {
            case .int: "bigint[]"
            case .double: "double precision[]"
            case .bool: "boolean[]"
            case .text: "text[]"
            case .bytes: "bytea[]"
            }
        }
        let arguments = columns.map { "$\($0 + 1)::\(types[$0])" }.joined(separator: ", ")
        return ("unnest(\(arguments))", columns.map { column in PostgresParameter(array: rows.map { $0[column] }) })
    }
}
