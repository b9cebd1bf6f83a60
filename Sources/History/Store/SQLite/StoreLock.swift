import Foundation

/// A lock on a file beside the database, held while this process has it open, so that a second history is refused
/// before it has read anything. The kernel lets go of it however the process ends.
final class StoreLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock or says who is in the way.
    init(path: String, database: String) throws(HistoryError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw .notWritable(path: database, problem: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .alreadyInUse(path: database)
        }
        self.descriptor = descriptor
    }

    deinit {
        // A child process that is just being started has a copy of the descriptor, and with it of the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
