import Foundation
import GRDB
import ServiceKit
import Synchronization
import Wire

/// One SQLite file: the embedded default; or the same in memory.
///
/// Write-ahead log, one writer, readers that never wait for it, `synchronous=FULL` so that a commit is on the disk
/// when it returns. One process may keep the file; a second one is refused, but may read beside it.
package final class SQLiteDatabase: SQLDatabase {
    /// The path of the file.
    package let name: String
    private let pool: any DatabaseWriter
    /// Held as long as the file is kept; `nil` where it is only read, or closed.
    private let lock: Mutex<FileLock?>
    private let isClosed = Atomic<Bool>(false)

    /// The file's name inside the data folder.
    package static let fileName = "history.sqlite"
    /// The most readers at the same time.
    private static let maximumReaders = 4
    /// The largest file that is read through when it is opened, in bytes: some tenths of a second. A file of years takes minutes.
    static let maximumCheckedBytes: Int64 = 67_108_864
    /// The memory of the writer for pages of the file, in KiB: enough for the pages that most commits change.
    private static let writerCacheKibibytes = 65_536

    private init(path: String, pool: any DatabaseWriter, lock: FileLock?) {
        name = path
        self.pool = pool
        self.lock = Mutex(lock)
    }

    /// The path of the file in a data folder.
    package static func path(in directory: String) -> String {
        URL(filePath: directory, directoryHint: .isDirectory).appending(path: fileName).path(percentEncoded: false)
    }

    /// Opens the file of a data folder, and makes both if need be. A damaged file is set aside under another name, and
    /// a new one begun; the note says so.
    static func open(
        in directory: String, busyTimeoutSeconds: Double, nowSeconds: Int64
    ) throws(HistoryError) -> (database: SQLiteDatabase, note: String?) {
        let path = path(in: directory)
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw .notWritable(path: directory, problem: "the folder cannot be made")
        }
        let lock: FileLock
        do { lock = try FileLock(path: path + ".lock") } catch { throw HistoryError(error) }
        do throws(HistoryError) {
            let pool = try open(path, busyTimeoutSeconds)
            return (SQLiteDatabase(path: path, pool: pool, lock: lock), nil)
        } catch .damaged(_, let problem) {
            let aside: String
            do {
                aside = try DamagedFile.setAside(path, mark: nowSeconds, with: DamagedFile.sqliteSuffixes)
            } catch {
                throw HistoryError(error)
            }
            let note =
                "\(path) was damaged (\(problem)): set aside as \(aside); the counter is asked for its rows again"
            unlink(suspicion(path))
            let pool = try open(path, busyTimeoutSeconds)
            return (SQLiteDatabase(path: path, pool: pool, lock: lock), note)
        }
    }

    /// Opens the file of a data folder to read it, perhaps beside the history that keeps it. The tables must be those
    /// of this program, because nothing may be changed.
    static func open(reading directory: String) throws(HistoryError) -> SQLiteDatabase {
        let path = path(in: directory)
        do {
            var configuration = configuration(busyTimeoutSeconds: 5)
            configuration.readonly = true
            let pool = try DatabasePool(path: path, configuration: configuration)
            let version = try pool.read { db in
                try db.tableExists("schema_version") ? StoreSchema.version(SQLiteSession(db: db)) : 0
            }
            guard version == StoreSchema.version else { throw HistoryError.otherSchema(path: path) }
            return SQLiteDatabase(path: path, pool: pool, lock: nil)
        } catch {
            throw HistoryError(sqlite: error, path: path)
        }
    }

    /// Begins a database in memory: it keeps what a file would, and is gone with this value.
    static func inMemory() throws(HistoryError) -> SQLiteDatabase {
        let path = ":memory:"
        do {
            let queue = try DatabaseQueue()
            try queue.write { db in
                try StoreSchema.sqlite.make(SQLiteSession(db: db), path: path, hasTables: false)
            }
            return SQLiteDatabase(path: path, pool: queue, lock: nil)
        } catch {
            throw HistoryError(sqlite: error, path: path)
        }
    }

    private static func open(
        _ path: String, _ busyTimeoutSeconds: Double
    ) throws(HistoryError) -> DatabasePool {
        do {
            let pool = try DatabasePool(
                path: path, configuration: configuration(busyTimeoutSeconds: busyTimeoutSeconds))
            try pool.writeWithoutTransaction { db in
                // After opening, because GRDB chooses NORMAL for itself when it switches to the write-ahead log.
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA cache_size = -\(writerCacheKibibytes)")
            }
            try pool.write { db in
                // Another program's file would be filled with tables of ours.
                let hasTables = try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_master)") ?? false
                try StoreSchema.sqlite.make(SQLiteSession(db: db), path: path, hasTables: hasTables)
            }
            try checkIfSuspected(pool, path: path)
            return pool
        } catch {
            throw HistoryError(sqlite: error, path: path)
        }
    }

    private static func configuration(busyTimeoutSeconds: Double) -> Configuration {
        var configuration = Configuration()
        configuration.label = "history"
        configuration.maximumReaderCount = maximumReaders
        configuration.busyMode = .timeout(busyTimeoutSeconds)
        return configuration
    }

    /// Damage in the middle of a file shows only when that page is read. So a small file is read through before it is trusted,
    /// and any in which damage was met.
    private static func checkIfSuspected(_ pool: DatabasePool, path: String) throws {
        try pool.write { db in
            let size = try Int64.fetchOne(
                db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
            let isSuspected = FileManager.default.fileExists(atPath: suspicion(path))
            guard isSuspected || size ?? 0 <= maximumCheckedBytes else { return }
            let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
            guard verdict == "ok" else { throw HistoryError.damaged(path: path, problem: verdict) }
            unlink(suspicion(path))
        }
    }

    /// The file that says that damage was met.
    private static func suspicion(_ path: String) -> String { path + "-damage" }

    package func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        guard !isClosed.load(ordering: .relaxed) else { throw .closed }
        do { return try await pool.write { db in try work(SQLiteSession(db: db)) } } catch { throw noted(error) }
    }

    package func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        guard !isClosed.load(ordering: .relaxed) else { throw .closed }
        do {
            // In memory there is one connection, which one task has at a time. GRDB's `read` would set a pragma there, and
            // each pragma that is set makes SQLite compile every statement again.
            guard pool is DatabasePool else {
                return try await pool.writeWithoutTransaction { db in try work(SQLiteSession(db: db)) }
            }
            return try await pool.read { db in try work(SQLiteSession(db: db)) }
        } catch { throw noted(error) }
    }

    /// Ends all work with the file.
    package func close() async {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        let keepsFile = lock.withLock { $0 != nil }
        if keepsFile {
            // So that the one file is all there is to copy.
            _ = try? await pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        }
        try? pool.close()
        lock.withLock { $0 = nil }
    }

    private func noted(_ error: any Error) -> HistoryError {
        let error = HistoryError(sqlite: error, path: name)
        if case .damaged = error, lock.withLock({ $0 != nil }) {
            _ = FileManager.default.createFile(atPath: Self.suspicion(name), contents: nil)
        }
        return error
    }
}

