import Wire

/// What the service has done since it started, beside what its pipeline counts.
struct WorkerTally: Sendable {
    /// Messages of the bus, by what they were: each is in exactly one of the five.
    var motionMessages: UInt64 = 0
    var configMessages: UInt64 = 0
    var resendMessages: UInt64 = 0
    var forgetMessages: UInt64 = 0
    var refusedMessages: UInt64 = 0
    /// Transactions, and attempts at them that failed.
    var commits: UInt64 = 0
    var commitFailures: UInt64 = 0
    /// Minute rows changed.
    var rows: UInt64 = 0
    /// Connections at which the broker had forgotten us.
    var lostSessions: UInt64 = 0
    /// Batches acknowledged, and those whose connection was gone by then, so that they come again.
    var acknowledged: UInt64 = 0
    var acknowledgedTooLate: UInt64 = 0

    /// Everything that the service counts, as one flat list.
    func counters(
        _ pipeline: CounterTally, _ outbox: Outbox.Tally, live: LivePublisher
    ) -> [(name: String, value: UInt64)] {
        [
            ("motion_messages", motionMessages), ("config_messages", configMessages),
            ("resend_messages", resendMessages), ("forget_messages", forgetMessages),
            ("refused_messages", refusedMessages),
            ("received", pipeline.received), ("resumed", pipeline.resumed), ("accepted", pipeline.accepted),
            ("duplicate", pipeline.duplicate), ("late", pipeline.late), ("stale", pipeline.stale),
            ("refused", pipeline.refused), ("waiting", pipeline.waiting), ("parked", pipeline.parked),
            ("missing", pipeline.missing),
            ("devices", pipeline.devices), ("damaged_states", pipeline.damagedStates),
            ("partial_states", pipeline.partialStates),
            ("commits", commits), ("commit_failures", commitFailures), ("rows_changed", rows),
            ("acknowledged", acknowledged), ("acknowledged_too_late", acknowledgedTooLate),
            ("lost_sessions", lostSessions), ("published_batches", outbox.batches), ("published_rows", outbox.rows),
            ("publish_failures", outbox.failures), ("resends", outbox.resends),
            ("live_published", live.published), ("live_dropped", live.dropped),
        ]
    }
}
