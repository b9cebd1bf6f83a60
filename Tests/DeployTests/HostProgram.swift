import Foundation

/// A program of the host that ends by itself: a compiler, or an example of the firmware among what stands for its board.
///
/// Input and output are files, because a pipe's end is inherited by whatever other tests start in the meantime.
struct HostProgram {
    struct Failed: Error {
        let command: String
        let says: String
    }

    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let firmware = package + "/deploy/firmware"
    static let host = package + "/Tests/DeployTests/Firmware/Host"

    var executable: String
    var arguments: [String] = []

    /// What it prints; it fails unless it exits with 0.
    func output(input: String = "") async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("firmware-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["input", "output", "error"].map { folder.appendingPathComponent($0) }
        for (file, text) in zip(files, [input, "", ""]) { try Data(text.utf8).write(to: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        let code: Int32 = try await withCheckedThrowingContinuation { ended in
            process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        guard code == 0 else {
            let says = try String(contentsOf: files[2], encoding: .utf8)
            throw Failed(command: ([executable] + arguments).joined(separator: " "), says: says)
        }
        return try String(contentsOf: files[1], encoding: .utf8)
    }

    /// Compiles a C++ file of `Host` with every warning an error.
    static func compiled(_ name: String, standard: String, include: String...) async throws -> HostProgram {
        let binary = FileManager.default.temporaryDirectory.appendingPathComponent(
            "firmware-\(UUID().uuidString)-\(name)")
        let compiler = HostProgram(
            executable: "/usr/bin/g++",
            arguments: [
                "-std=\(standard)", "-Wall", "-Wextra", "-Werror", "\(host)/\(name).cpp", "-o", binary.path,
            ] + include.flatMap { ["-I", $0] })
        _ = try await compiler.output()
        return HostProgram(executable: binary.path)
    }
}
