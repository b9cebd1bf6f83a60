import Foundation
import GRDB
import ServiceKit
import Wire

/// The counter's memory on disk: device states, minute rows, configurations and how far history has the rows.
///
/// One SQLite file with a write-ahead log; a commit is on the disk when it returns (`synchronous=FULL`, unless
/// relaxed). One process may have it open.
package final class CounterStore: Sendable {
    /// How far a commit waits for the disk.
    package enum Synchronous: String, Sendable, CaseIterable {
        /// Until the data is on the disk: survives a loss of power.
        case full
        /// Until the system has it: survives the end of the process; a loss of power may undo the last commits, whose
        /// messages are acknowledged already and are then lost.
        case normal
    }

    /// The file's name in the data directory.
    package static let fileName = "counter.sqlite"

    /// The path of the file.
    package let path: String
    /// The life of this store: rows of different epochs add up.
    package let epoch: UInt64
    /// What happened while opening that an operator should know; `nil` in the usual case.
    package let openingNote: String?
    let queue: DatabaseQueue
    private let lock: FileLock

    /// Opens the store of a data directory, and makes both where they are missing. A damaged file is set aside under
    /// another name, and a store with another epoch begins.
    ///
    /// - Parameters:
    ///   - directory: the data directory.
    ///   - synchronous: how far a commit waits for the disk.
    ///   - newEpoch: the epoch of a store that begins: random, and not 0.
    package init(
        directory: String, synchronous: Synchronous = .full, newEpoch: UInt64 = .random(in: 1 ... .max)
    ) throws(CounterError) {
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
        (queue, openingNote) = try Self.openOrSetAside(path, synchronous, newEpoch)
        do {
            epoch = try queue.read { UInt64(bitPattern: try Self.meta("epoch", $0)) }
        } catch {
            throw CounterError(error, path: path)
        }
    }

    /// The last record of the log whose effects are stored.
    func logPosition() throws(CounterError) -> UInt64 {
        do {
            return try queue.read { UInt64(bitPattern: try Self.meta("log_position", $0)) }
        } catch {
            throw CounterError(error, path: path)
        }
    }

    /// Ends the work with the file.
    package func close() throws(CounterError) {
        do { try queue.close() } catch { throw CounterError(error, path: path) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(CounterError) -> Result {
        do { return try await queue.write(body) } catch { throw CounterError(error, path: path) }
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws(CounterError) -> Result {
        do { return try await queue.read(body) } catch { throw CounterError(error, path: path) }
    }

    static func meta(_ name: String, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT value FROM meta WHERE name = ?", arguments: [name]) ?? 0
    }

    static func setMeta(_ name: String, _ value: Int64, _ db: Database) throws {
        try db.execute(sql: "UPDATE meta SET value = ? WHERE name = ?", arguments: [value, name])
    }
}
