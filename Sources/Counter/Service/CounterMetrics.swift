import ServiceKit
import Synchronization
import Wire

/// What passed between the counter and the bus since its start.
struct BusTally: Sendable {
    /// Connections at which the broker had forgotten us.
    var lostSessions: UInt64 = 0
    /// Batches acknowledged, and those whose connection was gone by then, so that they come again.
    var acknowledged: UInt64 = 0
    var acknowledgedTooLate: UInt64 = 0
    /// Live outputs that the connection took, and those that it did not take.
    var livePublished: UInt64 = 0
    var liveDropped: UInt64 = 0
}

/// Publishes the health of the service.
final class CounterReporter: Sendable {
    private struct Report {
        var messages = MessageTally()
        var pipeline = CounterTally()
        var bus = BusTally()
        /// Attempts to write to the log or the store that failed.
        var diskFailures: UInt64 = 0
        var publishedAt = Int64.min / 2
    }

    private let outbox: Outbox
    private let connection: ServiceConnection
    private let intervalMicroseconds: Int64
    private let clock = SteadyClock()
    private let report = Mutex(Report())

    init(outbox: Outbox, connection: ServiceConnection, everySeconds: Int) {
        (self.outbox, self.connection) = (outbox, connection)
        intervalMicroseconds = Int64(everySeconds) * 1_000_000
    }

    func note(_ messages: MessageTally, _ pipeline: CounterTally, _ bus: BusTally) {
        report.withLock { ($0.messages, $0.pipeline, $0.bus) = (messages, pipeline, bus) }
    }

    func noteFailure() { report.withLock { $0.diskFailures &+= 1 } }

    func publishWhenDue() async {
        let now = clock.microseconds
        if report.withLock({ now - $0.publishedAt >= intervalMicroseconds }) { await publish() }
    }

    func publish() async {
        let (now, outbox) = (clock.microseconds, await outbox.tally)
        let counters = report.withLock { report in
            report.publishedAt = now
            return Self.counters(report, outbox)
        }
        connection.offer(ServiceHealth(t: LiveReports.seconds(now), service: .counter, counters: counters))
    }

    private static func counters(_ report: Report, _ outbox: Outbox.Tally) -> [(name: String, value: UInt64)] {
        let (messages, pipeline, bus) = (report.messages, report.pipeline, report.bus)
        return [
            ("motion_messages", messages.motionMessages), ("config_messages", messages.configMessages),
            ("resend_messages", messages.resendMessages), ("forget_messages", messages.forgetMessages),
            ("refused_messages", messages.refusedMessages),
            ("received", pipeline.received), ("resumed", pipeline.resumed), ("accepted", pipeline.accepted),
            ("duplicate", pipeline.duplicate), ("late", pipeline.late), ("stale", pipeline.stale),
            ("refused", pipeline.refused), ("waiting", pipeline.waiting), ("parked", pipeline.parked),
            ("missing", pipeline.missing),
            ("devices", pipeline.devices), ("damaged_states", pipeline.damagedStates),
            ("partial_states", pipeline.partialStates),
            ("commits", messages.commits), ("commit_failures", report.diskFailures),
            ("rows_changed", messages.rows),
            ("acknowledged", bus.acknowledged), ("acknowledged_too_late", bus.acknowledgedTooLate),
            ("lost_sessions", bus.lostSessions), ("published_batches", outbox.batches), ("published_rows", outbox.rows),
            ("publish_failures", outbox.failures), ("resends", outbox.resends),
            ("live_published", bus.livePublished), ("live_dropped", bus.liveDropped),
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

/// What came over the bus, and what was stored, since the start.
package struct MessageTally: Sendable {
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
