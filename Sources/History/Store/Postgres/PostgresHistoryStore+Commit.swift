import Synchronization
import Wire

extension PostgresHistoryStore {
    /// Keeps rows, cursors and device settings in one transaction; see `HistoryStore.commit`.
    public func commit(
        _ changes: HistoryChanges, nowSeconds: Int64
    ) async throws(HistoryError) -> CommitOutcome {
        guard !changes.isEmpty else { return CommitOutcome() }
        let (defaultZone, maximumDevices) = (defaultZone, maximumDevices)
        try await hold()
        try await makePartitions(for: changes.rows)
        do {
            return try await pool.transaction(.readWrite) { session in
                var tables = PostgresTables(session)
                try tables.load(changes, maximumDevices: maximumDevices, defaultZone: defaultZone)
                var commit = HistoryCommit(tables: tables, defaultZone: defaultZone, nowMinute: nowSeconds / 60)
                try commit.apply(changes)
                let outcome = try commit.finish()
                try commit.tables.flush()
                return outcome
            }
        } catch {
            // Somebody has dropped a partition that was known to be there.
            if (error as? PostgresError)?.state == .checkViolation { knownMonths.withLock { $0 = [] } }
            throw HistoryError(error, server: server)
        }
    }
}
