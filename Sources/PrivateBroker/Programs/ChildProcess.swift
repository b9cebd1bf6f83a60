import CSpawn
import Foundation
import MQTT
import Synchronization

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
