package import Wire

/// Counters of history's own work, published on `service/history/health`.
package struct HistoryCounters: Sendable {
    /// A thing that is counted, by its name on the bus.
    enum Counter: String, Sendable, CaseIterable {
        /// Batches of rows read, the rows in them, and gaps seen.
        case batches, rowsReceived = "rows_received", gaps
        /// Requests for rows.
        case resends
        /// Rows that were new or newer, known already, senseless or of devices beyond the limit, of minutes of which only
        /// the day is kept, and of minutes that were erased.
        case rowsApplied = "rows_applied", rowsRepeated = "rows_repeated", rowsRefused = "rows_refused",
            rowsTooOld = "rows_too_old", rowsErased = "rows_erased"
        /// Minutes that went and left their day.
        case minutesCompacted = "minutes_compacted"
        /// Transactions, and tries of one that failed.
        case commits, commitFailures = "commit_failures"
        /// Settings of devices taken.
        case configs
        /// Retained totals published, and publications that failed.
        case published, publishFailures = "publish_failures"
        /// Requests answered with data, with an error, and among these with `not_authorised`.
        case requestsOK = "requests_ok", requestsError = "requests_error",
            requestsNotAuthorised = "requests_not_authorised"
        /// Requests answered with `too_busy`; not answered because it was too late, or because they were retained; and
        /// dropped because there is nowhere safe to answer, or nothing that could be understood.
        case requestsTooBusy = "requests_too_busy", requestsExpired = "requests_expired",
            requestsRetained = "requests_retained", requestsDropped = "requests_dropped"
        /// Reply topics outside `reply/`, or with wildcards.
        case repliesUnsafe = "replies_unsafe"
        /// Erasures that the broker has for the counters.
        case erasuresSent = "forgotten"
        /// Messages, rows and requests of which history has died twice, as long as they are kept.
        case setAside = "set_aside"
        /// Damaged files set aside at the start.
        case storesSetAside = "stores_set_aside"
    }

    package init() {}

    private var values: [Counter: UInt64] = [:]
    private var refused: [WireError: UInt64] = [:]

    subscript(counter: Counter) -> UInt64 {
        get { values[counter] ?? 0 }
        set { values[counter] = newValue }
    }

    /// Counts a message that was refused.
    mutating func refuse(_ reason: WireError) { refused[reason, default: 0] += 1 }

    mutating func note(_ outcome: CommitOutcome) {
        self[.commits] += 1
        self[.rowsApplied] += UInt64(outcome.appliedRows)
        self[.rowsRepeated] += UInt64(outcome.repeatedRows)
        self[.rowsRefused] += UInt64(outcome.refusedRows)
        self[.rowsTooOld] += UInt64(outcome.lateRows)
        self[.rowsErased] += UInt64(outcome.erasedRows)
    }

    /// The counts of two parts of history together.
    static func + (one: HistoryCounters, other: HistoryCounters) -> HistoryCounters {
        var all = one
        all.values.merge(other.values, uniquingKeysWith: +)
        all.refused.merge(other.refused, uniquingKeysWith: +)
        return all
    }

    /// The counters as they stand on the bus.
    package func report(nowSeconds: Double, also costs: [(name: String, value: UInt64)] = []) -> ServiceHealth {
        let known = Counter.allCases.map { (name: $0.rawValue, value: self[$0]) }
        let reasons = WireError.allCases.compactMap { reason in
            refused[reason].map { (name: "refused_\(reason.reason)", value: $0) }
        }
        return ServiceHealth(t: nowSeconds, service: .history, counters: known + reasons + costs)
    }
}
