package import Wire

/// The position of each counter's message chain up to which nothing is missing, and the requests for missing messages.
package struct CountsChains: Sendable {
    private var cursors: [UInt64: ChainCursor] = [:]
    /// The epochs with a missing message before the newest.
    private var gaps: Set<UInt64> = []
    /// True if rows are asked for once, with or without a gap.
    private var isAsked = false
    private var nextRequestSeconds = -Double.infinity
    private var lastRequestSeconds: Double?
    private var waitSeconds = Self.minimumResendSeconds

    /// The shortest time between two requests for rows, in seconds.
    static let minimumResendSeconds = 2.0
    /// The longest time between two requests while a gap stays open, in seconds.
    static let maximumResendSeconds = 60.0
    /// The time after which a request is sent though nothing is missing, in seconds: it confirms what is here, and counters
    /// keep minutes until then.
    static let confirmationSeconds = 3_600.0
    /// The most lives of counters' stores that are remembered; rows of older ones are asked for from their beginning.
    static let maximumEpochs = CountsResend.maximumEpochs

    /// True while a message before the newest is missing.
    var hasGap: Bool { !gaps.isEmpty }

    /// Goes on from stored cursors.
    package init(_ cursors: [ChainCursor]) {
        goOn(from: cursors)
    }

    /// Goes on from stored cursors, in place of what is known: the store may have less than it had.
    mutating func goOn(from cursors: [ChainCursor]) {
        self.cursors = Dictionary(cursors.map { ($0.epoch, $0) }) { $1 }
        gaps = gaps.intersection(self.cursors.keys)
        dropOldEpochs()
    }

    /// Takes the rows of a batch that are possible, and its place in its chain.
    package mutating func take(
        _ batch: CountsBatch, into changes: inout HistoryChanges, _ tally: inout HistoryCounters, nowSeconds: Double
    ) {
        guard batch.lastRevision >= batch.previousRevision, batch.lastRevision <= UInt64(Int64.max) else {
            return tally[.rowsRefused] += 1
        }
        tally[.batches] += 1
        tally[.rowsReceived] += UInt64(batch.rows.count + batch.words.count + batch.unreadableRows)
        tally[.rowsRefused] += UInt64(batch.unreadableRows)
        for row in batch.rows {
            if Self.isPossible(row) { changes.rows.append(row) } else { tally[.rowsRefused] += 1 }
        }
        for word in batch.words {
            if Self.isPossible(word) { changes.words.append(word) } else { tally[.rowsRefused] += 1 }
        }
        if let cursor = advance(batch, nowSeconds: nowSeconds) {
            changes.cursors.append(cursor)
        } else {
            tally[.gaps] += 1
        }
    }

    private static func isPossible(_ row: MinuteRow) -> Bool {
        DayCalendar.countedMinutes.contains(row.minute) && row.revision <= UInt64(Int64.max)
            && row.epoch != UInt64(bitPattern: StoreCommit.claimsEpoch)
            && row.cadence.integral.isFinite && row.cadence.minimum.isFinite && row.cadence.maximum.isFinite
    }

    private static func isPossible(_ row: WordRow) -> Bool {
        DayCalendar.countedMinutes.contains(row.word.minutes.lowerBound)
            && DayCalendar.countedMinutes.contains(row.word.minutes.upperBound) && row.revision <= UInt64(Int64.max)
    }

    /// Takes a batch's place in its chain.
    /// - Returns: How far the chain is known now; nil if something before the batch is missing.
    private mutating func advance(_ batch: CountsBatch, nowSeconds: Double) -> ChainCursor? {
        let heard = Int64(exactly: nowSeconds.rounded(.down)) ?? 0
        var cursor = cursors[batch.epoch] ?? ChainCursor(epoch: batch.epoch, revision: 0, lastMessageSeconds: heard)
        cursor.lastMessageSeconds = max(cursor.lastMessageSeconds, heard)
        defer {
            cursors[batch.epoch] = cursor
            dropOldEpochs()
        }
        guard batch.previousRevision <= cursor.revision else {
            gaps.insert(batch.epoch)
            return nil
        }
        cursor.revision = max(cursor.revision, batch.lastRevision)
        gaps.remove(batch.epoch)
        if gaps.isEmpty { waitSeconds = Self.minimumResendSeconds }
        return cursor
    }

    /// Asks for rows as soon as a request may be sent, with or without a gap.
    mutating func ask() {
        isAsked = true
    }

    /// The request to send now, if there is a reason and the last one is long enough ago.
    package mutating func takeRequest(nowSeconds: Double) -> CountsResend? {
        let isConfirmationDue = lastRequestSeconds.map { abs(nowSeconds - $0) >= Self.confirmationSeconds } ?? false
        guard isAsked || isConfirmationDue || !gaps.isEmpty, nowSeconds >= nextRequestSeconds else { return nil }
        isAsked = false
        lastRequestSeconds = nowSeconds
        nextRequestSeconds = nowSeconds + waitSeconds
        waitSeconds = min(waitSeconds * 2, Self.maximumResendSeconds)
        return CountsResend(revisions: cursors.mapValues(\.revision))
    }

    private mutating func dropOldEpochs() {
        while cursors.count > Self.maximumEpochs,
            let oldest = cursors.values.min(by: { $0.lastMessageSeconds < $1.lastMessageSeconds })
        {
            cursors[oldest.epoch] = nil
            gaps.remove(oldest.epoch)
        }
    }
}
