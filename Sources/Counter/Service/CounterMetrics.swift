import Logging
import MQTT
import ServiceKit
import Wire

/// The counters of the worker since its start.
struct CounterMetrics: Sendable {
    /// Attempts to write to the log, or to the store beside its commits, that failed.
    var commitFailures: UInt64 = 0
    /// Connections at which the broker had forgotten us.
    var lostSessions: UInt64 = 0
    /// Batches acknowledged, and those whose connection was gone by then, so that they come again.
    var acknowledged: UInt64 = 0
    var acknowledgedTooLate: UInt64 = 0

    /// Everything that the service counts, as one flat list.
    func counters(
        _ loop: LoopTally, _ pipeline: CounterTally, _ outbox: Outbox.Tally, live: LivePublisher, storeFailures: UInt64
    ) -> [(name: String, value: UInt64)] {
        [
            ("motion_messages", loop.motionMessages), ("config_messages", loop.configMessages),
            ("resend_messages", loop.resendMessages), ("forget_messages", loop.forgetMessages),
            ("refused_messages", loop.refusedMessages),
            ("received", pipeline.received), ("resumed", pipeline.resumed), ("accepted", pipeline.accepted),
            ("duplicate", pipeline.duplicate), ("late", pipeline.late), ("stale", pipeline.stale),
            ("refused", pipeline.refused), ("waiting", pipeline.waiting), ("parked", pipeline.parked),
            ("missing", pipeline.missing),
            ("devices", pipeline.devices), ("damaged_states", pipeline.damagedStates),
            ("partial_states", pipeline.partialStates),
            ("commits", loop.commits), ("commit_failures", commitFailures &+ storeFailures),
            ("rows_changed", loop.rows),
            ("acknowledged", acknowledged), ("acknowledged_too_late", acknowledgedTooLate),
            ("lost_sessions", lostSessions), ("published_batches", outbox.batches), ("published_rows", outbox.rows),
            ("publish_failures", outbox.failures), ("resends", outbox.resends),
            ("live_published", live.published), ("live_dropped", live.dropped),
        ]
    }
}

/// The fate of the records that a pipeline was given, since its start.
///
/// `received + resumed = accepted + duplicate + late + stale + refused + waiting + parked`: nothing else happens to a
/// record.
package struct CounterTally: Sendable, Equatable {
    /// Records given to the pipeline.
    package var received: UInt64 = 0
    /// Frames that waited in restored states.
    package var resumed: UInt64 = 0
    /// Counted in order.
    package var accepted: UInt64 = 0
    /// Seen before.
    package var duplicate: UInt64 = 0
    /// Counted after later ones.
    package var late: UInt64 = 0
    /// Not counted: they may have been counted before.
    package var stale: UInt64 = 0
    /// Not counted: of a device too many, with an absurd arrival, or refused by ingest already.
    package var refused: UInt64 = 0
    /// Frames that wait for earlier ones.
    package var waiting: UInt64 = 0
    /// Frames that waited in states when those were dropped from memory.
    package var parked: UInt64 = 0
    /// Frames that never came so far, by their numbers.
    package var missing: UInt64 = 0
    /// Stored states that were damaged and set aside.
    package var damagedStates: UInt64 = 0
    /// Stored states with a section of another version or a damaged one: that section began anew.
    package var partialStates: UInt64 = 0
    package var devices: UInt64 = 0

    /// All zero.
    package init() {}

    mutating func add(from old: MessageCounts, to new: MessageCounts) {
        accepted &+= new.accepted &- old.accepted
        duplicate &+= new.duplicate &- old.duplicate
        late &+= new.late &- old.late
        stale &+= new.stale &- old.stale
        missing &+= new.missing &- old.missing
    }
}

/// The counters of the loop since its start.
package struct LoopTally: Sendable {
    /// Messages of the bus by kind: each is counted in exactly one of the five.
    var motionMessages: UInt64 = 0
    var configMessages: UInt64 = 0
    var resendMessages: UInt64 = 0
    var forgetMessages: UInt64 = 0
    var refusedMessages: UInt64 = 0
    /// Transactions that were begun.
    var commits: UInt64 = 0
    /// Minute rows changed.
    var rows: UInt64 = 0
}

extension CounterWorker {
    mutating func publishHealth(_ now: Int64) async {
        ServiceProgress.note(.counter)
        let health = ServiceHealth(
            t: LiveReports.seconds(now), service: .counter,
            counters: tally.counters(
                loop.tally, loop.pipeline.tally, await outbox.tally, live: live, storeFailures: writer.failures))
        live.offer(
            MQTTPublication(
                topic: configuration.bus.topics.bytes(configuration.healthTopic), payload: health.encodedJSON(),
                qos: .atMostOnce, retain: true))
    }

    /// Deletes minutes that history has had for long. It may fail now and succeed in an hour.
    /// - Returns: Whether there may be more.
    mutating func prune(_ now: Int64) async -> Bool {
        let oldest = MinuteIncrement.minute(of: now) - Int64(configuration.limits.retentionDays) * 1440
        do {
            let count = try await store.prune(beforeMinute: oldest)
            if count > 0 { logger.info("minutes that history has were pruned", metadata: ["count": "\(count)"]) }
            return count >= CounterStore.maximumPruned
        } catch {
            tally.commitFailures &+= 1
            logger.warning("minutes were not pruned", metadata: ["reason": "\(error)"])
            return false
        }
    }
}
