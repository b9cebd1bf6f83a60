import GRDB
import Wire

extension SQLiteHistoryStore {
    /// Keeps rows, cursors and device settings in one transaction; see `HistoryStore.commit`.
    public func commit(
        _ changes: HistoryChanges, nowSeconds: Int64
    ) async throws(HistoryError) -> CommitOutcome {
        guard !changes.isEmpty else { return CommitOutcome() }
        let defaultZone = defaultZone
        let maximumDevices = maximumDevices
        return try await write { db in
            let tables = try SQLiteTables(db: db, maximumDevices: maximumDevices)
            var commit = HistoryCommit(tables: tables, defaultZone: defaultZone, nowMinute: nowSeconds / 60)
            try commit.apply(changes)
            return try commit.finish()
        }
    }
}
