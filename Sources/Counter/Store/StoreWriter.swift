import Logging
import MQTT
import ServiceKit
import Synchronization

/// Stores commits beside the work, one after another, each until it succeeds: what is stored is in the log meanwhile.
///
/// It ends with the task that runs it, so that nothing writes to a store that is closed.
final class StoreWriter: Sendable {
    private typealias Job = (commit: CounterCommit, nowMicroseconds: Int64)

    /// The waits between attempts to write.
    static let backoff = MQTTBackoff(minimumSeconds: 0.05, maximumSeconds: 5)

    private let store: CounterStore
    private let events: WorkerInputs
    /// How long storing is retried after the service was asked to stop, in seconds.
    private let stopSeconds: Double
    private let logger: Logger
    private let failureCount = Atomic<UInt64>(0)
    private let jobs: AsyncStream<Job>
    private let continuation: AsyncStream<Job>.Continuation

    init(store: CounterStore, events: WorkerInputs, stopSeconds: Double, logger: Logger) {
        self.store = store
        self.events = events
        self.stopSeconds = stopSeconds
        self.logger = logger
        (jobs, continuation) = AsyncStream.makeStream()
    }

    /// Attempts that failed since the start.
    var failures: UInt64 { failureCount.load(ordering: .relaxed) }

    /// Begins to store a commit; its end is an event. There is one at a time.
    func begin(_ commit: CounterCommit, nowMicroseconds: Int64) { continuation.yield((commit, nowMicroseconds)) }

    /// Stores what is begun until the task is cancelled.
    func run() async {
        for await var job in jobs {
            job.commit.encodeStates()
            do {
                events.stored(.success(try await store(job)))
            } catch {
                events.stored(.failure(error))
            }
        }
    }

    private func store(_ job: Job) async throws -> [ClaimOutcome] {
        try await withRetry(
            backoff: Self.backoff, stopSeconds: stopSeconds,
            until: { error in
                guard (error as? CounterError)?.isTransient == true else { return true }
                failureCount.add(1, ordering: .relaxed)
                logger.error("what is counted waits in the log", metadata: ["reason": "\(error)"])
                return false
            },
            { try await store.commit(job.commit, nowMicroseconds: job.nowMicroseconds) })
    }
}
