import Glibc

/// An open file with reads and writes at offsets. It is closed with its last reference.
final class SystemFile: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Opens a file, and creates it if it does not exist.
    init(path: String, isEmptied: Bool = false) throws(MotionQueueError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | (isEmptied ? O_TRUNC : 0), 0o600)
        guard descriptor >= 0 else { throw .system(operation: "open", path: path, code: errno) }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The system's text for an errno.
    static func words(of code: Int32) -> String { String(cString: strerror(code)) }

    /// The length, in bytes.
    func size() throws(MotionQueueError) -> Int {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw failure("measure") }
        return Int(end)
    }

    /// Reads `count` bytes from an offset; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(MotionQueueError) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: max(0, count)) { buffer, filled in
            while filled < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let taken = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
                if taken < 0, errno == EINTR { continue }
                failed = taken < 0
                guard taken > 0 else { return }
                filled += taken
            }
        }
        guard !failed else { throw failure("read") }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(MotionQueueError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                return pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("write") }
            written += count
        }
    }

    /// Cuts off everything beyond an offset.
    func truncate(to size: Int) throws(MotionQueueError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure("shorten") }
    }

    /// Returns when the disk has all written bytes.
    func synchronize() throws(MotionQueueError) {
        guard fdatasync(descriptor) == 0 else { throw failure("synchronize") }
    }

    /// Replaces the file at another path. Errors still name the path at which this file was opened.
    func rename(to other: String) throws(MotionQueueError) {
        guard Glibc.rename(path, other) == 0 else { throw failure("rename") }
    }

    /// Locks the file until `unlock` or the end of this process.
    /// - Returns: True if the file was not locked elsewhere.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Unlocks the file explicitly: a child process that is just starting may hold a copy of the descriptor, and with
    /// it the lock.
    func unlock() { flock(descriptor, LOCK_UN) }

    private func failure(_ operation: String) -> MotionQueueError {
        .system(operation: operation, path: path, code: errno)
    }
}
