import Wire

/// What the service has done since it started, beside what its pipeline counts.
struct WorkerTally: Sendable {
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
