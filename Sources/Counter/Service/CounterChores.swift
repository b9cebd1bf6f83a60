import ServiceKit
import Logging
import MQTT
import Wire

/// When the worker's occasional work is due.
package struct CounterChores: Sendable {
    /// How often minutes are pruned, in microseconds: an hour.
    static let pruneMicroseconds: Int64 = 3_600_000_000

    /// A tick that comes later than this after the one before means that the worker was held up, in microseconds.
    package static let heldUpMicroseconds: Int64 = 1_500_000

    /// The most devices that are taken up again in one tick, because they are quiet.
    static let maximumWoken = 200

    private var tickedAt = Int64.max / 2
    private var healthAt = Int64.min / 2
    private var prunedAt = Int64.min / 2

    mutating func wasHeldUp(at now: Int64) -> Bool {
        defer { tickedAt = now }
        return now - tickedAt > Self.heldUpMicroseconds
    }

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
    /// Tells what the service has counted.
    mutating func publishHealth(_ now: Int64) async {
        let health = ServiceHealth(
            t: LiveReports.seconds(now), service: .counter,
            counters: configuration.claim(epoch: store.epoch).counters
                + tally.counters(pipeline.tally, await outbox.tally, live: live))
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
