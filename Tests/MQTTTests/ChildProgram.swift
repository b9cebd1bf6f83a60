import Foundation

/// The program `CrashingConsumer`, which the build puts beside the test bundle.
final class ChildProgram {
    let process = Process()
    private let output = Pipe()

    init(_ arguments: [String]) {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("CrashingConsumer")
        process.arguments = arguments
    }

    /// Runs it and returns what it exited with.
    func exitCode() async throws -> Int32 {
        try await withCheckedThrowingContinuation { ended in
            process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
    }

    /// Starts it and returns the first line that it prints.
    func firstLine() throws -> String {
        process.standardOutput = output
        try process.run()
        var line = ""
        while let byte = try output.fileHandleForReading.read(upToCount: 1), let character = byte.first {
            if character == UInt8(ascii: "\n") { break }
            line.unicodeScalars.append(Unicode.Scalar(character))
        }
        return line
    }
}
