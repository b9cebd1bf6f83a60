import Foundation
import GRDB
package import Wire

extension CounterStore {
    /// Through which revision history has the rows.
    package func published() async throws(CounterError) -> UInt64 {
        try await read { UInt64(bitPattern: try Self.meta("published", $0)) }
    }

    /// Notes through which revision history has the rows: forwards after the broker took them, or backwards where rows
    /// are asked for again.
    package func setPublished(_ revision: UInt64) async throws(CounterError) {
        try await write { try Self.setMeta("published", Int64(bitPattern: revision), $0) }
    }

    /// The next rows after a revision, as one message; `nil` when there are none.
    package func counts(after revision: UInt64) async throws(CounterError) -> CountsBatch? {
        let epoch = epoch
        return try await read { db in
            let rows = try Row.fetchAll(
                db, sql: CounterSchema.rowsAfter, arguments: [Int64(clamping: revision), CountsBatch.maximumRows]
            ).compactMap { MinuteTotals(row: $0) }
            guard let last = rows.last else { return nil }
            return CountsBatch(epoch: epoch, previousRevision: revision, lastRevision: last.revision, rows: rows)
        }
    }

    /// Deletes minutes before a time that history has.
    ///
    /// - Returns: how many were deleted.
    package func prune(beforeMinute minute: Int64) async throws(CounterError) -> Int {
        try await write { db in
            try db.execute(
                sql: """
                    DELETE FROM minutes WHERE minute < ?
                        AND revision <= (SELECT value FROM meta WHERE name = 'published')
                    """, arguments: [minute])
            let count = db.changesCount
            try db.execute(
                sql: """
                    DELETE FROM told WHERE minute < ? AND NOT EXISTS (SELECT 1 FROM minutes
                        WHERE minutes.device = told.device AND minutes.minute = told.minute)
                    """, arguments: [minute])
            if try minute > Self.meta("pruned_before", db) { try Self.setMeta("pruned_before", minute, db) }
            return count
        }
    }

    /// The newest revision of all.
    package func lastRevision() async throws(CounterError) -> UInt64 {
        try await read { UInt64(bitPattern: try Self.meta("revision", $0)) }
    }
}
