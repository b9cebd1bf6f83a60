import Wire

/// How far the chain of one partition is known in each life of the counter's store, and when to ask for what is
/// missing.
struct PartitionChain: Sendable {
    let partition: Partition
    private var cursors: [UInt64: ChainCursor] = [:]
    private var hasGap = false
    private var nextRequestSeconds = -Double.infinity
    private var waitSeconds = HistoryPipeline.minimumResendSeconds

    /// How many lives of the counter's store are remembered; older ones are asked for from their beginning.
    static let maximumEpochs = 16

    init(partition: Partition) {
        self.partition = partition
    }

    /// Goes on from a stored cursor.
    mutating func restore(_ cursor: ChainCursor) {
        cursors[cursor.epoch] = cursor
        forgetOldEpochs()
    }

    /// Takes a batch's place in the chain.
    /// - Returns: How far the chain is known now; nil if something before the batch is missing.
    mutating func advance(_ batch: CountsBatch, nowSeconds: Double) -> ChainCursor? {
        let heard = Int64(exactly: nowSeconds.rounded(.down)) ?? 0
        var cursor =
            cursors[batch.epoch]
            ?? ChainCursor(epoch: batch.epoch, partition: partition, revision: 0, heardSeconds: heard)
        cursor.heardSeconds = max(cursor.heardSeconds, heard)
        guard batch.previousRevision <= cursor.revision else {
            cursors[batch.epoch] = cursor
            hasGap = true
            return nil
        }
        cursor.revision = max(cursor.revision, batch.lastRevision)
        cursors[batch.epoch] = cursor
        hasGap = false
        waitSeconds = HistoryPipeline.minimumResendSeconds
        forgetOldEpochs()
        return cursor
    }

    /// The request to send now, if there is a reason and the last one is long enough ago.
    mutating func takeRequest(isAsked: Bool, nowSeconds: Double) -> CountsResend? {
        guard isAsked || hasGap, nowSeconds >= nextRequestSeconds else { return nil }
        nextRequestSeconds = nowSeconds + waitSeconds
        waitSeconds = min(waitSeconds * 2, HistoryPipeline.maximumResendSeconds)
        let latest = cursors.values.max { ($0.heardSeconds, $0.epoch) < ($1.heardSeconds, $1.epoch) }
        return CountsResend(epoch: latest?.epoch ?? 0, afterRevision: latest?.revision ?? 0)
    }

    private mutating func forgetOldEpochs() {
        while cursors.count > Self.maximumEpochs,
            let oldest = cursors.values.min(by: { $0.heardSeconds < $1.heardSeconds })
        {
            cursors[oldest.epoch] = nil
        }
    }
}
