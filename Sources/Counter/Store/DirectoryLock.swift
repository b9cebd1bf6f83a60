import Foundation

/// Keeps a data directory to one counter. The kernel releases the lock however the process ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, or says that another counter has it.
    init(directory: String) throws(CounterError) {
        let path = directory + "/counter.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw .unwritable(path: path, problem: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .alreadyInUse(path: directory)
        }
    }

    deinit {
        // A child process that is just being started has a copy of the descriptor, and with it of the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
