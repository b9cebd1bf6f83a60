import Foundation
import GRDB
import Synchronization
import Wire

/// History in one SQLite file: the embedded default.
///
/// Write-ahead log, one writer, readers that never wait for it, `synchronous=FULL` so that a commit is on the disk
/// when it returns. One process may keep the file; a second one is refused, but may read beside it.
public final class SQLiteHistoryStore: HistoryStore {
    /// What happened while opening that an operator should read; nil in the usual case.
    public let openingNote: String?
    /// The path of the database.
    public let path: String
    let pool: DatabasePool
    let defaultZone: DayCalendar
    let maximumDevices: Int
    /// Set when SQLite has found damage, so that the file is not marked as closed in order.
    private let isDamaged = Atomic<Bool>(false)
    /// By what right the file is open.
    private enum Hold {
        /// It is kept: see `StoreLock`.
        case keeping(StoreLock)
        /// It is only read, perhaps beside the history that keeps it.
        case reading
        /// The store is closed.
        case none
    }

    private let hold: Mutex<Hold>

    /// The file's name inside the data folder.
    public static let fileName = "history.sqlite"
    /// How many readers may work at the same time.
    static let maximumReaders = 4

    /// Opens the history of a data folder, and makes both if need be. A damaged file is set aside under another name,
    /// and a new one begun.
    /// - Parameters:
    ///   - directory: The data folder.
    ///   - synchronous: How far a commit waits for the disk.
    ///   - defaultZone: The IANA name of the zone of devices whose config names none.
    ///   - maximumDevices: How many devices are kept; rows of further ones are refused and counted.
    ///   - busyTimeoutSeconds: How long to wait for another program that has the file locked.
    ///   - nowSeconds: The time, in seconds since 1970: part of a damaged file's new name.
    public init(
        directory: String, synchronous: Synchronous = .full, defaultZone: String = "UTC",
        maximumDevices: Int = 100_000, busyTimeoutSeconds: Double = 5, nowSeconds: Int64
    ) throws(HistoryError) {
        path = Self.path(in: directory)
        self.defaultZone = try Self.calendar(defaultZone)
        self.maximumDevices = maximumDevices
        try Self.makeDirectory(directory)
        let lock = try StoreLock(path: path + ".lock", database: path)
        hold = Mutex(.keeping(lock))
        (pool, openingNote) = try Self.openOrSetAside(
            path, synchronous: synchronous, busyTimeoutSeconds: busyTimeoutSeconds, nowSeconds: nowSeconds)
    }

    /// Opens the history of a data folder to read it, perhaps beside the history that keeps it. Nothing is made or
    /// mended, and what would write throws.
    /// - Parameters:
    ///   - directory: The data folder.
    ///   - defaultZone: The IANA name of the zone of devices whose config names none.
    public init(reading directory: String, defaultZone: String = "UTC") throws(HistoryError) {
        path = Self.path(in: directory)
        self.defaultZone = try Self.calendar(defaultZone)
        maximumDevices = 0
        hold = Mutex(.reading)
        (pool, openingNote) = (try Self.openToRead(path), nil)
    }

    private static func path(in directory: String) -> String {
        URL(filePath: directory, directoryHint: .isDirectory).appending(path: fileName).path(percentEncoded: false)
    }

    private static func calendar(_ zone: String) throws(HistoryError) -> DayCalendar {
        do { return try DayCalendar(zone: zone) } catch {
            throw .configuration(key: "zone", problem: "is wrong: \(error)")
        }
    }

    /// Ends all work with the file. A clean end is remembered, and spares the next start the check of every page.
    public func close() async {
        guard !isClosed else { return }
        if keepsFile, !isDamaged.load(ordering: .relaxed) {
            try? await pool.writeWithoutTransaction { db in
                try Self.setOpenMark(false, db)
                // So that the one file is all there is to copy.
                _ = try db.checkpoint(.truncate)
            }
        }
        try? pool.close()
        hold.withLock { $0 = .none }
    }

    private var isClosed: Bool {
        hold.withLock { hold in
            if case .none = hold { true } else { false }
        }
    }

    private var keepsFile: Bool {
        hold.withLock { hold in
            if case .keeping = hold { true } else { false }
        }
    }

    func write<Result: Sendable>(
        _ work: @Sendable @escaping (Database) throws -> Result
    ) async throws(HistoryError) -> Result {
        guard !isClosed else { throw .closed }
        do { return try await pool.write(work) } catch { throw noted(HistoryError(error, path: path)) }
    }

    func read<Result: Sendable>(
        _ work: @Sendable @escaping (Database) throws -> Result
    ) async throws(HistoryError) -> Result {
        guard !isClosed else { throw .closed }
        do { return try await pool.read(work) } catch { throw noted(HistoryError(error, path: path)) }
    }

    private func noted(_ error: HistoryError) -> HistoryError {
        if case .damaged = error { isDamaged.store(true, ordering: .relaxed) }
        return error
    }
}

/// How far a commit waits for the disk.
public enum Synchronous: String, Sendable, CaseIterable {
    /// Until the data is on the disk: survives a loss of power.
    case full
    /// Until the system has it: survives a crash of the process; the last moments may go with the power, and come
    /// again from the counter.
    case normal
}

extension HistoryError {
    /// What SQLite said, as something to do.
    init(_ error: any Error, path: String) {
        guard let error = error as? DatabaseError else {
            self = error is CancellationError ? .closed : .database(path: path, problem: "\(error)")
            return
        }
        let problem = error.message ?? error.resultCode.description
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .databaseLocked(path: path)
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, problem: problem)
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_IOERR:
            self = .notWritable(path: path, problem: problem)
        default: self = .database(path: path, problem: problem)
        }
    }
}
