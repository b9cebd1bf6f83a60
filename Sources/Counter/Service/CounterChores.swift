import ServiceKit
import Logging
import MQTT
import Wire

/// When the worker's occasional work is due.
struct CounterChores: Sendable {
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
        if chores.isHealthDue(at: now, seconds: configuration.limits.healthSeconds) { await publishHealth(now) }
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
