import GRDB
import GRDBSQLite

/// A prepared statement that is executed for many rows of a commit: values go to SQLite and come from it one by one,
/// without the arrays that GRDB makes of them.
///
/// It is used like a pen: `bind` what the statement asks for in order, then `execute`, or `read` its rows; each ends
/// with the statement ready for the next.
final class RowStatement {
    private let statement: Statement
    private let db: Database
    private var position: Int32 = 0
    /// What a binding was refused for, until the execution can say so.
    private var refusal = SQLITE_OK

    init(_ sql: String, _ db: Database) throws {
        statement = try db.cachedStatement(sql: sql)
        self.db = db
    }

    func bind(_ value: Int64) {
        position += 1
        note(sqlite3_bind_int64(statement.sqliteStatement, position, value))
    }

    func bind(_ value: Int64?) {
        if let value { return bind(value) }
        position += 1
        note(sqlite3_bind_null(statement.sqliteStatement, position))
    }

    func bind(_ value: Double) {
        position += 1
        note(sqlite3_bind_double(statement.sqliteStatement, position, value))
    }

    func bind(_ text: String) {
        position += 1
        var text = text
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                sqlite3_bind_text(
                    statement.sqliteStatement, position, bytes.baseAddress, Int32(clamping: bytes.count), Self.copied)
            }
        }
        note(code)
    }

    func bind(_ counts: Counts) {
        bind(counts.steps)
        bind(counts.revolutions)
        bind(counts.distanceMillimetres)
        bind(counts.activeMilliseconds)
        bind(counts.coveredMilliseconds)
        bind(counts.floors?.ascended)
        bind(counts.floors?.descended)
    }

    /// Executes with what is bound.
    func execute() throws {
        defer { reset() }
        while try step() {}
    }

    /// Executes with what is bound, and reads each row while it is there.
    func read<Element>(_ row: (RowStatement) throws -> Element) throws -> [Element] {
        defer { reset() }
        var elements: [Element] = []
        while try step() { elements.append(try row(self)) }
        return elements
    }

    /// Executes with what is bound, and reads the first row, if there is one.
    func readOne<Element>(_ row: (RowStatement) throws -> Element) throws -> Element? {
        defer { reset() }
        return try step() ? try row(self) : nil
    }

    /// A column of the present row.
    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(statement.sqliteStatement, column) }

    /// A column of the present row; empty where it has no text.
    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(statement.sqliteStatement, column) else { return "" }
        let count = Int(sqlite3_column_bytes(statement.sqliteStatement, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// A column of the present row that may be null.
    func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }

    /// A column of the present row that may be null.
    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    private func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement.sqliteStatement, column) == SQLITE_NULL
    }

    /// The column behind those of `Counts.columns`, where these come first.
    static let countsEnd = Int32(Counts.columnCount)

    /// Columns of the present row, from one on.
    func counts(from column: Int32) -> Counts {
        var counts = Counts()
        counts.steps = int(column)
        counts.revolutions = int(column + 1)
        counts.distanceMillimetres = int(column + 2)
        counts.activeMilliseconds = int(column + 3)
        counts.coveredMilliseconds = int(column + 4)
        counts.floors = Floors(ascended: optionalInt(column + 5), descended: optionalInt(column + 6))
        return counts
    }

    private func step() throws -> Bool {
        switch refusal == SQLITE_OK ? sqlite3_step(statement.sqliteStatement) : refusal {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: db.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }, sql: statement.sql)
        }
    }

    private func note(_ code: Int32) {
        if code != SQLITE_OK { refusal = code }
    }

    /// What the reset says was said by the step before it.
    private func reset() {
        _ = sqlite3_reset(statement.sqliteStatement)
        position = 0
        refusal = SQLITE_OK
    }

    /// SQLITE_TRANSIENT, so that SQLite copies the text before it returns. It is cast without a check, because in C it
    /// is a number that stands for a function and is never called.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
