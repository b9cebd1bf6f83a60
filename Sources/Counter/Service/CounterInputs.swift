import MQTT
import Synchronization
import Wire

/// The batches of all sessions, and the wakes of the counter: a batch, a tick, or the end of a commit.
///
/// There is never more than one batch of a consumer in it, because that reads no further before it is acknowledged.
/// Batches that came meanwhile are taken together: a sync of the log costs the same for one and for many.
final class CounterInputs: Sendable {
    /// A batch, with the partition of the session that it came over; `nil` for the counter's own session.
    typealias Batch = (partition: Partition?, batch: MQTTBatch)

    private struct Waiting {
        var batches: [Batch] = []
        var withdrawn: Set<Partition> = []
        /// The end of the reading, in order or with an error.
        var end: Result<Void, any Error>?
    }

    private let waiting = Mutex(Waiting())
    private let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wake() { continuation.yield() }

    /// Returns after the next wake.
    ///
    /// - Throws: `CancellationError`.
    func wait() async throws {
        for await _ in wakes { return }
        throw CancellationError()
    }

    /// The batches since the last call, after the next wake where there are none; `nil` when no more is read.
    func next() async throws -> [Batch]? {
        if let batches = try take(), !batches.isEmpty { return batches }
        guard waiting.withLock({ $0.end == nil }) else { return nil }
        try await wait()
        return try take()
    }

    private func take() throws -> [Batch]? {
        try waiting.withLock { waiting in
            defer { waiting.batches = [] }
            guard waiting.batches.isEmpty, let end = waiting.end else { return waiting.batches }
            try end.get()
            return nil
        }
    }

    /// Reads until the consumer ends; `subscribed` is called whenever a connection's subscriptions are in force.
    ///
    /// - Parameter partition: The partition that the consumer reads; its end is not that of the reading.
    func read(_ consumer: MQTTConsumer, of partition: Partition? = nil, subscribed: () -> Void) async {
        do {
            for try await batch in consumer.batches {
                if batch.connection != nil { subscribed() }
                waiting.withLock { waiting in
                    if let partition, waiting.withdrawn.contains(partition) { return }
                    waiting.batches.append((partition, batch))
                }
                wake()
            }
            if partition == nil { end(.success(())) }
        } catch {
            end(.failure(error))
        }
    }

    private func end(_ end: Result<Void, any Error>) {
        waiting.withLock { $0.end = end }
        wake()
    }

    /// Takes no more of a partition, and gives what waits of it back to the broker.
    func withdraw(_ partition: Partition) {
        // Released outside of the lock: a batch that goes unacknowledged tells its connection.
        _ = waiting.withLock { waiting in
            waiting.withdrawn.insert(partition)
            defer { waiting.batches.removeAll { $0.partition == partition } }
            return waiting.batches
        }
    }

    /// Takes what comes of a partition.
    func admit(_ partition: Partition) {
        waiting.withLock { _ = $0.withdrawn.remove(partition) }
    }

    /// Wakes the counter until it is cancelled.
    func tick(everyMilliseconds milliseconds: Int) async {
        while (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil { wake() }
    }
}
