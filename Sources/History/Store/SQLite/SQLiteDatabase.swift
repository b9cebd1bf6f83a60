import Foundation
import GRDB
import GRDBSQLite
import ServiceKit
import Synchronization
import Wire

/// History in one SQLite file: the embedded default; or the same in memory.
///
/// One writer, and readers that never wait for it. One process may keep the file; a second one is refused, but may read
/// beside it.
package final class SQLiteDatabase: SQLDatabase {
    private let file: StoreDatabase
    private let isClosed = Atomic<Bool>(false)

    /// The path of the file.
    package var name: String { file.path }

    /// The file's name inside the data folder.
    package static let fileName = "history.sqlite"
    /// The most readers at the same time.
    private static let maximumReaders = 4
    /// The memory of the writer for pages of the file, in KiB: enough for the pages that most commits change.
    private static let writerCacheKibibytes = 65_536

    private init(_ file: StoreDatabase) { self.file = file }

    /// The path of the file in a data folder.
    package static func path(in directory: String) -> String {
        URL(filePath: directory, directoryHint: .isDirectory).appending(path: fileName).path(percentEncoded: false)
    }

    /// Opens the file of a data folder, and makes both if need be. A damaged file is set aside under another name, and
    /// a new one begun; the note says so.
    static func open(
        in directory: String, busyTimeoutSeconds: Double
    ) throws(HistoryError) -> (database: SQLiteDatabase, note: String?) {
        let path = path(in: directory)
        var configuration = Configuration()
        configuration.label = "history"
        configuration.busyMode = .timeout(busyTimeoutSeconds)
        do {
            let file = try StoreDatabase(
                path, lock: path + ".lock", readers: maximumReaders, configuration: configuration
            ) { db in
                try db.execute(sql: "PRAGMA cache_size = -\(writerCacheKibibytes)")
                // Another program's file would be filled with tables of ours.
                let hasTables = try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master)") ?? false
                try StoreSchema.sqlite.make(SQLiteSession(db: db), path: path, hasTables: hasTables)
            }
            let note = file.damage.map { problem, aside in
                "\(path) was damaged (\(problem)): set aside as \(aside); the counter is asked for its rows again"
            }
            return (SQLiteDatabase(file), note)
        } catch { throw HistoryError(error, path: path) }
    }

    /// Opens the file of a data folder to read it, perhaps beside the history that keeps it. The tables must be those
    /// of this program, because nothing may be changed.
    static func open(reading directory: String) throws(HistoryError) -> SQLiteDatabase {
        let path = path(in: directory)
        do {
            let file = try StoreDatabase(reading: path)
            let version = try file.look { db in
                try db.tableExists("schema_version") ? StoreSchema.version(SQLiteSession(db: db)) : 0
            }
            guard version == StoreSchema.version else { throw HistoryError.otherSchema(path: path) }
            return SQLiteDatabase(file)
        } catch { throw HistoryError(error, path: path) }
    }

    /// Begins a database in memory: it keeps what a file would, and is gone with this value.
    static func inMemory() throws(HistoryError) -> SQLiteDatabase {
        do {
            return SQLiteDatabase(
                try StoreDatabase(inMemory: Configuration()) { db in
                    try StoreSchema.sqlite.make(SQLiteSession(db: db), path: "memory", hasTables: false)
                })
        } catch { throw HistoryError(error, path: "memory") }
    }

    package func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        guard !isClosed.load(ordering: .relaxed) else { throw .closed }
        do { return try await file.write { db in try work(SQLiteSession(db: db)) } } catch {
            throw HistoryError(error, path: name)
        }
    }

    package func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        guard !isClosed.load(ordering: .relaxed) else { throw .closed }
        do { return try await file.read { db in try work(SQLiteSession(db: db)) } } catch {
            throw HistoryError(error, path: name)
        }
    }

    /// Ends all work with the file.
    package func close() async {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        try? file.close()
    }
}

extension HistoryStore {
    /// Opens the history of a data folder, and makes both if need be.
    /// - Parameters:
    ///   - directory: The data folder.
    ///   - defaultZone: The IANA name of the zone of devices whose config names none.
    ///   - maximumDevices: How many devices are kept; rows of further ones are refused and counted.
    ///   - busyTimeoutSeconds: How long to wait for another program that has the file locked.
    package static func sqlite(
        directory: String, defaultZone: String = "UTC",
        maximumDevices: Int = 100_000, busyTimeoutSeconds: Double = 5
    ) throws -> HistoryStore {
        let zone = try DayCalendar(zone: defaultZone)
        let (database, note) = try SQLiteDatabase.open(in: directory, busyTimeoutSeconds: busyTimeoutSeconds)
        return HistoryStore(database, defaultZone: zone, maximumDevices: maximumDevices, openingNote: note)
    }

    /// Begins a history in memory, for runs without a disk.
    package static func inMemory(
        defaultZone: String = "UTC", maximumDevices: Int = 100_000
    ) throws -> HistoryStore {
        HistoryStore(
            try SQLiteDatabase.inMemory(), defaultZone: try DayCalendar(zone: defaultZone),
            maximumDevices: maximumDevices)
    }

    /// Opens the history of a data folder to read it, perhaps beside the history that keeps it.
    package static func sqlite(
        reading directory: String, defaultZone: String = "UTC"
    ) throws -> HistoryStore {
        HistoryStore(
            try SQLiteDatabase.open(reading: directory), defaultZone: try DayCalendar(zone: defaultZone),
            maximumDevices: 0)
    }
}

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
