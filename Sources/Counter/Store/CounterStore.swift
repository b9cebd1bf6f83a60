import Foundation
import GRDB
import ServiceKit
import Wire

/// The counter's memory on disk: device states, minute rows, configurations and how far history has the rows.
///
/// One SQLite file with a write-ahead log; a commit is on the disk when it returns (`synchronous=FULL`).
/// One process may have it open.
package final class CounterStore: Sendable {
    package static let fileName = "counter.sqlite"

    package var path: String { database.path }
    /// The life of this store: rows of different epochs add up.
    package let epoch: UInt64
    /// A line for the operator about a damaged file that was set aside; `nil` in the usual case.
    package var openingNote: String? {
        database.damage.map { problem, aside in
            "\(path) is damaged (\(problem)) and was set aside as \(aside): counting starts afresh"
        }
    }
    let database: StoreDatabase
    /// The longest time that another program that reads the file may hold up a commit, in seconds.
    private static let busySeconds = 5.0

    /// Opens the store of a data directory, and makes both where they are missing. A damaged file is set aside under
    /// another name, and a store with another epoch begins.
    package init(directory: String) throws(CounterError) {
        let path = directory + "/" + Self.fileName
        do {
            database = try StoreDatabase(
                path, lock: directory + "/counter.lock", configuration: Self.configuration
            ) { try Self.identify($0, path: path) }
            epoch = try database.look { UInt64(bitPattern: try Self.meta("epoch", $0)) }
        } catch { throw CounterError(error, path: path) }
    }

    /// Begins a store in memory: it keeps what a file would, and is gone with this value.
    package init(inMemory epoch: UInt64) throws(CounterError) {
        self.epoch = epoch
        do {
            database = try StoreDatabase(inMemory: Self.configuration) { try CounterSchema.create($0, epoch: epoch) }
        } catch { throw CounterError(error, path: "memory") }
    }

    package func close() throws(CounterError) {
        do { try database.close() } catch { throw CounterError(error, path: path) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(CounterError) -> Result {
        do { return try await database.write(body) } catch { throw CounterError(error, path: path) }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(CounterError) -> Result {
        do { return try await database.read(body) } catch { throw CounterError(error, path: path) }
    }

    static func meta(_ name: String, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT value FROM meta WHERE name = ?"), arguments: [name]) ?? 0
    }

    static func setMeta(_ name: String, _ value: Int64, _ db: Database) throws {
        try db.cachedStatement(
            sql: "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        ).execute(arguments: [name, value])
    }

    private static var configuration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "counter"
        configuration.busyMode = .timeout(busySeconds)
        configuration.prepareDatabase { $0.add(function: CounterSchema.mergeTraces) }
        return configuration
    }

    /// Takes an empty file over, and refuses one that is not ours to read.
    private static func identify(_ db: Database, path: String) throws {
        let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if application == 0, tables == 0 { return try CounterSchema.create(db, epoch: .random(in: 1 ... .max)) }
        guard application == CounterSchema.applicationID else { throw CounterError.foreign(path: path) }
        guard version == CounterSchema.version else { throw CounterError.otherVersion(path: path) }
        // A store that was made without the table of recordings goes on with it.
        try db.execute(sql: CounterSchema.told("recorded"))
    }
}

/// The counter's files as a copy of them has to fit: its own parts with each other, and all of them with history.
package struct CounterCopy: Sendable, Equatable {
    /// The layouts that this program reads, of the store and of the log.
    package static let storeVersion = CounterSchema.version
    package static let logVersion = Int(LogSegment.version)

    /// The life of the store.
    package let epoch: UInt64
    /// The newest revision of its rows; a history that has more of this epoch is newer.
    package let revision: UInt64

    /// The names of the log's files in a folder, the oldest first. One that has gone when it is read was not needed any
    /// more.
    package static func logNames(in directory: String) throws(CounterError) -> [String] {
        try LogDirectory(directory).names().sorted()
    }

    /// Reads the files of a folder, and changes nothing.
    ///
    /// - Throws: ``CounterError``: also where the log begins after the place at which the store has to go on.
    package init(reading directory: String) throws(CounterError) {
        let path = directory + "/" + CounterStore.fileName
        let marks: LogMarks
        do {
            let copy = try StoreDatabase(reading: path)
            (epoch, revision, marks) = try copy.look { db in
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
                guard version == Self.storeVersion else { throw CounterError.otherVersion(path: path) }
                let numbers = try ["epoch", "revision"].map { UInt64(bitPattern: try CounterStore.meta($0, db)) }
                return (numbers[0], numbers[1], try CounterStore.marks(db))
            }
            try copy.close()
        } catch {
            throw CounterError(error, path: path)
        }
        guard let oldest = try Self.logNames(in: directory).first else { return }
        let bytes = try LogDirectory(directory).read(oldest)
        switch LogSegment.header(of: bytes) {
        case .valid(epoch, let first) where first <= marks.states + 1: break
        // A file that was being begun has no record yet.
        case .damaged where bytes.count <= LogSegment.headerBytes: break
        case .otherVersion: throw .otherLogVersion(path: directory + "/" + oldest)
        default:
            throw .store(
                .damaged(path: directory + "/" + oldest, problem: "it does not go on from \(CounterStore.fileName)"))
        }
    }
}
