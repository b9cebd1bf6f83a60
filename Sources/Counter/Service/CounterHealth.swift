package import ServiceKit
import Synchronization
import Wire

/// Counters of the counter's own work, and their publication on `service/counter/health`. All parts of it share them.
package final class CounterCounters: Sendable {
    /// A thing that is counted, by its name on the bus.
    enum Counter: String, Sendable, CaseIterable {
        /// Messages of the bus with motion, and those that were refused.
        case motionMessages = "motion_messages", refusedMessages = "refused_messages"
        /// Inputs of which the counter has died twice, as long as they are kept.
        case setAside = "set_aside"
        /// Transactions that were begun, and attempts to write to the log or the store that failed.
        case commits, diskFailures = "commit_failures"
        case acknowledged
        /// Connections at which the broker had forgotten us.
        case lostSessions = "lost_sessions"
        /// Batches of rows that the broker took, the rows in them, publications that failed, and requests of history.
        case publishedBatches = "published_batches", publishedRows = "published_rows",
            publishFailures = "publish_failures", resends
        /// Live outputs that the connection did not take.
        case liveDropped = "live_dropped"
    }

    private struct State {
        var values: [Counter: UInt64] = [:]
        var tally = CounterTally()
        var publishedAt = Int64.min / 2
    }

    private let state = Mutex(State())
    private let connection: ServiceConnection?
    private let intervalMicroseconds: Int64
    private let clock = SteadyClock()

    /// Counters at 0. Without a connection they are not published.
    package init(connection: ServiceConnection? = nil, everySeconds: Int = 0) {
        self.connection = connection
        intervalMicroseconds = Int64(everySeconds) * 1_000_000
    }

    func add(_ counter: Counter, _ count: Int = 1) {
        state.withLock { $0.values[counter, default: 0] &+= UInt64(count) }
    }

    func set(_ counter: Counter, to value: UInt64) { state.withLock { $0.values[counter] = value } }

    func note(_ tally: CounterTally) { state.withLock { $0.tally = tally } }

    func publishWhenDue() {
        let now = clock.microseconds
        if state.withLock({ now - $0.publishedAt >= intervalMicroseconds }) { publish() }
    }

    func publish() {
        let now = clock.microseconds
        let named = state.withLock { state in
            state.publishedAt = now
            return Counter.allCases.map { (name: $0.rawValue, value: state.values[$0] ?? 0) } + state.tally.named
        }
        connection?.offer(ServiceHealth(t: WallClock.seconds(), service: .counter, counters: named))
    }
}

/// The fate of the records that a pipeline was given, since its start.
///
/// `received = accepted + duplicate + late + stale + refused + waiting`: nothing else happens to a record.
package struct CounterTally: Sendable, Equatable {
    /// Records given to the pipeline, and frames that waited in the states that it began with.
    package var received: UInt64 = 0
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
    /// Frames that never came so far, by their numbers.
    package var missing: UInt64 = 0
    /// Stored states that were damaged and set aside.
    package var damagedStates: UInt64 = 0
    /// Stored states with a section of another version or a damaged one: that section began anew.
    package var partialStates: UInt64 = 0
    package var devices: UInt64 = 0

    /// The counts under their names on `service/counter/health`.
    var named: [(name: String, value: UInt64)] {
        [
            ("received", received), ("accepted", accepted), ("duplicate", duplicate), ("late", late),
            ("stale", stale), ("refused", refused), ("waiting", waiting), ("missing", missing), ("devices", devices),
            ("damaged_states", damagedStates), ("partial_states", partialStates),
        ]
    }

    mutating func add(from old: MessageCounts, to new: MessageCounts) {
        accepted &+= new.accepted &- old.accepted
        duplicate &+= new.duplicate &- old.duplicate
        late &+= new.late &- old.late
        stale &+= new.stale &- old.stale
        missing &+= new.missing &- old.missing
    }
}
