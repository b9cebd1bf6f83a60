import CSpawn
import Foundation
import Synchronization

/// A process that ends when we end, even by SIGKILL.
///
/// One thread spawns it and then waits for it, because the parent-death signal (prctl(2), PR_SET_PDEATHSIG) fires
/// when the *thread* that forked ends, not the process.
final class ChildProcess: Sendable {
    private struct State {
        var pid: pid_t = 0
        var hasEnded = false
        /// The signals sent before there was a process.
        var early: [Int32] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Starts the program with stdout and stderr in `logFile`, once. It can be signalled and waited for before that.
    func spawn(arguments: [String], logFile: String) async throws(EmbeddedBrokerError) {
        let failure = await withCheckedContinuation { (started: CheckedContinuation<Int32, Never>) in
            let start = ChildStart(child: self, arguments: arguments, logFile: logFile, started: started)
            Thread.detachNewThread { start.run() }
        }
        if failure != 0 { throw .spawnFailed(reason: String(cString: strerror(failure))) }
    }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Whether it is this process that listens at a port of 127.0.0.1, and not another program (proc(5)).
    func listens(at port: Int) -> Bool {
        let pid = state.withLock { $0.pid }
        guard pid > 0, let table = FileManager.default.contents(atPath: "/proc/\(pid)/net/tcp") else { return false }
        let digits = String(port, radix: 16, uppercase: true)
        let place = "0100007F:" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        let sockets = String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            let isListener = fields.count > 9 && fields[1] == place && fields[3] == "0A"
            return isListener ? "socket:[\(fields[9])]" : nil
        }
        let folder = "/proc/\(pid)/fd"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return false }
        return names.contains { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            return target.map(sockets.contains) ?? false
        }
    }

    /// Sends a signal, never to a pid that has been reaped; as soon as there is a process, where there is none yet.
    func signal(_ number: Int32) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            if state.pid > 0 { _ = kill(state.pid, number) } else { state.early.append(number) }
        }
    }

    /// Returns when the process has ended and has been reaped.
    func ended() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                if !state.hasEnded { state.waiters.append(waiter) }
                return state.hasEnded
            }
            if isOver { waiter.resume() }
        }
    }

    fileprivate func started(pid: pid_t) {
        state.withLock { state in
            state.pid = pid
            for number in state.early { _ = kill(pid, number) }
            state.early = []
        }
    }

    /// Waits without reaping, so that the pid stays ours until it can no longer be signalled; then reaps.
    fileprivate func waitForEnd(pid: pid_t) {
        while waitid(P_PID, id_t(pid), nil, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        end { while waitpid(pid, nil, 0) == -1, errno == EINTR {} }
    }

    fileprivate func end(reap: () -> Void = {}) {
        let waiters = state.withLock { state in
            state.hasEnded = true
            reap()
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// The arguments of the waiting thread.
private struct ChildStart: Sendable {
    let child: ChildProcess
    let arguments: [String]
    let logFile: String
    let started: CheckedContinuation<Int32, Never>

    func run() {
        var pid: pid_t = 0
        let code = spawn(&pid)
        guard code == 0 else {
            child.end()
            return started.resume(returning: code)
        }
        child.started(pid: pid)
        started.resume(returning: 0)
        child.waitForEnd(pid: pid)
    }

    private func spawn(_ pid: inout pid_t) -> Int32 {
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        argv.append(nil)
        defer { for pointer in argv { free(pointer) } }
        return stridebus_spawn_tied(argv, logFile, &pid)
    }
}
