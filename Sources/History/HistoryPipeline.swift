public import Wire

/// Decides what history does with what comes from the counter: which rows to keep, how far each partition's chain is
/// known, and when to ask for rows again. A value without input, output or clock.
///
/// The messages of a partition form a chain: each names the last revision of the one before. A message that names a
/// later revision than the last one known shows a gap; its rows are kept, because they are states and true by
/// themselves, but the cursor stays until the counter has sent what was missed.
public struct HistoryPipeline: Sendable {
    /// What waits to be committed.
    private var changes = HistoryChanges()
    private var chains: [Partition: PartitionChain] = [:]
    /// Partitions to ask about once, whether or not there is a gap.
    private var inquiries: Set<Partition> = []
    private var hasConnected = false
    /// What was noticed so far.
    public private(set) var tally = Tally()

    /// The shortest time between two requests for one partition, in seconds.
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
        /// Rows and batches that make no sense: another partition's device, a minute outside the calendar.
        public var refused: UInt64 = 0
    }

    /// A request to the counter of a partition.
    public struct Resend: Sendable, Hashable {
        /// The partition.
        public var partition: Partition
        /// What to send again.
        public var request: CountsResend
    }

    /// Goes on from what the store knows.
    public init(cursors: [ChainCursor]) {
        for cursor in cursors {
            chains[cursor.partition, default: PartitionChain(partition: cursor.partition)].restore(cursor)
        }
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
            if Self.isPossible(row, in: batch) { changes.rows.append(row) } else { tally.refused += 1 }
        }
        var chain = chains[batch.partition] ?? PartitionChain(partition: batch.partition)
        if let cursor = chain.advance(batch, nowSeconds: nowSeconds) {
            changes.cursors.append(cursor)
        } else {
            tally.gaps += 1
        }
        chains[batch.partition] = chain
    }

    /// Takes a device's new settings; nil puts the defaults back.
    public mutating func receive(_ settings: DeviceSettings?, of device: DeviceID) {
        changes.settings.append(SettingsChange(device: device, settings: settings))
    }

    /// The broker has accepted the connection. Without a session everything since the last cursor may be missing. At
    /// the first connection it may be too: what the process before this one meant to ask for when it ended is not
    /// known. Later on, only partitions never heard of are asked about.
    public mutating func connected(sessionPresent: Bool) {
        inquiries.formUnion(Partition.all.filter { !sessionPresent || !hasConnected || chains[$0] == nil })
        hasConnected = true
    }

    /// A counter has started: what history asked for while there was none was heard by nobody.
    public mutating func counterStarted() {
        inquiries.formUnion(Partition.all)
    }

    /// Asks about partitions whose request could not be sent.
    mutating func inquire(_ partitions: [Partition]) {
        inquiries.formUnion(partitions)
    }

    /// What is to be committed now; the pipeline forgets it.
    public mutating func takeChanges() -> HistoryChanges {
        defer { changes = HistoryChanges() }
        return changes
    }

    /// The requests that are due. A gap that stays open is asked about again, less and less often.
    public mutating func takeResends(nowSeconds: Double) -> [Resend] {
        var resends: [Resend] = []
        for partition in inquiries.union(chains.keys).sorted() {
            var chain = chains[partition] ?? PartitionChain(partition: partition)
            let isAsked = inquiries.contains(partition)
            guard let request = chain.takeRequest(isAsked: isAsked, nowSeconds: nowSeconds) else { continue }
            inquiries.remove(partition)
            // A partition never heard of stays unknown, so that the next connection asks again.
            if chains[partition] != nil { chains[partition] = chain }
            resends.append(Resend(partition: partition, request: request))
        }
        tally.resends += UInt64(resends.count)
        return resends
    }

    private static func isPossible(_ row: MinuteTotals, in batch: CountsBatch) -> Bool {
        DayCalendar.countedMinutes.contains(row.minute) && row.revision <= UInt64(Int64.max)
            && row.cadenceIntegral.isFinite && row.cadenceMinimum.isFinite && row.cadenceMaximum.isFinite
            && Partition(of: row.device) == batch.partition
    }
}
