import History
import Wire

/// What a `HistoryStore` keeps and promises, in memory: the greater revision wins, and a cursor never goes back.
struct HistoryStoreModel {
    private struct RowKey: Hashable {
        var minute: MinuteKey
        var epoch: UInt64
    }

    private var rows: [RowKey: MinuteTotals] = [:]
    private var chains: [UInt64: ChainCursor] = [:]
    /// Revisions that went back, which none may.
    private(set) var wentBack = 0

    var cursors: [ChainCursor] { chains.values.sorted { $0.epoch < $1.epoch } }

    mutating func commit(_ changes: HistoryChanges, mutant: Mutant?) {
        for row in changes.rows { keep(row, mutant: mutant) }
        for cursor in changes.cursors {
            var kept = chains[cursor.epoch] ?? cursor
            kept.revision = max(kept.revision, cursor.revision)
            kept.lastMessageSeconds = max(kept.lastMessageSeconds, cursor.lastMessageSeconds)
            chains[cursor.epoch] = kept
        }
    }

    private mutating func keep(_ row: MinuteTotals, mutant: Mutant?) {
        let key = RowKey(minute: MinuteKey(device: row.device, minute: row.minute), epoch: row.epoch)
        guard let old = rows[key] else { return rows[key] = row }
        guard row.revision > old.revision || mutant == .newestArrivalWins else { return }
        if row.revision < old.revision { wentBack += 1 }
        guard mutant == .differences else { return rows[key] = row }
        var sum = row
        sum.steps += old.steps
        sum.revolutions += old.revolutions
        sum.activeMilliseconds += old.activeMilliseconds
        sum.coveredMilliseconds += old.coveredMilliseconds
        rows[key] = sum
    }

    /// What history says of each minute.
    var totals: [MinuteKey: MinuteNumbers] {
        var totals: [MinuteKey: MinuteNumbers] = [:]
        for (key, row) in rows { totals[key.minute, default: MinuteNumbers()].add(row) }
        return totals
    }
}
