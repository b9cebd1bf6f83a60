import Logging
import MQTT
import ServiceKit
import Synchronization
import Wire

/// What the worker is given, one after another.
enum CounterEvent: Sendable {
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
final class CounterEvents: Sendable {
    let stream: AsyncStream<CounterEvent>
    private let continuation: AsyncStream<CounterEvent>.Continuation
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

    /// The worker has taken the tick.
    func tickTaken() {
        hasTick.store(false, ordering: .relaxed)
    }
}

/// When the worker's occasional work is due.
struct PeriodicWork: Sendable {
    /// How often minutes are pruned, in microseconds: an hour.
    static let pruneMicroseconds: Int64 = 3_600_000_000

    private var healthAt = Int64.min / 2
    private var prunedAt = Int64.min / 2

    mutating func isHealthDue(at now: Int64, seconds: Int) -> Bool {
        guard now - healthAt >= Int64(seconds) * 1_000_000 else { return false }
        healthAt = now
        return true
    }

    mutating func isPruningDue(at now: Int64) -> Bool {
        guard now - prunedAt >= Self.pruneMicroseconds else { return false }
        prunedAt = now
        return true
    }
}

extension CounterWorker {
    mutating func publishHealthWhenDue(_ now: Int64) async {
        if periodicWork.isHealthDue(at: now, seconds: configuration.limits.healthSeconds) { await publishHealth(now) }
    }

    /// Tells what the service has counted.
    mutating func publishHealth(_ now: Int64) async {
        let health = ServiceHealth(
            t: LiveReports.seconds(now), service: .counter,
            counters: tally.counters(
                loop.tally, loop.pipeline.tally, await outbox.tally, live: live, storeFailures: writer.failures))
        live.offer(
            MQTTPublication(
                topic: configuration.bus.topics.bytes(.serviceHealth(.counter)), payload: health.encodedJSON(),
                qos: .atMostOnce, retain: true))
    }

    /// Deletes minutes that history has had for long. It may fail now and succeed in an hour.
    mutating func prune(_ now: Int64) async {
        let oldest = MinuteIncrement.minute(of: now) - Int64(configuration.limits.retentionDays) * 1440
        do {
            let count = try await store.prune(beforeMinute: oldest)
            if count > 0 { logger.info("minutes that history has were pruned", metadata: ["count": "\(count)"]) }
        } catch {
            tally.commitFailures &+= 1
            logger.warning("minutes were not pruned", metadata: ["reason": "\(error)"])
        }
    }
}
