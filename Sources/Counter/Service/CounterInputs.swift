import MQTT
import Synchronization
import Wire

/// The batches of the session, and the wakes of the counter: a batch, a tick, or the end of a commit.
///
/// There is never more than one batch in it, because a consumer reads no further before that is acknowledged.
final class CounterInputs: Sendable {
    private struct Waiting {
        var batches: [MQTTBatch] = []
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
    func next() async throws -> [MQTTBatch]? {
        if waiting.withLock({ $0.batches.isEmpty && $0.end == nil }) { try await wait() }
        return try waiting.withLock { waiting in
            defer { waiting.batches = [] }
            guard waiting.batches.isEmpty, let end = waiting.end else { return waiting.batches }
            try end.get()
            return nil
        }
    }

    /// Reads until the consumer ends; `subscribed` is called whenever a connection's subscriptions are in force.
    func read(_ consumer: MQTTConsumer, subscribed: () -> Void) async {
        let end: Result<Void, any Error>
        do {
            for try await batch in consumer.batches {
                if batch.connection != nil { subscribed() }
                waiting.withLock { $0.batches.append(batch) }
                wake()
            }
            end = .success(())
        } catch { end = .failure(error) }
        waiting.withLock { $0.end = end }
        wake()
    }

    /// Wakes the counter until it is cancelled.
    func tick(everyMilliseconds milliseconds: Int) async {
        while (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil { wake() }
    }
}
