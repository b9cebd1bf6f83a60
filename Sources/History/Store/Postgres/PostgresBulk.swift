/// Statements that touch many rows at once: a column of parameters is one array, and `unnest` makes rows of them.
/// Thousands of executions of a statement for one row would take the server ten times as long.
extension PostgresSession {
    /// How many rows are written with one statement at most.
    private static let rowsAStatement = 5_000

    package func upsert(_ rows: [[SQLValue]], into table: String, columns: [String], onConflict: String) throws {
        for part in Self.parts(rows) {
            let (unnested, arrays) = Self.unnest(part)
            let sql = """
                INSERT INTO \(table) (\(columns.joined(separator: ", "))) SELECT * FROM \(unnested) \(onConflict)
                """
            _ = try execute([(sql, arrays)])
        }
    }

    package func update(_ rows: [[SQLValue]], of table: String, columns: [String]) throws {
        let assignments = columns.dropFirst().map { "\($0) = new.\($0)" }.joined(separator: ", ")
        let key = columns.first ?? "id"
        for part in Self.parts(rows) {
            let (unnested, arrays) = Self.unnest(part)
            let sql = """
                UPDATE \(table) SET \(assignments) FROM \(unnested) AS new (\(columns.joined(separator: ", ")))
                WHERE \(table).\(key) = new.\(key)
                """
            _ = try execute([(sql, arrays)])
        }
    }

    /// `OFFSET 0` has each key looked up by the index. Where a month is new the planner knows nothing of its rows, and
    /// once compared all of them with every key. The least and the greatest of the second column, a minute or a date,
    /// tell it which partitions it need not look at.
    package func find(_ columns: String, in table: String, key: [String], _ keys: [[Int64]]) throws -> [SQLRow?] {
        let condition = key.map { "\(table).\($0) = wanted.\($0)" }.joined(separator: " AND ")
        let (unnested, arrays) = Self.unnest(keys.map { $0.map { .int($0) } })
        let times = keys.map { $0[1] }
        let sql = """
            SELECT wanted.number, found.* FROM \(unnested) WITH ORDINALITY
                AS wanted (\(key.joined(separator: ", ")), number)
            CROSS JOIN LATERAL (
                SELECT \(columns) FROM \(table) WHERE \(condition)
                AND \(table).\(key[1]) BETWEEN $\(key.count + 1) AND $\(key.count + 2) OFFSET 0
            ) AS found
            """
        let bounds = [times.min() ?? 0, times.max() ?? 0].map { PostgresParameter(.int($0)) }
        var rows = [SQLRow?](repeating: nil, count: keys.count)
        for var row in try execute([(sql, arrays + bounds)])[0].rows {
            let index = Int(clamping: try row.int() - 1)
            if rows.indices.contains(index) { rows[index] = row }
        }
        return rows
    }

    package func aggregate(
        _ columns: String, of table: String, device: Int64, in ranges: [Range<Int64>]
    ) throws -> [SQLRow] {
        let (unnested, arrays) = Self.unnest(ranges.map { [.int($0.lowerBound), .int($0.upperBound)] })
        let sql = """
            SELECT sums.* FROM \(unnested) WITH ORDINALITY AS range (first, last, number)
            CROSS JOIN LATERAL (
                SELECT \(columns) FROM \(table) WHERE device = $3 AND minute >= range.first AND minute < range.last
                AND minute >= $4 AND minute < $5
            ) AS sums ORDER BY range.number
            """
        let bounds: [Int64] = [device, ranges.map(\.lowerBound).min() ?? 0, ranges.map(\.upperBound).max() ?? 0]
        let rows = try execute([(sql, arrays + bounds.map { PostgresParameter(.int($0)) })])[0].rows
        guard rows.count == ranges.count else {
            throw PostgresError.unexpectedResult(problem: "\(rows.count) sums for \(ranges.count) ranges")
        }
        return rows
    }

    private static func parts(_ rows: [[SQLValue]]) -> [ArraySlice<[SQLValue]>] {
        stride(from: 0, to: rows.count, by: rowsAStatement).map { rows[$0..<min($0 + rowsAStatement, rows.count)] }
    }

    /// The rows as a table of `$1`, `$2`, …, a column each.
    private static func unnest(_ rows: some Collection<[SQLValue]>) -> (sql: String, arrays: [PostgresParameter]) {
        let columns = (rows.first ?? []).indices
        let types = (rows.first ?? []).map { value in
            switch value {
            case .int: "bigint[]"
            case .double: "double precision[]"
            case .bool: "boolean[]"
            case .text: "text[]"
            }
        }
        let arguments = columns.map { "$\($0 + 1)::\(types[$0])" }.joined(separator: ", ")
        return ("unnest(\(arguments))", columns.map { column in PostgresParameter(array: rows.map { $0[column] }) })
    }
}
