package import Wire

/// One minute of a device or a person, with its seconds.
struct TracedMinute: Sendable, Equatable {
    var minute: Int64
    var revolutions: Int64 = 0
    var distanceMillimetres: Int64 = 0
    var trace = Trace()

    /// The minutes of a subject in a range, in their order.
    static func all(of id: Int64, in range: Range<Int64>, _ session: any SQLSession) throws -> [TracedMinute] {
        // A minute has a row for each life of the counters' stores.
        try session.query(
            """
            SELECT minute, revolutions, distance_mm, trace FROM minutes
            WHERE subject = $1 AND minute >= $2 AND minute < $3 ORDER BY minute, epoch
            """, [.int(id), .int(range.lowerBound), .int(range.upperBound)]
        ).read { row in
            TracedMinute(
                minute: try row.int(), revolutions: try row.int(), distanceMillimetres: try row.int(),
                trace: Trace(packed: try row.optionalBytes() ?? []) ?? Trace())
        }.reduce(into: []) { minutes, row in
            guard var last = minutes.last, last.minute == row.minute else { return minutes.append(row) }
            last.revolutions &+= row.revolutions
            last.distanceMillimetres &+= row.distanceMillimetres
            last.trace.merge(row.trace)
            minutes[minutes.count - 1] = last
        }
    }
}

/// The seconds of minutes.
extension HistoryStore {
    /// The minutes of a device or a person in a range of which seconds are known, in order and at most `limit`.
    package func traces(
        of subject: Subject, in minutes: Range<Int64>, limit: Int
    ) async throws(HistoryError) -> [(minute: Int64, trace: Trace)] {
        try await database.read(isSnapshot: true) { session in
            guard let id = try Self.find(subject, session)?.id else { return [] }
            return try TracedMinute.all(of: id, in: minutes, session).filter { !$0.trace.isEmpty }.prefix(limit)
                .map { ($0.minute, $0.trace) }
        }
    }

    /// Drops the seconds of minutes before a horizon, of each device and person once there is a day of them, in small
    /// transactions. Those that come later are not kept.
    package func dropTraces(before horizon: Int64) async throws(HistoryError) {
        let due = try await database.read(isSnapshot: false) { session in
            try session.query(
                "SELECT id, traces_minute FROM subjects WHERE traces_minute + 1440 <= $1", [.int(horizon)]
            )
            .read { row in (id: try row.int(), since: try row.int()) }
        }
        for subject in due {
            var start = subject.since
            while start < horizon, !Task.isCancelled {
                let first = start
                start = try await database.write { session in
                    let bounds: [SQLValue] = [.int(subject.id), .int(first), .int(horizon)]
                    let traced = "WHERE subject = $1 AND minute >= $2 AND minute < $3 AND trace IS NOT NULL"
                    let end =
                        try session.number(
                            "SELECT minute FROM minutes \(traced) ORDER BY minute LIMIT 1 OFFSET $4",
                            bounds + [.int(Int64(Self.rowsATransaction))]) ?? horizon
                    try session.change(
                        "UPDATE minutes SET trace = NULL \(traced)",
                        [.int(subject.id), .int(first), .int(max(end, first + 1))])
                    try session.change(
                        "UPDATE subjects SET traces_minute = $2 WHERE id = $1",
                        [.int(subject.id), .int(max(end, first + 1))])
                    return max(end, first + 1)
                }
            }
        }
    }
}
