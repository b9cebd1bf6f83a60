import Foundation
import Synchronization

/// The built executable, run as a user would, with its output kept.
final class Program: Sendable {
    private struct State {
        var output = Data()
        var error = Data()
        var openPipes = 2
    }

    struct TimedOut: Error {
        let waitedFor: String
    }

    private let process: Process
    private let state = Mutex(State())
    private let ending = AsyncStream<Int32>.makeStream()
    /// Something was said.
    private let news = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    init(_ arguments: [String]) throws {
        let process = Process()
        self.process = process
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("STRIDEBUS_") }
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        read(output) { state, data in state.output += data }
        read(error) { state, data in state.error += data }
        process.terminationHandler = { [ending] process in
            ending.continuation.yield(process.terminationStatus)
            ending.continuation.finish()
        }
        try process.run()
    }

    var outputText: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var errorText: String { state.withLock { String(decoding: $0.error, as: UTF8.self) } }
    var errorLines: [String] { errorText.split(separator: "\n").map(String.init) }

    func terminate() { send(SIGTERM) }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end and for all that was said; a program that does not end in time is killed.
    func exitCode(withinSeconds seconds: Double) async throws -> Int32 {
        let deadline = deadline(afterSeconds: seconds)
        defer { deadline.cancel() }
        for await code in ending.stream {
            for await _ in news.stream {}
            return code
        }
        throw TimedOut(waitedFor: "the end")
    }

    /// Waits until something is said on standard error; a program that does not say it in time is killed.
    func waitForError(containing text: String, withinSeconds seconds: Double) async throws {
        let deadline = deadline(afterSeconds: seconds)
        defer { deadline.cancel() }
        guard !errorText.contains(text) else { return }
        for await _ in news.stream where errorText.contains(text) { return }
        throw TimedOut(waitedFor: text)
    }

    private func deadline(afterSeconds seconds: Double) -> DispatchWorkItem {
        let item = DispatchWorkItem { [process] in kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: item)
        return item
    }

    private func read(_ pipe: Pipe, _ keep: @escaping @Sendable (inout State, Data) -> Void) {
        pipe.fileHandleForReading.readabilityHandler = { [self] handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                let isLast = state.withLock { state in
                    state.openPipes -= 1
                    return state.openPipes == 0
                }
                if isLast { news.continuation.finish() }
                return
            }
            state.withLock { keep(&$0, data) }
            news.continuation.yield()
        }
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
    private static var executable: URL {
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return bundle.appendingPathComponent("stridebus")
    }
}
