import MQTT
import Synchronization

/// The input of the worker, in the order of time.
enum WorkerInput: Sendable {
    /// Messages came.
    case batch(MQTTBatch)
    /// Time has passed.
    case tick
    /// The commit that the worker handed over is stored, or cannot be.
    case stored(Result<Void, any Error>)
    /// The reading has ended, in order or with an error.
    case finished((any Error)?)
}

/// Brings batches and ticks into one line for the worker. There is never more than one batch in it, because the
/// consumer reads no further before that one is acknowledged, and never more than one tick.
final class WorkerInputs: Sendable {
    let stream: AsyncStream<WorkerInput>
    private let continuation: AsyncStream<WorkerInput>.Continuation
    private let hasTick = Atomic(false)

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    /// Reads until the consumer ends; `subscribed` is called whenever a connection's subscriptions are in force.
    func read(_ consumer: MQTTConsumer, subscribed: () -> Void) async {
        do {
            for try await batch in consumer.batches {
                if batch.connection != nil { subscribed() }
                continuation.yield(.batch(batch))
            }
            continuation.yield(.finished(nil))
        } catch {
            continuation.yield(.finished(error))
        }
    }

    /// Ticks until it is cancelled.
    func tick(everyMilliseconds milliseconds: Int) async {
        while (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil {
            if !hasTick.exchange(true, ordering: .relaxed) { continuation.yield(.tick) }
        }
    }

    /// Tells how a commit has come to its end.
    func stored(_ result: Result<Void, any Error>) {
        continuation.yield(.stored(result))
    }

    func tickTaken() {
        hasTick.store(false, ordering: .relaxed)
    }
}
