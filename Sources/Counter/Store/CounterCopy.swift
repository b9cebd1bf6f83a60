import Foundation
import GRDB

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
