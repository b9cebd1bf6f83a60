import Foundation
import Synchronization

/// The log's files in the data directory.
final class LogDirectory: LogFiles, Sendable {
    private let directory: String
    /// The file that is appended to, and where.
    private let open = Mutex<(name: String, descriptor: Int32, end: Int)?>(nil)

    init(_ directory: String) { self.directory = directory }

    deinit { closeOpen() }

    func names() throws(CounterError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
                .filter { $0.hasPrefix("counter-") && $0.hasSuffix(".log") }
        } catch {
            throw .unwritable(path: directory, problem: "the directory cannot be read")
        }
    }

    func read(_ name: String) throws(CounterError) -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path(name)) else { throw failure(name) }
        return Array(data)
    }

    func create(_ name: String) throws(CounterError) {
        closeOpen()
        let descriptor = Foundation.open(path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(name) }
        open.withLock { $0 = (name, descriptor, 0) }
        try syncDirectory()
    }

    func append(_ bytes: [UInt8], to name: String) throws(CounterError) {
        let descriptor = try descriptor(of: name)
        let end = open.withLock { $0?.end ?? 0 }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                let rest = UnsafeRawBufferPointer(rebasing: $0[written...])
                return pwrite(descriptor, rest.baseAddress, rest.count, off_t(end + written))
            }
            if count > 0 { written += count } else if errno != EINTR { throw failure(name) }
        }
        open.withLock { $0?.end = end + written }
    }

    func sync(_ name: String) throws(CounterError) {
        guard fdatasync(try descriptor(of: name)) == 0 else { throw failure(name) }
    }

    func cut(_ name: String, to byteCount: Int) throws(CounterError) {
        close(name)
        guard truncate(path(name), off_t(byteCount)) == 0 else { throw failure(name) }
    }

    func remove(_ name: String) throws(CounterError) {
        close(name)
        guard unlink(path(name)) == 0 || errno == ENOENT else { throw failure(name) }
    }

    func setAside(_ name: String) throws(CounterError) {
        close(name)
        guard rename(path(name), path(name) + ".damaged") == 0 else { throw failure(name) }
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    private func descriptor(of name: String) throws(CounterError) -> Int32 {
        if let known = open.withLock({ $0?.name == name ? $0?.descriptor : nil }) { return known }
        closeOpen()
        let descriptor = Foundation.open(path(name), O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(name) }
        let end = lseek(descriptor, 0, SEEK_END)
        open.withLock { $0 = (name, descriptor, Int(end)) }
        return descriptor
    }

    private func close(_ name: String) {
        if open.withLock({ $0?.name == name }) { closeOpen() }
    }

    private func closeOpen() {
        open.withLock {
            if let descriptor = $0?.descriptor { Foundation.close(descriptor) }
            $0 = nil
        }
    }

    private func syncDirectory() throws(CounterError) {
        let descriptor = Foundation.open(directory, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("") }
        defer { Foundation.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("") }
    }

    private func failure(_ name: String) -> CounterError { CounterError(code: errno, path: path(name)) }
}
