import Foundation

/// A disk that is slow or read-only, as a running process sees it: strace(1) holds up or refuses the system calls by
/// which SQLite writes. A real remount is refused while a file is open for writing, and a real delay needs a kernel's
/// device mapper; this needs neither, and is over at once when strace ends.
enum SystemCallFault: Sendable {
    /// Every wait for the disk takes so much longer.
    case slow(milliseconds: Int)
    /// Every write answers EROFS.
    case readOnly

    private static let tracer = URL(fileURLWithPath: "/usr/bin/strace")

    /// Whether this machine lets us trace another process.
    static func isPossible() async -> Bool {
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("faultbench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: log) }
        guard FileManager.default.isExecutableFile(atPath: tracer.path),
            let sleeper = try? ServiceProcess(
                executable: URL(fileURLWithPath: "/bin/sleep"), arguments: ["60"], log: log),
            let probe = try? SystemCallFault.readOnly.begin(on: sleeper.identifier, log: log)
        else { return false }
        // A tracer that may not trace ends.
        while probe.isRunning, sleeper.isRunning, !isTraced(sleeper.identifier) {
            try? await ContinuousClock().sleep(for: .milliseconds(10))
        }
        let holds = probe.isRunning && sleeper.isRunning
        await probe.ended(withinSeconds: 0)
        await sleeper.ended(withinSeconds: 0)
        return holds
    }

    private static func isTraced(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        return status.map { !$0.contains("TracerPid:\t0\n") } ?? false
    }

    /// Begins; the fault lasts as long as the process that is returned.
    func begin(on process: Int32, log: URL) throws -> ServiceProcess {
        try ServiceProcess(
            executable: Self.tracer,
            arguments: [
                "-f", "-qq", "-o", "/dev/null", "-p", "\(process)", "-e", "trace=\(calls)", "-e",
                "inject=\(calls):\(effect)",
            ], log: log)
    }

    /// Ends it, and lets the process go on as it was.
    static func end(_ tracing: ServiceProcess) async {
        tracing.send(SIGTERM)
        await tracing.ended(withinSeconds: 5)
    }

    private var calls: String {
        switch self {
        case .slow: "fdatasync,fsync"
        case .readOnly: "pwrite64,pwritev,ftruncate,fallocate,unlink"
        }
    }

    private var effect: String {
        switch self {
        case .slow(let milliseconds): "delay_enter=\(milliseconds * 1000)"
        case .readOnly: "error=EROFS"
        }
    }
}
