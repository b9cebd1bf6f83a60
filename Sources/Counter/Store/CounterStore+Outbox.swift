import Foundation
import GRDB
public import Wire

extension CounterStore {
    /// Through which revision history has each partition.
    public func cursors() async throws(CounterError) -> [Partition: UInt64] {
        try await read { db in
            var cursors: [Partition: UInt64] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT partition, published FROM cursors") {
                guard let partition = try? Partition(number: row["partition"]) else { continue }
                cursors[partition] = UInt64(bitPattern: row["published"] as Int64)
            }
            return cursors
        }
    }

    /// Moves cursors, forwards after history's broker took the rows, or backwards where rows are asked for again.
    public func move(_ cursors: [Partition: UInt64]) async throws(CounterError) {
        guard !cursors.isEmpty else { return }
        try await write { db in
            for (partition, revision) in cursors {
                try db.execute(
                    sql: """
                        INSERT INTO cursors VALUES (?, ?)
                        ON CONFLICT (partition) DO UPDATE SET published = excluded.published
                        """, arguments: [partition.number, Int64(bitPattern: revision)])
            }
        }
    }

    /// The next rows of a partition after a revision, as one message; `nil` when there are none.
    public func counts(of partition: Partition, after revision: UInt64) async throws(CounterError) -> CountsBatch? {
        let epoch = epoch
        return try await read { db in
            let rows = try Row.fetchAll(
                db, sql: CounterSchema.rowsAfter,
                arguments: [partition.number, Int64(clamping: revision), CountsBatch.maximumRows]
            ).compactMap { MinuteTotals(row: $0) }
            guard let last = rows.last else { return nil }
            return CountsBatch(
                epoch: epoch, partition: partition, previousRevision: revision, lastRevision: last.revision, rows: rows)
        }
    }

    /// Deletes minutes before a time that history has.
    ///
    /// - Returns: how many were deleted.
    public func prune(beforeMinute minute: Int64) async throws(CounterError) -> Int {
        try await write { db in
            try db.execute(
                sql: """
                    DELETE FROM minutes WHERE minute < ? AND revision <= coalesce(
                        (SELECT published FROM cursors WHERE cursors.partition = minutes.partition), 0)
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
    public func lastRevision() async throws(CounterError) -> UInt64 {
        try await read { UInt64(bitPattern: try Self.meta("revision", $0)) }
    }
}
