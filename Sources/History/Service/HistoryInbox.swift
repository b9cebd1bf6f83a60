import MQTT
import Synchronization

/// The wakes of `HistoryMain`: a batch, a tick, or the end of the reading.
///
/// There is never more than one batch in it, because a consumer reads no further before it is acknowledged, and one tick.
struct HistoryInbox: Sendable {
    private enum Wake: Sendable {
        case batch(MQTTBatch)
        case tick
        case ended(Result<Void, any Error>)
    }

    private final class Ticks: Sendable {
        let isWaiting = Atomic(false)
    }

    /// The time between two ticks, in milliseconds.
    private static let tickMilliseconds = 200

    private let wakes: AsyncStream<Wake>
    private let continuation: AsyncStream<Wake>.Continuation
    private let ticks = Ticks()

    init() { (wakes, continuation) = AsyncStream.makeStream() }

    /// Takes in batches until the consumer has ended.
    func read(_ consumer: MQTTConsumer) async {
        do {
            for try await batch in consumer.batches { continuation.yield(.batch(batch)) }
            continuation.yield(.ended(.success(())))
        } catch { continuation.yield(.ended(.failure(error))) }
    }

    /// Ticks until it is cancelled.
    func tick() async {
        while (try? await Task.sleep(for: .milliseconds(Self.tickMilliseconds))) != nil {
            if !ticks.isWaiting.exchange(true, ordering: .relaxed) { continuation.yield(.tick) }
        }
    }

    /// Waits for a batch; there is none after a tick.
    /// - Returns: Whether more may come, and the batch.
    /// - Throws: `CancellationError`, or why the reading has ended.
    func next() async throws -> (isOpen: Bool, batch: MQTTBatch?) {
        for await wake in wakes {
            switch wake {
            case .batch(let batch): return (true, batch)
            case .tick:
                ticks.isWaiting.store(false, ordering: .relaxed)
                return (true, nil)
            case .ended(let end):
                try end.get()
                return (false, nil)
            }
        }
        throw CancellationError()
    }
}
