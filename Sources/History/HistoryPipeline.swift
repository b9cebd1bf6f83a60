public import Wire

/// Decides what history does with what comes from the counter: which rows to keep, how far each counter's chain is
/// known, and when to ask for rows again. A value without input, output or clock.
///
/// The messages of a counter form a chain: each names the last revision of the one before. A message that names a
/// later revision than the last one known shows a gap; its rows are kept, because they are states and true by
/// themselves, but the cursor stays until the counter has sent what was missed.
public struct HistoryPipeline: Sendable {
    /// What waits to be committed.
    private var changes = HistoryChanges()
    private var chains: CountsChains
    private var hasConnected = false
    /// What was noticed so far.
    public private(set) var tally = Tally()

    /// The shortest time between two requests, in seconds.
    public static let minimumResendSeconds = 2.0
    /// The longest time between two requests while a gap stays open, in seconds.
    public static let maximumResendSeconds = 60.0

    /// What the pipeline counts.
    public struct Tally: Sendable, Equatable {
        /// Batches read.
        public var batches: UInt64 = 0
        /// Rows in them.
        public var rows: UInt64 = 0
        /// Gaps seen.
        public var gaps: UInt64 = 0
        /// Requests to send again.
        public var resends: UInt64 = 0
        /// Rows and batches that make no sense, such as a minute outside the calendar.
        public var refused: UInt64 = 0
    }

    /// Goes on from what the store knows.
    public init(cursors: [ChainCursor]) {
        chains = CountsChains(cursors)
    }

    /// Takes a batch of rows.
    public mutating func receive(_ batch: CountsBatch, nowSeconds: Double) {
        guard batch.lastRevision >= batch.previousRevision, batch.lastRevision <= UInt64(Int64.max) else {
            tally.refused += 1
            return
        }
        tally.batches += 1
        tally.rows += UInt64(batch.rows.count)
        for row in batch.rows {
            if Self.isPossible(row) { changes.rows.append(row) } else { tally.refused += 1 }
        }
        if let cursor = chains.advance(batch, nowSeconds: nowSeconds) {
            changes.cursors.append(cursor)
        } else {
            tally.gaps += 1
        }
    }

    /// Takes a device's new settings; nil puts the defaults back.
    public mutating func receive(_ settings: DeviceSettings?, of device: DeviceID) {
        changes.settings.append(SettingsChange(device: device, settings: settings))
    }

    /// The broker has accepted the connection. Without a session everything since the last cursor may be missing. At
    /// the first connection it may be too: what the process before this one meant to ask for when it ended is not
    /// known. Later on, history asks only as long as it has heard of no counter.
    public mutating func connected(sessionPresent: Bool) {
        if !sessionPresent || !hasConnected || chains.isEmpty { chains.ask() }
        hasConnected = true
    }

    /// A counter has started, or a request could not be sent: what history asked for before was not heard.
    public mutating func askAgain() {
        chains.ask()
    }

    /// What is to be committed now; the pipeline forgets it.
    public mutating func takeChanges() -> HistoryChanges {
        defer { changes = HistoryChanges() }
        return changes
    }

    /// The request that is due. A gap that stays open is asked about again, less and less often.
    public mutating func takeResend(nowSeconds: Double) -> CountsResend? {
        guard let request = chains.takeRequest(nowSeconds: nowSeconds) else { return nil }
        tally.resends += 1
        return request
    }

    private static func isPossible(_ row: MinuteTotals) -> Bool {
        DayCalendar.countedMinutes.contains(row.minute) && row.revision <= UInt64(Int64.max)
            && row.cadenceIntegral.isFinite && row.cadenceMinimum.isFinite && row.cadenceMaximum.isFinite
    }
}
