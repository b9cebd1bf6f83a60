import MQTT
import Synchronization
import Wire

/// What history counts, from all its tasks; published on `service/history/health`.
final class HistoryTelemetry: Sendable {
    /// A thing that is counted, by its name on the bus.
    enum Counter: String, Sendable, CaseIterable {
        /// Rows that were new or newer.
        case rowsApplied = "rows_applied"
        /// Rows that were known already.
        case rowsRepeated = "rows_repeated"
        /// Rows that make no sense, or of devices beyond the limit.
        case rowsRefused = "rows_refused"
        /// Rows of minutes of which there are only hours any more.
        case rowsTooOld = "rows_too_old"
        /// Minutes that became hours.
        case minutesCompacted = "minutes_compacted"
        /// Months of which there are only hours any more, and whose partitions are gone.
        case monthsDropped = "months_dropped"
        /// Transactions.
        case commits
        /// Transactions that failed and were tried again.
        case commitFailures = "commit_failures"
        /// Settings of devices taken.
        case configs
        /// Retained totals published.
        case published
        /// Publications that failed and are tried again.
        case publishFailures = "publish_failures"
        /// Requests answered with data.
        case requestsOK = "requests_ok"
        /// Requests answered with an error.
        case requestsError = "requests_error"
        /// Requests answered with `not_authorised`; they are among those answered with an error.
        case requestsNotAuthorised = "requests_not_authorised"
        /// Requests answered with `too_busy`.
        case requestsTooBusy = "requests_too_busy"
        /// Requests not answered because nobody waits for the answer any more.
        case requestsExpired = "requests_expired"
        /// Requests ignored because they were retained.
        case requestsRetained = "requests_retained"
        /// Reply topics outside `reply/`, or with wildcards.
        case repliesUnsafe = "replies_unsafe"
        /// Requests dropped because there is nowhere safe to answer, or nothing that could be understood.
        case requestsDropped = "requests_dropped"
        /// Notices of leases published.
        case notices
        /// Tries of a notice that nobody was there to hear.
        case noticesUnheard = "notices_unheard"
        /// Leases that ended because nobody heard their notices.
        case leasesAbandoned = "leases_abandoned"
        /// Leases that ended because nobody renewed them.
        case leasesExpired = "leases_expired"
        /// Orders to forget that the broker has for the counter.
        case forgotten
        /// Damaged files set aside at the start.
        case storesSetAside = "stores_set_aside"
    }

    private struct Values {
        var counters: [Counter: UInt64] = [:]
        var refused: [WireError: UInt64] = [:]
    }

    private let values = Mutex(Values())

    /// Counts something that has happened, perhaps several times.
    func count(_ counter: Counter, _ number: Int = 1) {
        guard number > 0 else { return }
        values.withLock { $0.counters[counter, default: 0] &+= UInt64(number) }
    }

    /// Counts a message that was refused.
    func refuse(_ reason: WireError) {
        values.withLock { $0.refused[reason, default: 0] &+= 1 }
    }

    /// How often something has happened.
    func value(_ counter: Counter) -> UInt64 {
        values.withLock { $0.counters[counter] ?? 0 }
    }

    /// The report for the bus.
    func health(_ tally: HistoryPipeline.Tally, nowSeconds: Double) -> ServiceHealth {
        let values = values.withLock { $0 }
        var counters: [(name: String, value: UInt64)] = [
            ("batches", tally.batches), ("rows_received", tally.rows), ("gaps", tally.gaps),
            ("resends", tally.resends),
        ]
        counters += Counter.allCases.map { ($0.rawValue, values.counters[$0] ?? 0) }
        counters += WireError.allCases.compactMap { reason in
            values.refused[reason].map { ("refused_\(reason.reason)", $0) }
        }
        return ServiceHealth(t: nowSeconds, service: .history, counters: counters)
    }
}
