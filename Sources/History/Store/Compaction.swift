import Wire

/// The time that history keeps minutes. Days are kept for ever, of devices and of people.
package struct Retention: Sendable, Equatable {
    /// The days that minutes are kept.
    package let days: Int

    /// The days that the seconds of minutes are kept.
    package let traceDays: Int

    /// The days without a setting.
    static let defaultDays = 400
    static let defaultTraceDays = 90
    /// The least: as long as a phone keeps its own.
    static let minimumDays = 7
    static let maximumDays = 36_500

    /// Keeps minutes for some days, and their seconds; `nil` for a number outside the limits.
    package init?(days: Int, traceDays: Int = defaultTraceDays) {
        guard (Self.minimumDays...Self.maximumDays).contains(days), Self.traceDays.contains(traceDays) else {
            return nil
        }
        (self.days, self.traceDays) = (days, traceDays)
    }

    /// No trace is kept for 0 days.
    static let traceDays = 0...maximumDays

    private init() { (days, traceDays) = (Self.defaultDays, Self.defaultTraceDays) }

    /// The retention without a setting.
    package static let usual = Retention()

    /// The minute before which minutes go.
    package func horizon(nowMinute: Int64) -> Int64 { nowMinute - Int64(days) * 1440 }

    /// The minute before which traces go.
    package func tracesHorizon(nowMinute: Int64) -> Int64 { nowMinute - Int64(traceDays) * 1440 }
}

extension HistoryStore {
    /// Deletes the minutes of the oldest day that has some and ends before a horizon, in one transaction; what is not in
    /// the day itself is summed up there before. Rows of these minutes that come later are refused.
    /// - Returns: How many minutes are gone; 0 when there is no such day.
    package func compact(_ subject: Subject, before horizon: Int64) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await database.write { session in
            guard let (id, record) = try Self.lock(subject, session) else { return 0 }
            let oldest = try session.number("SELECT min(minute) FROM minutes WHERE subject = $1", [.int(id)])
            guard let oldest, oldest < horizon else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            let day = try OldDay.day(of: id, at: oldest, session)
            let minutes = day?.minutes ?? calendar.minutes(of: calendar.date(ofMinute: oldest))
            // Claims and merges that are due would come too late.
            guard minutes.upperBound <= horizon, try !Self.hasDueClaims(id, before: minutes.upperBound, session),
                try !StoreCommit.hasQueuedMerges(before: minutes.upperBound, session)
            else { return 0 }
            if let date = day?.date {
                try OldDay.keep(id, date, minutes, session)
                if subject.device != nil { try DayShare.keep(ofDevice: record, id, on: date, minutes, session) }
            }
            try Self.compactWords(of: id, keptFrom: minutes.upperBound, session)
            let bounds: [SQLValue] = [.int(id), .int(oldest), .int(minutes.upperBound)]
            let count = try session.number(
                "SELECT count(DISTINCT minute) FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3", bounds
            )
            try session.change(
                "DELETE FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3", bounds)
            try session.change(
                "UPDATE subjects SET compacted_minute = $2 WHERE id = $1 AND compacted_minute < $2",
                [.int(id), .int(minutes.upperBound)])
            return Int(clamping: count ?? 0)
        }
    }

    /// Does what is due once a day (of UTC, and after a change of the retention): keeps the results of classes, and lets go
    /// what is older than the retention. Ends early when the task is cancelled.
    package func keepUp(
        _ retention: Retention, nowMinute: Int64, pauseMilliseconds: Int = 0
    ) async throws(HistoryError) -> CompactionReport {
        let mark = "\(LocalDate(ofMinute: nowMinute)) \(retention.days) \(retention.traceDays)"
        let isDone = try await database.read(isSnapshot: false) { session in
            try !session.query("SELECT id FROM upkeep WHERE done = $1", [.text(mark)]).isEmpty
        }
        guard !isDone else { return CompactionReport() }
        let traces = try await settleClasses(
            nowSecond: nowMinute * 60, tracesHorizon: retention.tracesHorizon(nowMinute: nowMinute))
        let report = try await compactAll(
            before: retention.horizon(nowMinute: nowMinute), pauseMilliseconds: pauseMilliseconds)
        try await dropTraces(before: traces)
        // Where nothing was due nothing is written.
        guard report.subjects > 0, !Task.isCancelled else { return report }
        try await database.write { session in
            _ = try session.change(
                "INSERT INTO upkeep (id, done) VALUES (0, $1) ON CONFLICT (id) DO UPDATE SET done = excluded.done",
                [.text(mark)])
        }
        return report
    }

    /// Compacts every device and person. Ends early when the task is cancelled.
    /// - Parameter pauseMilliseconds: The pause after each transaction, for the sake of other work with the store.
    package func compactAll(
        before horizon: Int64, pauseMilliseconds: Int = 0
    ) async throws(HistoryError) -> CompactionReport {
        var report = CompactionReport()
        let subjects = try await subjects(before: horizon)
        report.subjects = subjects.count
        for subject in subjects {
            while !Task.isCancelled, case let minutes = try await compact(subject, before: horizon), minutes > 0 {
                report.minutes += minutes
                if pauseMilliseconds > 0 { try? await Task.sleep(for: .milliseconds(pauseMilliseconds)) }
            }
        }
        try await compactErasures(before: horizon - Self.zonesMinutes)
        try await compactMarksAndNotes(before: horizon - Self.zonesMinutes)
        report.months = try await database.dropEmptyMonths(before: horizon)
        return report
    }

    /// Days of people end elsewhere than days of their devices, by at most this; in minutes.
    private static var zonesMinutes: Int64 { 2 * 1440 }

    /// Deletes erasures that the counters know, of minutes that are refused for their age.
    private func compactErasures(before horizon: Int64) async throws(HistoryError) {
        let old = "FROM erasures WHERE is_told = $1 AND to_minute <= $2"
        let values: [SQLValue] = [.bool(true), .int(horizon)]
        let hasOld = try await database.read(isSnapshot: false) { session in
            try session.query("SELECT id \(old) LIMIT 1", values).first != nil
        }
        guard hasOld else { return }
        try await database.write { session in _ = try session.change("DELETE \(old)", values) }
    }
}

/// What went for its age.
package struct CompactionReport: Sendable, Equatable {
    /// Devices and people that were looked at.
    package var subjects = 0
    package var minutes = 0
    /// Months whose room on the disk was given back.
    package var months = 0
}
