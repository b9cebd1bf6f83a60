import Foundation

/// A disk of a few megabytes that only one process sees: a tmpfs in a mount namespace of its own, reached from outside
/// through /proc (mount_namespaces(7)).
struct SmallDisk: Sendable {
    let directory: String

    /// The size: enough for a short run, and soon full.
    private static let megabytes = 16

    /// Whether this machine lets us make one.
    static var isPossible: Bool {
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        probe.arguments = ["-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return false }
        probe.waitUntilExit()
        return probe.terminationStatus == 0
    }

    /// The command that runs another one with the disk in place, in the same process.
    func command(running executable: URL, _ arguments: [String]) -> (executable: URL, arguments: [String]) {
        let mount = "mount -t tmpfs -o size=\(Self.megabytes)m tmpfs \"$0\" && exec \"$@\""
        return (
            URL(fileURLWithPath: "/usr/bin/unshare"),
            ["-rm", "sh", "-c", mount, directory, executable.path] + arguments
        )
    }

    /// Leaves no room at all.
    func fill(of process: Int32) throws {
        let path = fillerPath(process)
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        for size in [65_536, 4_096, 512] {
            // The disk is full when a write fails; that is what is wanted.
            do {
                while true { try handle.write(contentsOf: Data(count: size)) }
            } catch { continue }
        }
    }

    /// Gives the room back.
    func empty(of process: Int32) throws {
        let path = fillerPath(process)
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }

    private func fillerPath(_ process: Int32) -> String { "/proc/\(process)/root\(directory)/filler" }
}
