import CSpawn
import Foundation
import MQTT
import ServiceLifecycle
import Synchronization

/// A program beside us, such as Mosquitto or HAProxy: it ends when we end, is started again when it ends by itself, and
/// writes a log of bounded length.
final class SupervisedProgram: Sendable {
    private struct State {
        var child: ChildProcess?
        var isStopped = false
    }

    let logFile: String
    private let name: String
    private let ports: [Int]
    private let note: @Sendable (String) -> Void
    private let prepare: @Sendable () throws(BrokerError) -> [String]
    private let mend: @Sendable (_ log: String) throws(BrokerError) -> Bool
    private let state = Mutex(State())

    /// The longest time until it listens, in seconds.
    private static let startSeconds = 15
    /// The time from SIGTERM to SIGKILL, in seconds.
    private static let stopSeconds = 10
    /// The wait before one that ended is started again, in seconds.
    private static let restartSeconds = 0.5
    /// The interval at which it is looked at until it listens, in milliseconds.
    private static let lookMilliseconds = 10
    /// The time between two looks at the length of its log, in seconds, and the bytes that are kept.
    private static let logSeconds = 60
    private static let maximumLogBytes = 1 << 20
    private static let logEndBytes: UInt64 = 16_384

    /// A program that does nothing until it is started.
    ///
    /// - Parameters:
    ///   - name: Of the program and of its package in Debian.
    ///   - logFile: Takes stdout and stderr; each start begins it anew.
    ///   - ports: Where it listens once it is up.
    ///   - note: Is told, in a line, what happens to it.
    ///   - mend: Is given the log of a start that failed. True where something was mended, so that it is tried again.
    ///   - prepare: Writes its configuration, and gives its arguments.
    init(
        _ name: String, logFile: String, ports: [Int], note: @escaping @Sendable (String) -> Void,
        mend: @escaping @Sendable (_ log: String) throws(BrokerError) -> Bool = { _ in false },
        prepare: @escaping @Sendable () throws(BrokerError) -> [String]
    ) {
        (self.name, self.logFile, self.ports, self.note) = (name, logFile, ports, note)
        (self.mend, self.prepare) = (mend, prepare)
    }

    deinit { state.withLock { $0.child?.signal(SIGKILL) } }

    /// Starts it, and returns when it listens. One that runs is ended first.
    func start() async throws(BrokerError) {
        if let former = state.withLock({ $0.child }) { await end(former) }
        do { try await startOnce() } catch {
            guard case .programFailed = error, try mend(log) else { throw error }
            try await startOnce()
        }
    }

    private func startOnce() async throws(BrokerError) {
        if isStopped { throw .stopped }
        guard let path = SystemProgram.path(of: name) else { throw .programMissing(name, package: name) }
        let arguments = [path] + (try prepare())
        let child = try state.withLock { state throws(BrokerError) in
            guard !state.isStopped else { throw .stopped }
            let child = try ChildProcess(arguments, logFile: logFile)
            state.child = child
            return child
        }
        let deadline = ContinuousClock.now + .seconds(Self.startSeconds)
        while !child.hasEnded, ContinuousClock.now < deadline {
            if ports.allSatisfy(child.listens) { return }
            // A cancelled start ends like one that took too long.
            guard (try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))) != nil else { break }
        }
        let isSlow = !child.hasEnded
        child.signal(SIGKILL)
        await child.ended()
        if isStopped { throw .stopped }
        throw isSlow ? .programSlow(name, seconds: Self.startSeconds) : .programFailed(name, says: lastLogLines)
    }

    /// Ends it for good, with SIGTERM, and with SIGKILL where that takes too long.
    func stop() async {
        let child = state.withLock { state in
            state.isStopped = true
            return state.child
        }
        if let child { await end(child) }
    }

    private func end(_ child: ChildProcess) async {
        child.signal(SIGTERM)
        child.signal(SIGCONT)
        let deadline = Task {
            try await Task.sleep(for: .seconds(Self.stopSeconds))
            child.signal(SIGKILL)
        }
        await child.ended()
        deadline.cancel()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    func signal(_ number: Int32) { state.withLock { $0.child?.signal(number) } }

    func ended() async { await state.withLock { $0.child }?.ended() }

    /// Watches over it until the graceful shutdown, then ends it.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watch() }
            group.addTask {
                while (try? await Task.sleep(for: .seconds(Self.logSeconds))) != nil { self.boundLog() }
            }
            try? await gracefulShutdown()
            await stop()
            group.cancelAll()
        }
    }

    private func watch() async {
        while true {
            await ended()
            if isStopped { return }
            note("\(name) has ended and is started again: \(lastLogLines)")
            try? await Task.sleep(for: .seconds(Self.restartSeconds))
            do { try await start() } catch {
                if error == .stopped { return }
                note("\(name) does not start, trying again: \(error)")
            }
        }
    }

    var log: String {
        guard let file = FileHandle(forReadingAtPath: logFile), let end = try? file.seekToEnd() else { return "" }
        try? file.seek(toOffset: end > Self.logEndBytes ? end - Self.logEndBytes : 0)
        return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
    }

    private var lastLogLines: String {
        log.split(separator: "\n").filter { !$0.contains(": Warning: ") }.suffix(3).joined(separator: "; ")
    }

    /// Begins a log anew that is too long. The program appends to it.
    func boundLog() {
        var status = stat()
        guard stat(logFile, &status) == 0, status.st_size > Self.maximumLogBytes else { return }
        truncate(logFile, 0)
    }
}