extension HistoryStore {
    /// Opens the history of a data folder, and makes both if need be.
    /// - Parameters:
    ///   - directory: The data folder.
    ///   - defaultZone: The IANA name of the zone of devices whose config names none.
    ///   - maximumDevices: How many devices are kept; rows of further ones are refused and counted.
    ///   - busyTimeoutSeconds: How long to wait for another program that has the file locked.
    ///   - nowSeconds: The time, in seconds since 1970: part of a damaged file's new name.
    package static func sqlite(
        directory: String, defaultZone: String = "UTC",
        maximumDevices: Int = 100_000, busyTimeoutSeconds: Double = 5, nowSeconds: Int64
    ) throws(HistoryError) -> HistoryStore {
        let zone = try DayCalendar(zone: defaultZone)
        let (database, note) = try SQLiteDatabase.open(
            in: directory, busyTimeoutSeconds: busyTimeoutSeconds, nowSeconds: nowSeconds)
        return HistoryStore(database, defaultZone: zone, maximumDevices: maximumDevices, openingNote: note)
    }

    /// Begins a history in memory, for runs without a disk.
    package static func inMemory(
        defaultZone: String = "UTC", maximumDevices: Int = 100_000
    ) throws(HistoryError) -> HistoryStore {
        HistoryStore(
            try SQLiteDatabase.inMemory(), defaultZone: try DayCalendar(zone: defaultZone),
            maximumDevices: maximumDevices)
    }

    /// Opens the history of a data folder to read it, perhaps beside the history that keeps it.
    package static func sqlite(
        reading directory: String, defaultZone: String = "UTC"
    ) throws(HistoryError) -> HistoryStore {
        HistoryStore(
            try SQLiteDatabase.open(reading: directory), defaultZone: try DayCalendar(zone: defaultZone),
            maximumDevices: 0)
    }
}

extension HistoryError {
    init(sqlite error: any Error, path: String) {
        guard let error = error as? DatabaseError else {
            self.init(error, path: path)
            return
        }
        let problem = error.message ?? error.resultCode.description
        switch error.resultCode.primaryResultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .databaseLocked(path: path)
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, problem: problem)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_IOERR:
            self = .notWritable(path: path, problem: problem)
        default: self = .database(path: path, problem: problem)
        }
    }

    init(_ error: StoreFileError) {
        switch error {
        case .alreadyInUse(let path):
            self = .alreadyInUse(path: path.hasSuffix(".lock") ? String(path.dropLast(5)) : path)
        case .unwritable(let path, let problem): self = .notWritable(path: path, problem: problem)
        }
    }
}
