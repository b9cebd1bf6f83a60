package import Wire

/// A minute of a device or a person, with its seconds where they are known.
package struct TracedMinute: Sendable, Equatable {
    package var minute: Int64
    package var sum: CountSum
    /// As it is stored: of most minutes the sum is enough.
    private var packedTrace: [UInt8]?
    /// Unpacked at each call.
    package var trace: Trace? {
        get { packedTrace.flatMap { Trace(packed: $0) } }
        set { packedTrace = newValue?.packed }
    }

    package init(minute: Int64, sum: CountSum, trace: Trace? = nil) {
        (self.minute, self.sum, packedTrace) = (minute, sum, trace?.packed)
    }

    /// Its seconds, since 1970.
    var seconds: Range<Int64> { minute * 60..<(minute + 1) * 60 }

    /// The minutes with data of each of some stretches of subjects, by their numbers in the store, in order.
    static func all(
        _ stretches: [(id: Int64, minutes: Range<Int64>)], areMoving: Bool = false, _ session: any SQLSession
    ) throws -> [[TracedMinute]] {
        let text = """
            SELECT minute, \(CountSum.columns.joined(separator: ", ")), trace FROM minutes
            WHERE subject = $1 AND minute >= $2 AND minute < $3 \(areMoving ? "AND steps + revolutions > 0" : "")
            ORDER BY minute, epoch
            """
        return try session.execute(
            stretches.map { id, minutes in
                SQLStatement(text, [.int(id), .int(minutes.lowerBound), .int(minutes.upperBound)])
            }
        ).map { result in
            try result.rows.read { row in
                var minute = TracedMinute(minute: try row.int(), sum: try CountSum(&row))
                minute.packedTrace = try row.optionalBytes()
                return minute
            }.reduce(into: []) { minutes, row in
                guard minutes.last?.minute == row.minute else { return minutes.append(row) }
                minutes[minutes.count - 1].add(row)
            }
        }
    }

    /// Adds what the next row says of the minute. There is one for each life of the counters' stores, in the order of their
    /// epochs; of a second that both know the later row is believed.
    private mutating func add(_ row: TracedMinute) {
        sum += row.sum
        guard let newer = row.trace else { return }
        var trace = trace ?? Trace()
        trace.merge(newer)
        self.trace = trace
    }
}

/// The seconds of minutes.
extension HistoryStore {
    /// The minutes of a subject with their seconds, in order, in each of some ranges.
    /// - Parameter areMoving: Whether only those count in which a crank was turned or steps were made.
    package func tracedMinutes(
        of subject: Subject, in ranges: [Range<Int64>], areMoving: Bool = false
    ) async throws(HistoryError) -> [[TracedMinute]] {
        try await database.read(isSnapshot: true) { session in
            guard let (id, record) = try Self.find(subject, session) else { return ranges.map { _ in [] } }
            let kept = record.compactedMinute..<Int64.max
            return try TracedMinute.all(ranges.map { (id, $0.clamped(to: kept)) }, areMoving: areMoving, session)
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
