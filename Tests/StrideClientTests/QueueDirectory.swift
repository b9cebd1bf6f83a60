#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@testable import StrideClient

/// A directory of a test's own; it goes with its last reference.
final class QueueDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/stride-queue-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw MotionQueueError.system(operation: "make", path: "/tmp", code: errno)
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in ["frames", "cut"] {
            for suffix in ["", ".lock", ".new"] { unlink("\(path)/\(name)\(suffix)") }
        }
        rmdir(path)
    }

    /// The file of a queue.
    func file(_ name: String = "frames") -> String { "\(path)/\(name)" }

    /// A queue in a file.
    func configuration(
        _ name: String = "frames", maximumFrames: Int = 1_000, maximumBytes: Int = 10_000_000
    ) -> MotionQueueConfiguration {
        MotionQueueConfiguration(path: file(name), maximumFrames: maximumFrames, maximumBytes: maximumBytes)
    }

    /// What a file holds.
    func bytes(_ name: String = "frames") throws -> [UInt8] {
        let file = try SystemFile(path: file(name))
        return try file.read(try file.size(), at: 0)
    }

    /// Writes a file anew.
    func write(_ bytes: [UInt8], to name: String) throws {
        try SystemFile(path: file(name), isEmptied: true).write(bytes, at: 0)
    }
}
