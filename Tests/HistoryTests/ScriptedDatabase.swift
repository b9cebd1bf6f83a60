import History
import HookedDatabase
import Synchronization
import Watched

/// What a database does in a test: it fails or waits as the test says, and else is the real one.
final class ScriptedDatabase: Sendable {
    private struct Script: Sendable {
        var failures: [HistoryError] = []
        var failed = 0
        var isGateClosed = false
        var waiting = 0
        var reads = 0
    }

    private let script = Watched(Script())
    private let real: any SQLDatabase

    init(_ database: any SQLDatabase) { real = database }

    /// A store over it.
    func store() throws -> HistoryStore {
        let database = HookedDatabase(
            real,
            onCall: { [script] call throws(HistoryError) in
                switch call {
                case .write:
                    var failure: HistoryError?
                    script.change { script in
                        guard !script.failures.isEmpty else { return }
                        script.failed += 1
                        failure = script.failures.removeFirst()
                    }
                    if let failure { throw failure }
                case .written: break
                case .read(let isSnapshot):
                    script.change { $0.reads += 1 }
                    guard isSnapshot, script.now.isGateClosed else { return }
                    script.change { $0.waiting += 1 }
                    // A database that reads is not cancelled.
                    _ = await Task { await script.wait { !$0.isGateClosed } }.value
                }
            })
        return HistoryStore(database, defaultZone: try DayCalendar(zone: "UTC"))
    }

    /// How often was read.
    var readCount: Int { script.now.reads }

    /// The next writes fail with these errors.
    func failWrites(_ failures: [HistoryError]) { script.change { $0.failures = failures } }

    /// Returns when a write has failed.
    func writeFails() async { await script.wait { $0.failed > 0 } }

    /// Reading of several statements, such as that of an interval, waits from now on.
    func closeGate() { script.change { $0.isGateClosed = true } }

    /// Returns when a reader waits at the closed gate.
    func someoneWaits() async { await script.wait { $0.waiting > 0 } }

    /// Readers go on.
    func openGate() { script.change { $0.isGateClosed = false } }
}
