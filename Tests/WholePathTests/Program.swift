import Foundation

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

    /// Waits for the end; a program that does not end in time is killed.
    func exitCode(withinSeconds seconds: Double) async throws -> Int32 {
        let killer = DispatchWorkItem { [process] in kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: killer)
        defer { killer.cancel() }
        for await code in ending.stream { return code }
        throw TimedOut(waitedFor: "the end")
    }

    /// Waits until something is said on standard error.
    func waitForError(containing text: String, withinSeconds seconds: Double) async throws {
        try await wait(for: text, in: "error", withinSeconds: seconds)
    }

    /// Waits until something is printed.
    func waitForOutput(containing text: String, withinSeconds seconds: Double) async throws {
        try await wait(for: text, in: "output", withinSeconds: seconds)
    }

    private func wait(for text: String, in file: String, withinSeconds seconds: Double) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        let (looks, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now(), repeating: .milliseconds(20))
        timer.setEventHandler { continuation.yield() }
        timer.resume()
        defer { timer.cancel() }
        for await _ in looks {
            if self.text(file).contains(text) { return }
            guard ContinuousClock.now < deadline, process.isRunning else { break }
        }
        throw TimedOut(waitedFor: text)
    }

    private func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: directory.appendingPathComponent(name).path) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    private static func file(_ url: URL) throws -> FileHandle {
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    static func accepts(port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Beside the test bundle, where the package manager puts both.
    static func executable(_ name: String) -> URL {
        if name.hasPrefix("/") { return URL(fileURLWithPath: name) }
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return bundle.appendingPathComponent(name).absoluteURL
    }
}
