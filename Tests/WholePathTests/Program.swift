import Foundation
import Watched

/// A built executable, run as a user would, with its output kept.
///
/// The output goes to files and not to pipes, because a pipe's end would be inherited by whatever other tests start in
/// the meantime, and reading to its end would wait for them.
final class Program: Sendable {
    struct TimedOut: Error {
        let waitedFor: String
    }

    private let process: Process
    private let directory: URL
    private let ending = AsyncStream<Int32>.makeStream()

    /// - Parameters:
    ///   - name: One of ours, or the path of another program.
    ///   - environment: Variables beside those that the test has.
    init(
        _ arguments: [String], named name: String = "stridebus", environment: [String: String] = [:]
    ) throws {
        let process = Process()
        self.process = process
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("stridebus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        process.executableURL = Self.executable(name)
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("STRIDEBUS_") }
            .merging(environment) { $1 }
        process.standardOutput = try Self.file(directory.appendingPathComponent("output"))
        process.standardError = try Self.file(directory.appendingPathComponent("error"))
        process.terminationHandler = { [ending] process in
            ending.continuation.yield(process.terminationStatus)
            ending.continuation.finish()
        }
        try process.run()
    }

    deinit {
        // A test that failed did not end it.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: directory)
    }

    var outputText: String { text("output") }
    var errorText: String { text("error") }
    var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }

    func terminate() { send(SIGTERM) }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end; the suite's time limit is the deadline, here and below.
    func exitCode() async throws -> Int32 {
        for await code in ending.stream { return code }
        throw TimedOut(waitedFor: "the end")
    }

    /// Waits until something is said on standard error.
    func waitForError(containing text: String) async throws { try await wait(for: text, in: "error") }

    /// Waits until something is printed.
    func waitForOutput(containing text: String) async throws { try await wait(for: text, in: "output") }

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
        let data = FileManager.default.contents(atPath: directory.appendingPathComponent(name).path) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    private static func file(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    /// Beside the test bundle, where the package manager puts both.
    static func executable(_ name: String) -> URL {
        if name.hasPrefix("/") { return URL(fileURLWithPath: name) }
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return bundle.appendingPathComponent(name).absoluteURL
    }
}
