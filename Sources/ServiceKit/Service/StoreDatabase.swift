import Foundation
package import GRDB
import Synchronization

/// The SQLite database of a store: a file that one process keeps, such a file that is read beside it, or one in memory.
///
/// A commit is on the disk when it returns (write-ahead log, `synchronous=FULL`).
package final class StoreDatabase: Sendable {
    package let path: String
    package let connections: any DatabaseWriter
    /// The problem of a damaged file, and its path since it was set aside; `nil` where no file was damaged.
    package let damage: (problem: String, aside: String)?
    /// The lock on the file; `nil` of a database that is only read, in memory or closed.
    private let lock: Mutex<FileLock?>

    /// Files up to this size are read through when they are opened, in bytes, which takes some tenths of a second: damage
    /// must not hide in a page that is read days later. Larger ones are read through where damage was met.
    package static let maximumCheckedBytes: Int64 = 67_108_864

    /// Opens a file and its folder, and makes both where they are missing. A damaged file is set aside under another name,
    /// and a new one begun.
    ///
    /// - Parameters:
    ///   - lockPath: The file whose lock says that a process keeps the database.
    ///   - readers: How many may read beside the one that writes; 0 for one connection that does both.
    ///   - make: Makes the tables of a new file, and throws for one that is not the service's.
    package init(
        _ path: String, lock lockPath: String, readers: Int = 0, configuration: Configuration,
        make: (Database) throws -> Void
    ) throws {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        } catch {
            throw StoreError.unwritable(path: path, problem: "its folder cannot be made")
        }
        do { lock = Mutex(try FileLock(path: lockPath)) } catch StoreError.alreadyInUse {
            throw StoreError.alreadyInUse(path: path)
        }
        var configuration = configuration
        configuration.maximumReaderCount = max(readers, 1)
        configuration.journalMode = .wal
        do {
            (connections, damage) = (try Self.open(path, readers: readers, configuration, make), nil)
        } catch StoreError.damaged(_, let problem) {
            damage = (problem, try DamagedFile.setAside(path, with: DamagedFile.sqliteSuffixes))
            unlink(Self.suspicion(path))
            connections = try Self.open(path, readers: readers, configuration, make)
        }
    }

    private static func open(
        _ path: String, readers: Int, _ configuration: Configuration, _ make: (Database) throws -> Void
    ) throws -> any DatabaseWriter {
        do {
            let connections: any DatabaseWriter =
                readers > 0
                ? try DatabasePool(path: path, configuration: configuration)
                : try DatabaseQueue(path: path, configuration: configuration)
            // After opening: GRDB relaxes `synchronous` when it switches to the write-ahead log.
            try connections.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try connections.write { db in
                try make(db)
                let size = try Int64.fetchOne(
                    db, sql: "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
                let isSuspected = FileManager.default.fileExists(atPath: suspicion(path))
                guard isSuspected || size ?? 0 <= maximumCheckedBytes else { return }
                try check(db, by: "quick_check", path)
                unlink(suspicion(path))
            }
            return connections
        } catch {
            throw Self.named(error, path)
        }
    }

    /// Opens a file to read it, perhaps beside the process that keeps it.
    package init(reading path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        (self.path, damage) = (path, nil)
        lock = Mutex(nil)
        do { connections = try DatabaseQueue(path: path, configuration: configuration) } catch {
            throw Self.named(error, path)
        }
    }

    /// Begins a database in memory: it keeps what a file would, and is gone with this value.
    package init(inMemory configuration: Configuration, make: (Database) throws -> Void) throws {
        (path, damage) = (":memory:", nil)
        lock = Mutex(nil)
        connections = try DatabaseQueue(configuration: configuration)
        try connections.write(make)
    }

    package func write<Result: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        do { return try await connections.write(work) } catch { throw noted(error) }
    }

    package func read<Result: Sendable>(
        _ work: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        do {
            if connections is DatabasePool { return try await connections.read(work) }
            // One task has the one connection at a time. GRDB's `read` would set a pragma around it, and each pragma that is
            // set makes SQLite compile every statement again.
            return try await connections.writeWithoutTransaction(work)
        } catch { throw noted(error) }
    }

    /// Ends all work with the file, so that it is all there is to copy, and lets another process have it.
    package func close() throws {
        if lock.withLock({ $0 != nil }) {
            _ = try? connections.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
        try connections.close()
        lock.withLock { $0 = nil }
    }

    /// Notes beside a file that damage was met in it, so that the next start reads it through.
    private func noted(_ error: any Error) -> any Error {
        let error = Self.named(error, path)
        if case StoreError.damaged = error, lock.withLock({ $0 != nil }) {
            _ = FileManager.default.createFile(atPath: Self.suspicion(path), contents: nil)
        }
        return error
    }

    /// Copies the database as of one instant, beside the process that writes it, into one file without a log.
    package func copy(to target: String) throws {
        try look { try $0.execute(sql: "VACUUM INTO ?", arguments: [target]) }
    }

    /// Reads every page.
    package func readThrough() throws { try look { try Self.check($0, by: "integrity_check", path) } }

    /// Reads at once what nothing else waits for.
    package func look<Result>(_ work: (Database) throws -> Result) throws -> Result {
        do { return try connections.writeWithoutTransaction(work) } catch {
            throw Self.named(error, path)
        }
    }

    /// An error of SQLite as an error of the store; another error as it is.
    private static func named(_ error: any Error, _ path: String) -> any Error {
        error is DatabaseError ? StoreError(error, path: path) : error
    }

    private static func check(_ db: Database, by pragma: String, _ path: String) throws {
        let verdict = try String.fetchOne(db, sql: "PRAGMA \(pragma)(1)") ?? "no answer"
        guard verdict == "ok" else { throw StoreError.damaged(path: path, problem: verdict) }
    }

    /// The file that says that damage was met.
    private static func suspicion(_ path: String) -> String { path + "-damage" }
}

extension StoreError {
    /// The error of a store that a result code of SQLite stands for (sqlite.org, "Result and Error Codes").
    package init(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError else {
            self = error as? StoreError ?? .database(path: path, problem: "\(error)")
            return
        }
        let problem = error.message ?? error.resultCode.description
        switch error.resultCode.primaryResultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: self = .locked(path: path)
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, problem: problem)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_NOLFS,
            .SQLITE_NOMEM, .SQLITE_INTERRUPT, .SQLITE_ABORT:
            self = .unwritable(path: path, problem: problem)
        default: self = .database(path: path, problem: problem)
        }
    }
}
