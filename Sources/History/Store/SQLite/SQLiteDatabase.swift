import Foundation
import GRDB
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
