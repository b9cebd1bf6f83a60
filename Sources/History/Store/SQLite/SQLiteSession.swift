import GRDB
import GRDBSQLite
import Wire

/// Statements on a connection of GRDB, whose values go to SQLite and come from it directly: a commit executes some
/// statements for thousands of rows, and GRDB's rows and arguments cost as much as SQLite itself there.
struct SQLiteSession: SQLSession {
    let db: Database

    func run(script: String) throws { try db.execute(sql: script) }

    func execute(_ statements: [SQLStatement]) throws -> [SQLResult] {
        var prepared: (sql: String, statement: PreparedStatement)?
        return try statements.map { wanted in
            if prepared?.sql != wanted.sql { prepared = (wanted.sql, try PreparedStatement(wanted.sql, db)) }
            let rows = try prepared?.statement.execute(wanted.parameters) ?? []
            return SQLResult(rows: rows, changedCount: db.changesCount)
        }
    }

    func find(_ columns: String, in table: SQLTable, _ keys: [[Int64]]) throws -> [SQLRow?] {
        let condition = table.key.enumerated().map { "\($1) = $\($0 + 1)" }.joined(separator: " AND ")
        let statement = try PreparedStatement("SELECT \(columns) FROM \(table.name) WHERE \(condition)", db)
        return try keys.map { try statement.execute($0.map { .int($0) }).first }
    }

    func upsert(_ rows: [[SQLValue]], into table: SQLTable) throws {
        let columns = table.allColumns
        let values = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let statement = try PreparedStatement(
            "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(values)) \(table.onConflict)", db)
        for row in rows { _ = try statement.execute(row) }
    }

    func sums(of subject: Int64, in ranges: [Range<Int64>]) throws -> [CountSum] {
        let sql = "SELECT \(CountSum.aggregates) FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3"
        let statements = ranges.map { range in
            SQLStatement(sql, [.int(subject), .int(range.lowerBound), .int(range.upperBound)])
        }
        return try execute(statements).flatMap { try $0.rows.read { try CountSum(aggregates: &$0) } }
    }
}

/// A statement that is compiled once and executed with several lists of parameters.
private struct PreparedStatement {
    private let statement: Statement
    private let db: Database
    /// The index in the list of each of SQLite's parameters, which are numbered as they first appear in the text.
    private let order: [Int]

    init(_ sql: String, _ db: Database) throws {
        statement = try db.cachedStatement(sql: sql)
        self.db = db
        order = (0..<sqlite3_bind_parameter_count(statement.sqliteStatement)).map { [statement] index in
            let name = sqlite3_bind_parameter_name(statement.sqliteStatement, index + 1)
            return (name.flatMap { Int(String(cString: $0 + 1)) } ?? Int(index) + 1) - 1
        }
    }

    func execute(_ parameters: [SQLValue]) throws -> [SQLRow] {
        let handle = statement.sqliteStatement
        // An error of the reset repeats the error of the step before it.
        defer { sqlite3_reset(handle) }
        for (index, place) in order.enumerated() where parameters.indices.contains(place) {
            try check(bind(parameters[place], at: Int32(index + 1), handle))
        }
        var rows: [SQLRow] = []
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: rows.append(row(handle))
            case SQLITE_DONE: return rows
            case let code: try check(code)
            }
        }
    }

    private func bind(_ value: SQLValue, at index: Int32, _ handle: OpaquePointer) -> Int32 {
        switch value {
        case .int(nil), .text(nil), .bytes(nil): return sqlite3_bind_null(handle, index)
        case .int(let number?): return sqlite3_bind_int64(handle, index, number)
        case .double(let number): return sqlite3_bind_double(handle, index, number)
        case .bool(let flag): return sqlite3_bind_int64(handle, index, flag ? 1 : 0)
        case .text(var text?):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    sqlite3_bind_text(handle, index, bytes.baseAddress, Int32(clamping: bytes.count), Self.copied)
                }
            }
        case .bytes(let bytes?):
            return bytes.withUnsafeBytes {
                sqlite3_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count), Self.copied)
            }
        }
    }

    private func row(_ handle: OpaquePointer) -> SQLRow {
        SQLRow(
            (0..<sqlite3_column_count(handle)).map { column in
                switch sqlite3_column_type(handle, column) {
                case SQLITE_INTEGER: return .int(sqlite3_column_int64(handle, column))
                case SQLITE_FLOAT: return .double(sqlite3_column_double(handle, column))
                case SQLITE_NULL: return .int(nil)
                case SQLITE_BLOB:
                    let count = Int(sqlite3_column_bytes(handle, column))
                    let bytes = UnsafeRawBufferPointer(start: sqlite3_column_blob(handle, column), count: count)
                    return .bytes(Array(bytes))
                default:
                    guard let bytes = sqlite3_column_text(handle, column) else { return .text(nil) }
                    let count = Int(sqlite3_column_bytes(handle, column))
                    return .text(
                        String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
                }
            })
    }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: db.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }, sql: statement.sql)
    }

    /// SQLITE_TRANSIENT, so that SQLite copies the bytes before it returns. It is cast without a check, because in C it
    /// is a number that stands for a function and is never called.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
