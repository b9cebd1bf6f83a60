import Foundation
import Synchronization

/// One of the three services as a process of its own.
final class ServiceProcess: Sendable {
    private let process: Process
    private let log: URL

    /// Every process that was started and is not known to have ended.
    private static let running = Mutex<Set<Int32>>([])

    /// How often it is looked whether it has ended, in milliseconds.
    private static let lookMilliseconds = 2

    init(executable: URL, arguments: [String], log: URL) throws {
        self.log = log
        let manager = FileManager.default
        if !manager.fileExists(atPath: log.path) { _ = manager.createFile(atPath: log.path, contents: nil) }
        let handle = try FileHandle(forWritingTo: log)
        try handle.seekToEnd()
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("STRIDEBUS_") }
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        self.process = process
        try process.run()
        let identifier = process.processIdentifier
        Self.running.withLock { _ = $0.insert(identifier) }
        try handle.close()
    }

    var isRunning: Bool { process.isRunning }
    var identifier: Int32 { process.processIdentifier }

    func send(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// Waits for its end.
    ///
    /// - Returns: false when it had to be killed because it did not end in time.
    @discardableResult
    func ended(withinSeconds seconds: Double) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while process.isRunning, ContinuousClock.now < deadline {
            try? await ContinuousClock().sleep(for: .milliseconds(Self.lookMilliseconds))
        }
        let isEnded = !process.isRunning
        if !isEnded {
            send(SIGKILL)
            process.waitUntilExit()
        }
        let identifier = process.processIdentifier
        Self.running.withLock { _ = $0.remove(identifier) }
        return isEnded
    }

    /// Kills every process that was started here.
    static func killAll() {
        for identifier in running.withLock({ $0 }) { kill(identifier, SIGKILL) }
    }

    /// What it has written since the run began, over all its lives.
    var logText: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
}
