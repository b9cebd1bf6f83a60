import Foundation
import TestBroker

/// A program of the host that ends by itself: a compiler, or an example of the firmware among what stands for its board.
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
        let program = try Program(arguments, named: executable, input: input)
        guard try await program.exitCode() == 0 else {
            throw Failed(command: ([executable] + arguments).joined(separator: " "), says: program.errorText)
        }
        return program.outputText
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
