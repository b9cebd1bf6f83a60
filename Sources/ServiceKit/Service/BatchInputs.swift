package import MQTT
import ServiceLifecycle
import Synchronization

/// The batches of a session, and the wakes of who takes them: a batch, a tick, or the end of other work.
///
/// There is never more than one batch in it, because a consumer reads no further before that is acknowledged.
package final class BatchInputs: Sendable {
    private struct Waiting {
        var batches: [MQTTBatch] = []
        /// The end of the reading, in order or with an error.
        var end: Result<Void, any Error>?
    }

    private let waiting = Mutex(Waiting())
    private let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (wakes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func wake() { continuation.yield() }

    /// Returns after the next wake.
    ///
    /// - Throws: `CancellationError`.
    package func wait() async throws {
        for await _ in wakes { return }
        throw CancellationError()
    }

    /// The batches since the last call, after the next wake where there are none; `nil` when no more is read.
    package func next() async throws -> [MQTTBatch]? {
        if waiting.withLock({ $0.batches.isEmpty && $0.end == nil }) { try await wait() }
        return try waiting.withLock { waiting in
            defer { waiting.batches = [] }
            guard waiting.batches.isEmpty, let end = waiting.end else { return waiting.batches }
            try end.get()
            return nil
        }
    }

    /// Reads until the consumer ends; `subscribed` is called whenever a connection's subscriptions are in force.
    package func read(_ consumer: MQTTConsumer, subscribed: () -> Void = {}) async {
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

    /// Wakes until it is cancelled.
    package func tick(everyMilliseconds milliseconds: Int) async {
        while (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil { wake() }
    }
}

/// Repeats work until it succeeds, with growing waits between the tries.
///
/// A service that is asked to shut down meanwhile tries on for `stopSeconds`; a task that is cancelled does not.
///
/// - Parameters:
///   - backoff: The waits.
///   - stopSeconds: How long it is tried after the shutdown has begun, in seconds.
///   - isHopeless: Called after each failure; `true` ends the tries. The place to count and to log.
/// - Throws: The last failure, or `CancellationError` when cancelled during a wait.
package func withRetry<Value>(
    backoff: MQTTBackoff, stopSeconds: Double = 0, until isHopeless: (any Error) async -> Bool,
    _ work: () async throws -> Value
) async throws -> Value {
    var failures = 0
    var stopBegan: ContinuousClock.Instant?
    while true {
        do {
            return try await work()
        } catch {
            failures += 1
            if await isHopeless(error) || Task.isCancelled { throw error }
            if Task.isShuttingDownGracefully {
                stopBegan = stopBegan ?? .now
                if let stopBegan, .now - stopBegan >= .seconds(stopSeconds) { throw error }
            }
        }
        try await Task.sleep(for: .seconds(backoff.seconds(afterFailures: failures, random: .random(in: 0..<1))))
    }
}
