import Foundation

/// The one place where a run of the bench and everything that it starts keep their files; gone when the run ends,
/// however it ends, unless it is killed outright.
struct RunDirectory: Sendable {
    private let url: URL

    /// Makes it, and has every temporary file of this process and its children made in it.
    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("stridebus-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        setenv("TMPDIR", url.path, 1)
    }

    /// Removes it. What cannot be removed is left to /tmp's cleaner.
    func remove() { try? FileManager.default.removeItem(at: url) }
}
