import Foundation
import Wire

/// A service that is started with its files on a disk that cannot be written: it must end at once and say so.
struct ReadOnlyStart: Sendable {
    let service: ServiceName

    /// How long it may take until it has given up, in seconds.
    private static let patienceSeconds = 15.0

    /// The command that runs another one with a directory that is read-only for it alone, in the same process.
    static func command(
        directory: String, running executable: URL, _ arguments: [String]
    ) -> (executable: URL, arguments: [String]) {
        let mount = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\""
        return (
            URL(fileURLWithPath: "/usr/bin/unshare"),
            ["-rm", "sh", "-c", mount, directory, executable.path] + arguments
        )
    }

    /// Starts it beside the system, and says what it does.
    func run(beside system: SystemUnderTest) async throws -> (String, isHeld: Bool) {
        let process = try await system.launchOnReadOnlyDisk(service)
        let hasEnded = await process.ended(withinSeconds: Self.patienceSeconds)
        let line = process.logText.split(separator: "\n").last { $0.contains("rror") } ?? "nothing"
        let words = line.replacing(system.directory.path, with: "…")
        return ("started on a read-only disk it \(hasEnded ? "ended" : "stayed"): \(words.prefix(160))", hasEnded)
    }
}
