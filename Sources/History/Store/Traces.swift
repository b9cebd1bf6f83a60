package import Wire

/// The seconds of minutes.
extension HistoryStore {
    /// The minutes of a device or a person in a range of which seconds are known, in order and at most `limit`.
    package func traces(
        of subject: Subject, in minutes: Range<Int64>, limit: Int
    ) async throws(HistoryError) -> [(minute: Int64, trace: Trace)] {
        try await database.read(isSnapshot: true) { session in
            guard let id = try Self.find(subject, session)?.id else { return [] }
            // A minute has a row for each life of the counters' stores.
            let rows = try session.query(
                """
                SELECT minute, trace FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3
                    AND trace IS NOT NULL ORDER BY minute, epoch LIMIT $4
                """, [.int(id), .int(minutes.lowerBound), .int(minutes.upperBound), .int(Int64(limit))]
            ).read { row in (minute: try row.int(), trace: Trace(packed: try row.optionalBytes() ?? []) ?? Trace()) }
            return rows.reduce(into: []) { found, row in
                if found.last?.minute == row.minute {
                    found[found.count - 1].trace.merge(row.trace)
                } else {
                    found.append(row)
                }
            }
        }
    }

    /// Drops the seconds of minutes before a horizon, of each device and person in a transaction of its own, once there is
    /// a day of them. Those that come later are not kept.
    package func dropTraces(before horizon: Int64) async throws(HistoryError) {
        let due = try await database.read(isSnapshot: false) { session in
            try session.query(
                "SELECT id, traces_minute FROM subjects WHERE traces_minute + 1440 <= $1", [.int(horizon)]
            )
            .read { row in (id: try row.int(), since: try row.int()) }
        }
        for subject in due {
            try await database.write { session in
                try session.change(
                    "UPDATE minutes SET trace = NULL WHERE subject = $1 AND minute >= $2 AND minute < $3 AND trace IS NOT NULL",
                    [.int(subject.id), .int(subject.since), .int(horizon)])
                try session.change(
                    "UPDATE subjects SET traces_minute = $2 WHERE id = $1", [.int(subject.id), .int(horizon)])
            }
        }
    }
}
