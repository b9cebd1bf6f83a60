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

    package let path: String
    /// The life of this store: rows of different epochs add up.
    package let epoch: UInt64
    /// A line for the operator about a damaged file that was set aside; `nil` in the usual case.
    package let openingNote: String?
    let queue: DatabaseQueue
    /// Held as long as the file is kept; `nil` of a store in memory.
    private let lock: FileLock?

    /// Opens the store of a data directory, and makes both where they are missing. A damaged file is set aside under
    /// another name, and a store with another epoch begins.
    package init(directory: String) throws(CounterError) {
        path = directory + "/" + Self.fileName
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(path: directory, problem: "the directory cannot be made")
        }
        do { lock = try FileLock(path: directory + "/counter.lock") } catch {
            switch error {
            case .alreadyInUse: throw .alreadyInUse(path: directory)
            case .unwritable(let path, let problem): throw .unwritable(path: path, problem: problem)
            }
        }
        (queue, openingNote) = try Self.openOrSetAside(path)
        do {
            epoch = try queue.read { UInt64(bitPattern: try Self.meta("epoch", $0)) }
        } catch {
            throw CounterError(error, path: path)
        }
    }

    /// Begins a store in memory: it keeps what a file would, and is gone with this value.
    package init(inMemory epoch: UInt64) throws(CounterError) {
        (path, openingNote, lock, self.epoch) = (":memory:", nil, nil, epoch)
        do {
            queue = try DatabaseQueue(configuration: Self.withFunctions(GRDB.Configuration()))
            try queue.write { try CounterSchema.create($0, epoch: epoch) }
        } catch { throw CounterError(error, path: path) }
    }

    package func close() throws(CounterError) {
        do { try queue.close() } catch { throw CounterError(error, path: path) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(CounterError) -> Result {
        do { return try await queue.write(body) } catch { throw noted(CounterError(error, path: path)) }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(CounterError) -> Result {
        // One task has the one connection at a time. GRDB's `read` would set a pragma around it, and each pragma that is
        // set makes SQLite compile every statement again, those of the next commit too.
        do { return try await queue.writeWithoutTransaction(body) } catch {
            throw noted(CounterError(error, path: path))
        }
    }

    /// Notes beside the file that damage was met in it, so that the next start reads it through.
    private func noted(_ error: CounterError) -> CounterError {
        if case .damaged = error { _ = FileManager.default.createFile(atPath: Self.suspicion(path), contents: nil) }
        return error
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
}

extension CounterStore {
    /// Files up to this size are read through when they are opened, in bytes: damage must not hide in a page that is
    /// read days later. Larger ones would hold up a restart, and are read through where damage was met.
    static let maximumCheckedBytes: UInt64 = 67_108_864
    /// The longest time that another program that reads the file may hold up a commit, in seconds.
    static let busySeconds = 5.0

    static func openOrSetAside(_ path: String) throws(CounterError) -> (DatabaseQueue, String?) {
        do throws(CounterError) {
            return (try open(path), nil)
        } catch .damaged(_, let problem) {
            let aside = try setAside(path, mark: String(UInt64.random(in: 0 ... .max), radix: 16))
            unlink(suspicion(path))
            let note = "\(path) is damaged (\(problem)) and was set aside as \(aside): counting starts afresh"
            return (try open(path), note)
        }
    }

    private static func open(_ path: String) throws(CounterError) -> DatabaseQueue {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration())
            try queue.write { try identify($0, path: path) }
            try queue.writeWithoutTransaction { db in
                // After the log mode is set: GRDB relaxes `synchronous` when it switches to the write-ahead log.
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
            return queue
        } catch {
            throw CounterError(error, path: path)
        }
    }

    private static func configuration() -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "counter"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(busySeconds)
        return withFunctions(configuration)
    }

    private static func withFunctions(_ configuration: GRDB.Configuration) -> GRDB.Configuration {
        var configuration = configuration
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
        let pages = try UInt64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let pageSize = try UInt64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
        let isSmall = pages.multipliedReportingOverflow(by: pageSize).partialValue <= maximumCheckedBytes
        guard isSmall || FileManager.default.fileExists(atPath: suspicion(path)) else { return }
        let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard verdict == "ok" else { throw CounterError.damaged(path: path, problem: verdict) }
        unlink(suspicion(path))
    }

    /// The file that says that damage was met in the store.
    private static func suspicion(_ path: String) -> String { path + "-damage" }

    private static func setAside(_ path: String, mark: String) throws(CounterError) -> String {
        do {
            return try DamagedFile.setAside(path, mark: mark, with: DamagedFile.sqliteSuffixes)
        } catch {
            throw .unwritable(path: path, problem: "it is damaged and cannot be renamed")
        }
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
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        let marks: LogMarks
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            (epoch, revision, marks) = try queue.read { db in
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
                guard version == Self.storeVersion else { throw CounterError.otherVersion(path: path) }
                let numbers = try ["epoch", "revision"].map { UInt64(bitPattern: try CounterStore.meta($0, db)) }
                return (numbers[0], numbers[1], try CounterStore.marks(db))
            }
            try queue.close()
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
            throw .damaged(path: directory + "/" + oldest, problem: "it does not go on from \(CounterStore.fileName)")
        }
    }
}
