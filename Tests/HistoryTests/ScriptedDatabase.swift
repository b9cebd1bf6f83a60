import History
import Synchronization

/// A database that fails or waits as a test says, and else is the real one.
final class ScriptedDatabase: SQLDatabase {
    private struct Script {
        var failures: [HistoryError] = []
        var hasFailed = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var isGateClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let database: any SQLDatabase
    private let script = Mutex(Script())
    private let reads = Atomic(0)

    /// How often was read.
    var readCount: Int { reads.load(ordering: .relaxed) }

    init(_ database: any SQLDatabase) { self.database = database }

    /// The next writes fail with these errors.
    func failWrites(_ failures: [HistoryError]) { script.withLock { $0.failures = failures } }

    /// Returns when a write has failed.
    func writeFails() async {
        for await _ in script.withLock(\.hasFailed.stream) { return }
    }

    /// Reading of several statements, such as that of an interval, waits from now on.
    func closeGate() { script.withLock { $0.isGateClosed = true } }

    /// Returns when a reader waits at the closed gate.
    func someoneWaits() async {
        await withCheckedContinuation { watcher in
            let isWaiting = script.withLock { script in
                if script.waiting.isEmpty { script.watchers.append(watcher) }
                return !script.waiting.isEmpty
            }
            if isWaiting { watcher.resume() }
        }
    }

    /// Readers go on.
    func openGate() {
        let waiting = script.withLock { script in
            script.isGateClosed = false
            defer { script.waiting = [] }
            return script.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    var name: String { database.name }

    func write<Result: Sendable>(
        _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        let failure = script.withLock { script -> HistoryError? in
            guard !script.failures.isEmpty else { return nil }
            script.hasFailed.continuation.yield()
            return script.failures.removeFirst()
        }
        if let failure { throw failure }
        return try await database.write(work)
    }

    func read<Result: Sendable>(
        isSnapshot: Bool, _ work: @Sendable @escaping (any SQLSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        reads.add(1, ordering: .relaxed)
        if isSnapshot { await passGate() }
        return try await database.read(isSnapshot: isSnapshot, work)
    }

    func makeRoom(forMonths months: Set<LocalDate>) async throws(HistoryError) {
        try await database.makeRoom(forMonths: months)
    }

    func dropEmptyMonths(before minute: Int64) async throws(HistoryError) -> Int {
        try await database.dropEmptyMonths(before: minute)
    }

    func close() async { await database.close() }

    private func passGate() async {
        await withCheckedContinuation { continuation in
            let (goesOn, watchers) = script.withLock { script in
                guard script.isGateClosed else { return (true, [CheckedContinuation<Void, Never>]()) }
                script.waiting.append(continuation)
                defer { script.watchers = [] }
                return (false, script.watchers)
            }
            if goesOn { continuation.resume() }
            for watcher in watchers { watcher.resume() }
        }
    }
}
