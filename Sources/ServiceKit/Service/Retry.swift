package import MQTT
import ServiceLifecycle

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
