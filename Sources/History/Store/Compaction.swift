import Wire

/// The time that history keeps minutes. Days are kept for ever, of devices and of people.
package struct Retention: Sendable, Equatable {
    /// The days that minutes are kept.
    package var days: Int
    /// The days that the seconds of minutes are kept; 0 for none.
    package var traceDays: Int

    /// The settings that are possible: the least is as long as a phone keeps its own.
    static let days = 7...36_500
    static let traceDays = 0...36_500

    package init(days: Int = 400, traceDays: Int = 90) { (self.days, self.traceDays) = (days, traceDays) }

    /// The minute before which minutes go.
    package func horizon(nowMinute: Int64) -> Int64 { nowMinute - Int64(days) * 1440 }

    /// Whether the minute of a second since 1970 is younger than the retention, so that history keeps it.
    func keeps(second: Int64, nowSeconds: Double) -> Bool {
        second / 60 >= horizon(nowMinute: Int64(clampingSeconds: nowSeconds) / 60)
    }

    /// The minute before which traces go.
    package func tracesHorizon(nowMinute: Int64) -> Int64 { nowMinute - Int64(traceDays) * 1440 }
}

extension HistoryStore {
    /// Puts sums in the place of the minutes of the oldest day that has some and ends before a horizon, in one transaction.
    /// Rows of these minutes that come later are refused.
    /// - Returns: How many minutes are gone; 0 when there is no such day.
    package func compact(_ subject: Subject, before horizon: Int64) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await database.write { session in
            guard let (id, record) = try Self.find(subject, session) else { return 0 }
            let oldest = try session.number(
                "SELECT min(minute) FROM minutes WHERE subject = $1 AND minute >= $2",
                [.int(id), .int(record.compactedMinute)])
            guard let oldest, oldest < horizon else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            let day = try DayRecord.containing(oldest, of: id, session)
            let end = (day?.minutes ?? calendar.minutes(of: calendar.date(ofMinute: oldest))).upperBound
            // What is due would come too late.
            guard end <= horizon, try !StoreCommit.isDue(before: end, session) else { return 0 }
            let minutes = oldest..<max(oldest, end)
            let sums = try Self.stretches(of: record, in: minutes, session)
                .compactMap { try SummedStretch(of: id, in: $0, session) }
            try Self.compactWords(of: id, keptFrom: end, session)
            let bounds: [SQLValue] = [.int(id), .int(oldest), .int(end)]
            let count = try session.number(
                "SELECT count(DISTINCT minute) FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3", bounds
            )
            try session.change("DELETE FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3", bounds)
            try session.upsert(sums.flatMap { $0.rows(of: id) }, into: StoreCommit.minutes)
            try session.change(
                "UPDATE subjects SET compacted_minute = $2 WHERE id = $1 AND compacted_minute < $2",
                [.int(id), .int(end)])
            return Int(clamping: count ?? 0)
        }
    }

    /// The stretches of some minutes of a device, each of one person or of nobody, in order.
    private static func stretches(
        of record: SubjectRecord, in minutes: Range<Int64>, _ session: any SQLSession
    ) throws -> [Range<Int64>] {
        guard let device = record.device else { return [minutes] }
        let borders = try Assignment.owners(of: device, in: minutes, session)
            .flatMap { [$0.minutes.lowerBound, $0.minutes.upperBound] }.filter { minutes.contains($0) }
        let all = Set(borders + [minutes.lowerBound, minutes.upperBound]).sorted()
        return zip(all, all.dropFirst()).map { $0..<$1 }
    }

    /// Does what is due once a day: keeps the results of classes, and lets go what is older than the retention. Ends early when
    /// the task is cancelled.
    /// - Returns: How many minutes are gone.
    package func keepUp(_ retention: Retention, nowMinute: Int64) async throws(HistoryError) -> Int {
        let traces = try await settleClasses(
            nowSecond: nowMinute * 60, tracesHorizon: retention.tracesHorizon(nowMinute: nowMinute))
        let minutes = try await compactAll(before: retention.horizon(nowMinute: nowMinute))
        try await dropTraces(before: traces)
        return minutes
    }

    /// Compacts every device and person. Ends early when the task is cancelled.
    /// - Returns: How many minutes are gone.
    package func compactAll(before horizon: Int64) async throws(HistoryError) -> Int {
        var count = 0
        for subject in try await subjects(before: horizon) {
            // Between two transactions others write.
            while !Task.isCancelled, case let minutes = try await compact(subject, before: horizon), minutes > 0 {
                count += minutes
            }
        }
        try await compactWhatWasSaid(before: horizon - Self.zonesMinutes)
        return count
    }

    /// Deletes what is known of minutes whose rows are refused for their age. Where there is nothing nothing is written.
    private func compactWhatWasSaid(before minute: Int64) async throws(HistoryError) {
        let old: [(rows: String, values: [SQLValue])] = [
            ("erasures WHERE is_told = $1 AND to_minute <= $2", [.bool(true), .int(minute)]),
            ("workout_marks WHERE second < $1", [.int(minute * 60)]),
            ("workout_notes WHERE second < $1", [.int(minute * 60)]),
        ]
        let hasOld = try await database.read(isSnapshot: false) { session in
            try session.execute(old.map { SQLStatement("SELECT 1 FROM \($0.rows) LIMIT 1", $0.values) })
                .contains { !$0.rows.isEmpty }
        }
        guard hasOld else { return }
        try await database.write { session in
            _ = try session.execute(old.map { SQLStatement("DELETE FROM \($0.rows)", $0.values) })
        }
    }

    /// The most by which days of people end elsewhere than days of their devices, in minutes.
    private static var zonesMinutes: Int64 { 2 * 1440 }
}

/// The sums that stay of minutes that go, at the first of them that has data. A device's are those of one person, so that
/// an erasure takes what was the person's. Those of a crank and of steps, with a distance and without, stay apart, so that
/// what is told of them is what was told of the minutes.
private struct SummedStretch {
    /// The first minute with data.
    private let first: Int64
    private let sums: [CountSum]

    init?(of id: Int64, in minutes: Range<Int64>, _ session: any SQLSession) throws {
        let groups = try session.query(
            """
            SELECT min(minute), \(CountSum.aggregates) FROM minutes
            WHERE subject = $1 AND minute >= $2 AND minute < $3
            GROUP BY revolutions > steps, distance_mm > 0, steps + revolutions > 0
            """, [.int(id), .int(minutes.lowerBound), .int(minutes.upperBound)]
        ).read { row in (first: try row.int(), sum: try CountSum(aggregates: &row)) }
        guard let first = groups.map(\.first).min() else { return nil }
        (self.first, sums) = (first, groups.map(\.sum))
    }

    func rows(of id: Int64) -> [[SQLValue]] {
        sums.enumerated().map { number, sum in
            [.int(id), .int(first), .int(Int64(number)), .int(0)] + sum.values + [.bytes(nil)]
        }
    }
}