/// A process that ends when we end, even by SIGKILL.
///
/// One thread spawns it and then waits for it, because the parent-death signal (prctl(2), PR_SET_PDEATHSIG) fires
/// when the *thread* that forked ends, not the process.
final class ChildProcess: Sendable {
    private struct State {
        var pid: pid_t = 0
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let ending = ThreadEnding()

    /// Starts a program with stdout and stderr in `logFile`.
    ///
    /// - Parameter arguments: The first one is the program's path.
    init(_ arguments: [String], logFile: String) throws(BrokerError) {
        let failure = Mutex<Int32>(0)
        let isSpawned = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
            argv.append(nil)
            var pid: pid_t = 0
            let code = stridebus_spawn_tied(argv, logFile, &pid)
            for pointer in argv { free(pointer) }
            failure.withLock { $0 = code }
            if code == 0 { state.withLock { $0.pid = pid } }
            isSpawned.signal()
            if code == 0 { waitForEnd(pid: pid) }
        }
        isSpawned.wait()
        let code = failure.withLock(\.self)
        guard code != EWOULDBLOCK else {
            throw .file(path: logFile, reason: "another program works here: end it, or name another --data")
        }
        guard code == 0 else { throw .programFailed(arguments[0], says: String(cString: strerror(code))) }
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether it is this process that listens at a port, and not another program (proc(5)).
    func listens(at port: Int) -> Bool {
        let pid = state.withLock { $0.pid }
        let hexadecimal = ("000" + String(port, radix: 16, uppercase: true)).suffix(4)
        let listeners = [("tcp", 8), ("tcp6", 32)].flatMap { table, digits in
            // A file of /proc has no size, by which `FileManager.contents` would read its first page alone.
            let file = FileHandle(forReadingAtPath: "/proc/\(pid)/net/\(table)")
            let sockets = (try? file?.readToEnd()) ?? Data()
            // Nobody is at the other end of a socket that listens, whose state is 0A. The table has thousands of others.
            let mark = Data(":\(hexadecimal) \(String(repeating: "0", count: digits)):0000 0A ".utf8)
            var listeners: [String] = []
            var from = sockets.startIndex
            while let found = sockets.range(of: mark, in: from..<sockets.endIndex) {
                from = found.upperBound
                let rest = String(decoding: sockets[from...].prefix(Self.lineBytes), as: UTF8.self)
                listeners += rest.split(separator: " ").dropFirst(5).prefix(1).map { "socket:[\($0)]" }
            }
            return listeners
        }
        let folder = "/proc/\(pid)/fd"
        let names = listeners.isEmpty ? [] : (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            return target.map(listeners.contains) ?? false
        }
    }

    /// More than what a line of the table of sockets has behind the state.
    private static let lineBytes = 100

    /// Sends a signal, never to a pid that has been reaped.
    func signal(_ number: Int32) {
        state.withLock { if !$0.hasEnded { _ = kill($0.pid, number) } }
    }

    /// Returns when the process has ended and has been reaped.
    func ended() async { await ending.wait() }

    /// Waits without reaping, so that the pid stays ours until it can no longer be signalled; then reaps.
    private func waitForEnd(pid: pid_t) {
        while waitid(P_PID, id_t(pid), nil, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        state.withLock { state in
            state.hasEnded = true
            while waitpid(pid, nil, 0) == -1, errno == EINTR {}
        }
        ending.signal()
    }
}
