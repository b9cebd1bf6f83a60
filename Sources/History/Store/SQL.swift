import Wire

/// A parameter of a statement, or a column of a row. A missing value keeps its type, which PostgreSQL needs.
package enum SQLValue: Sendable, Equatable {
    /// A whole number of 64 bits; `nil` is NULL.
    case int(Int64?)
    /// A number with a fraction.
    case double(Double)
    /// True or false; SQLite keeps 1 or 0.
    case bool(Bool)
    /// A text; `nil` is NULL.
    case text(String?)
    /// Bytes; `nil` is NULL.
    case bytes([UInt8]?)
}

/// A statement with the values of its parameters `$1`, `$2`, ….
package struct SQLStatement: Sendable {
    package var sql: String
    package var parameters: [SQLValue]

    package init(_ sql: String, _ parameters: [SQLValue] = []) { (self.sql, self.parameters) = (sql, parameters) }
}

/// The result of a statement.
package struct SQLResult: Sendable {
    /// The rows of a query, or of `RETURNING`.
    package var rows: [SQLRow]
    /// The number of rows inserted, updated or deleted.
    package var changedCount: Int
}

/// A row of a result, read column by column from the left.
package struct SQLRow: Sendable {
    private let values: [SQLValue]
    private var column = 0

    init(_ values: [SQLValue]) { self.values = values }

    var count: Int { values.count }

    /// The next column as a whole number.
    package mutating func int() throws(SQLColumnError) -> Int64 {
        guard let number = try optionalInt() else { throw SQLColumnError(column: column, expected: "a whole number") }
        return number
    }

    /// The next column as a whole number, or NULL.
    package mutating func optionalInt() throws(SQLColumnError) -> Int64? {
        switch next() {
        case .int(let number): return number
        case .text(nil), .bytes(nil): return nil
        default: throw SQLColumnError(column: column, expected: "a whole number")
        }
    }

    /// The next column as a number with a fraction.
    package mutating func double() throws(SQLColumnError) -> Double {
        switch next() {
        case .double(let number): return number
        case .int(let number?): return Double(number)
        default: throw SQLColumnError(column: column, expected: "a number")
        }
    }

    /// The next column as true or false.
    package mutating func bool() throws(SQLColumnError) -> Bool {
        switch next() {
        case .bool(let flag): return flag
        case .int(let number?): return number != 0
        default: throw SQLColumnError(column: column, expected: "true or false")
        }
    }

    /// The next column as a text.
    package mutating func text() throws(SQLColumnError) -> String {
        guard let text = try optionalText() else { throw SQLColumnError(column: column, expected: "a text") }
        return text
    }

    /// The next column as a text, or NULL.
    package mutating func optionalText() throws(SQLColumnError) -> String? {
        switch next() {
        case .text(let text): return text
        case .int(nil): return nil
        default: throw SQLColumnError(column: column, expected: "a text")
        }
    }

    /// The next column as bytes, or NULL.
    package mutating func optionalBytes() throws(SQLColumnError) -> [UInt8]? {
        switch next() {
        case .bytes(let bytes): return bytes
        case .int(nil), .text(nil): return nil
        default: throw SQLColumnError(column: column, expected: "bytes")
        }
    }

    private mutating func next() -> SQLValue? {
        defer { column += 1 }
        return values.indices.contains(column) ? values[column] : nil
    }
}

extension Collection where Element == SQLRow {
    /// Reads each row; rows that give `nil` are left out.
    func read<Value>(_ body: (inout SQLRow) throws -> Value?) rethrows -> [Value] {
        try compactMap { row in
            var row = row
            return try body(&row)
        }
    }
}

/// A column that does not hold what this program writes to it.
package struct SQLColumnError: Error, CustomStringConvertible {
    /// Counted from 1.
    var column: Int
    var expected: String

    package var description: String { "column \(column) is not \(expected)" }
}

/// A table with a key, for statements that touch many of its rows at once.
package struct SQLTable: Sendable {
    package let name: String
    /// The columns that identify a row.
    package let key: [String]
    /// The other columns that are written, in order.
    let columns: [String]
    /// True if a row with an equal or greater `revision` stays as it is.
    var keepsNewest = false

    /// `key`, then `columns`.
    var allColumns: [String] { key + columns }

    /// The clause of an insert for a key that is there already.
    var onConflict: String {
        """
        ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE
        SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        \(keepsNewest ? "WHERE excluded.revision > \(name).revision" : "")
        """
    }
}

/// Statements within a transaction. One text serves both databases; what must differ for speed has a function here.
package protocol SQLSession {
    /// Executes statements in order, in one round trip where there is a server. None can use what another gives.
    func execute(_ statements: [SQLStatement]) throws -> [SQLResult]

    /// Executes several statements without parameters.
    func run(script: String) throws

    /// The columns of the rows with some keys, which are whole numbers; `nil` where there is no such row.
    func find(_ columns: String, in table: SQLTable, _ keys: [[Int64]]) throws -> [SQLRow?]

    /// Inserts rows, or replaces those that are there; see `SQLTable.onConflict`. No key may come twice.
    func upsert(_ rows: [[SQLValue]], into table: SQLTable) throws

    /// Sums the minutes of one subject up, in each of some ranges, in order.
    func sums(of subject: Int64, in ranges: [Range<Int64>]) throws -> [CountSum]
}

extension SQLSession {
    /// Executes a statement and gives its rows.
    package func query(_ sql: String, _ parameters: [SQLValue] = []) throws -> [SQLRow] {
        try execute([SQLStatement(sql, parameters)]).first?.rows ?? []
    }

    /// The first column of the first row of a query; `nil` for NULL and where there is no row.
    func number(_ sql: String, _ parameters: [SQLValue] = []) throws -> Int64? {
        var row = try query(sql, parameters).first
        return try row?.optionalInt()
    }

    /// Executes a statement.
    /// - Returns: How many rows it has changed.
    @discardableResult
    package func change(_ sql: String, _ parameters: [SQLValue] = []) throws -> Int {
        try execute([SQLStatement(sql, parameters)]).first?.changedCount ?? 0
    }
}

/// A database: SQLite's file, or a PostgreSQL server.
package protocol SQLDatabase: Sendable {
    /// Its path, or its address without a password.
    var name: String { get }

    /// Does something in a transaction that writes; one is done after the other. It may be done again where a connection was
    /// lost, so it must have no other effects.
    func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result

    /// Does something that only reads, beside the one that writes.
    /// - Parameter isSnapshot: Whether all statements see the same; one statement alone always does.
    func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result

    /// How often a connection to the server was lost: after it another server may answer, with less. A file has none.
    var lostConnections: UInt64 { get }

    /// Ends all work. Later calls throw `HistoryError.closed`.
    func close() async
}

extension SQLDatabase {
    package var lostConnections: UInt64 { 0 }
}
