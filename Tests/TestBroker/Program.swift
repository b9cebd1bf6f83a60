package import Foundation
import Watched

/// A built executable, run as a user would, with its output kept.
///
/// The output goes to files and not to pipes, because a pipe's end would be inherited by whatever other tests start in
/// the meantime, and reading to its end would wait for them.
package final class Program: Sendable {
    struct TimedOut: Error {
        let waitedFor: String
    }

    private let process: Process
    private let folder = TemporaryFolder()
    private let ending = AsyncStream<Int32>.makeStream()

    /// - Parameters:
    ///   - name: One of ours, or the path of another program.
    ///   - environment: Variables beside those that the test has.
    package init(
        _ arguments: [String], named name: String = "stridebus", environment: [String: String] = [:],
        input: String? = nil
    ) throws {
        let process = Process()
        self.process = process
        process.executableURL = Self.executable(name)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("STRIDEBUS_") }
            .merging(environment) { $1 }
        process.standardOutput = FileHandle(forWritingAtPath: try folder.write("output", ""))
        process.standardError = FileHandle(forWritingAtPath: try folder.write("error", ""))
        if let input { process.standardInput = FileHandle(forReadingAtPath: try folder.write("input", input)) }
        process.terminationHandler = { [ending] process in
            ending.continuation.yield(process.terminationStatus)
            ending.continuation.finish()
        }
        try process.run()
    }

    deinit {
        // A test that failed did not end it.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    package var outputText: String { text("output") }
    package var errorText: String { text("error") }
    package var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }

    package func terminate() { send(SIGTERM) }

    package func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end; the suite's time limit is the deadline, here and below.
    package func exitCode() async throws -> Int32 {
        for await code in ending.stream { return code }
        throw TimedOut(waitedFor: "the end")
    }

    /// Waits until something is said on standard error.
    package func waitForError(containing text: String) async throws { try await wait(for: text, in: "error") }

    /// Waits until something is printed.
    package func waitForOutput(containing text: String) async throws { try await wait(for: text, in: "output") }

    private func wait(for text: String, in file: String) async throws {
        var (isSaid, isRunning) = (false, true)
        await until {
            // Asked first, because the last words come before the end.
            isRunning = process.isRunning
            isSaid = self.text(file).contains(text)
            return isSaid || !isRunning
        }
        guard isSaid else { throw TimedOut(waitedFor: text) }
    }

    private func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: folder.path + "/" + name) ?? Data(), as: UTF8.self)
    }

    /// Beside the test bundle, where the package manager puts both.
    package static func executable(_ name: String) -> URL {
        if name.hasPrefix("/") { return URL(fileURLWithPath: name) }
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return bundle.appendingPathComponent(name).absoluteURL
    }
}
