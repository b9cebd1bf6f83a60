import Foundation
import Wire

/// The time that history keeps minutes. Days are kept for ever, of devices and of people.
package struct Retention: Sendable, Equatable {
    /// The days that minutes are kept.
    package let days: Int

    /// The days without a setting.
    static let defaultDays = 400
    /// The least: as long as a phone keeps its own.
    static let minimumDays = 7
    static let maximumDays = 36_500

    /// Keeps minutes for some days; `nil` for a number outside the limits.
    package init?(days: Int) {
        guard (Self.minimumDays...Self.maximumDays).contains(days) else { return nil }
        self.days = days
    }

    private init() { days = Self.defaultDays }

    /// The retention without a setting.
    package static let usual = Retention()

    /// The minute before which minutes go.
    package func horizon(nowMinute: Int64) -> Int64 { nowMinute - Int64(days) * 1440 }
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
            try Self.pruneWords(of: id, keptFrom: minutes.upperBound, session)
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

    /// The number of minutes that `compact` would delete in all its calls. Nothing changes.
    func compactableMinutes(of subject: Subject, before horizon: Int64) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await database.read(isSnapshot: true) { session in
            guard let (id, record) = try Self.find(subject, session) else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            let count = try session.number(
                "SELECT count(DISTINCT minute) FROM minutes WHERE subject = $1 AND minute < $2",
                [.int(id), .int(calendar.startOfDay(containing: horizon))])
            return Int(clamping: count ?? 0)
        }
    }

    /// Deletes erasures that the counters know, of minutes that are refused for their age.
    func pruneErasures(before horizon: Int64) async throws(HistoryError) {
        let old = "FROM erasures WHERE is_told = $1 AND to_minute <= $2"
        let values: [SQLValue] = [.bool(true), .int(horizon)]
        let hasOld = try await database.read(isSnapshot: false) { session in
            try session.query("SELECT id \(old) LIMIT 1", values).first != nil
        }
        guard hasOld else { return }
        try await database.write { session in _ = try session.change("DELETE \(old)", values) }
    }
}

/// A day whose minutes are gone: what is known of it beside its counts.
struct OldDay {
    /// The minutes with data: the first and the last.
    var extent: ClosedRange<Int64>
    /// All sums; the counts are those of the day's row.
    var sum: CountSum

    private static let columns = (["first_minute", "last_minute"] + Counts.columns + CountSum.oldColumns)
        .joined(separator: ", ")
    private static let assignments = (["first_minute", "last_minute"] + CountSum.oldColumns).enumerated()
        .map { "\($1) = $\($0 + 3)" }.joined(separator: ", ")

    /// The day that a minute is in.
    static func day(of id: Int64, at minute: Int64, _ session: any SQLSession) throws -> DayRecord? {
        let near = LocalDate.dates(near: minute)
        return try session.query(
            """
            SELECT \(DayRecord.columns) FROM days WHERE subject = $1 AND date >= $2 AND date < $3
            AND start_minute <= $4 AND end_minute > $4
            """,
            [
                .int(id), .int(Int64(near.lowerBound.dayNumber)), .int(Int64(near.upperBound.dayNumber)), .int(minute),
            ]
        ).read { try DayRecord(&$0) }.first
    }

    /// `nil` for a day that has its minutes.
    static func find(_ id: Int64, _ date: LocalDate, _ session: any SQLSession) throws -> OldDay? {
        try session.query(
            "SELECT \(columns) FROM days WHERE subject = $1 AND date = $2 AND first_minute IS NOT NULL",
            [.int(id), .int(Int64(date.dayNumber))]
        ).read { row in
            let (first, last) = (try row.int(), try row.int())
            return OldDay(extent: first...max(first, last), sum: try CountSum(aggregates: &row))
        }.first
    }

    /// Sums the minutes of a day up.
    static func keep(_ id: Int64, _ date: LocalDate, _ minutes: Range<Int64>, _ session: any SQLSession) throws {
        let found = try session.query(
            """
            SELECT min(minute), max(minute), \(CountSum.aggregates) FROM minutes
            WHERE subject = $1 AND minute >= $2 AND minute < $3
            """, [.int(id), .int(minutes.lowerBound), .int(minutes.upperBound)]
        ).first
        guard var row = found, let first = try row.optionalInt(), let last = try row.optionalInt() else { return }
        var day = OldDay(extent: first...max(first, last), sum: try CountSum(aggregates: &row))
        if let before = try find(id, date, session) {
            day.extent = min(first, before.extent.lowerBound)...max(last, before.extent.upperBound)
            day.sum += before.sum
        }
        try day.update(id, date, session)
    }

    func update(_ id: Int64, _ date: LocalDate, _ session: any SQLSession) throws {
        try session.change(
            "UPDATE days SET \(Self.assignments) WHERE subject = $1 AND date = $2",
            [.int(id), .int(Int64(date.dayNumber)), .int(extent.lowerBound), .int(extent.upperBound)] + sum.oldValues)
    }
}

/// Keeps days of old minutes and deletes those: at once with `stridebus history prune`, else in the background. A local
/// day of one device is one small transaction.
package struct HistoryPruning: Sendable {
    /// The work that there was.
    package struct Report: Sendable, Equatable {
        /// Devices with minutes that are too old.
        package var devices = 0
        /// Minutes that went, or would go.
        package var minutes = 0
        /// Months whose room on the disk was given back.
        package var months = 0
    }

    let configuration: HistoryConfiguration
    let horizon: Int64

    /// Pruning by the retention of a configuration.
    /// - Parameters:
    ///   - configuration: Which store, and how long minutes are kept.
    ///   - nowSeconds: The time, in seconds since 1970.
    package init(_ configuration: HistoryConfiguration, nowSeconds: Double) {
        self.configuration = configuration
        horizon = configuration.retention.horizon(nowMinute: Int64(clampingSeconds: nowSeconds) / 60)
    }

    /// The instant before which minutes go, in seconds since 1970; whole local days only.
    package var horizonSeconds: Int64 { horizon * 60 }

    /// Opens the store and looks at every device and person.
    /// - Parameters:
    ///   - isDryRun: Whether only to count.
    ///   - progress: Called with each device and person that has old minutes, and their number.
    /// - Throws: `HistoryError`; a file must not be in use by a history unless it is only counted, a database may be.
    package func run(
        isDryRun: Bool, progress: (String, Int) -> Void = { _, _ in }
    ) async throws(HistoryError) -> Report {
        let store = try await openStore(isDryRun: isDryRun)
        do throws(HistoryError) {
            let report = try await run(on: store, isDryRun: isDryRun, progress: progress)
            await store.close()
            return report
        } catch {
            await store.close()
            throw error
        }
    }

    /// Looks at every device and person of an open store. Ends early when the task is cancelled.
    /// - Parameters:
    ///   - isDryRun: Whether only to count.
    ///   - pauseMilliseconds: The pause after each transaction, for the sake of other work with the store.
    ///   - progress: Called with each device and person that has old minutes, and their number.
    package func run(
        on store: HistoryStore, isDryRun: Bool, pauseMilliseconds: Int = 0,
        progress: (String, Int) -> Void = { _, _ in }
    ) async throws(HistoryError) -> Report {
        var report = Report()
        for subject in try await store.subjects(before: horizon) {
            var minutes = 0
            if isDryRun {
                minutes = try await store.compactableMinutes(of: subject, before: horizon)
            } else {
                while !Task.isCancelled, case let removed = try await store.compact(subject, before: horizon),
                    removed > 0
                {
                    minutes += removed
                    if pauseMilliseconds > 0 { try? await Task.sleep(for: .milliseconds(pauseMilliseconds)) }
                }
            }
            guard minutes > 0 else { continue }
            if !subject.isPerson { report.devices += 1 }
            report.minutes += minutes
            progress(subject.name, minutes)
        }
        if !isDryRun {
            try await store.pruneErasures(before: horizon - Self.zonesMinutes)
            report.months = try await store.database.dropEmptyMonths(before: horizon)
        }
        return report
    }

    /// Days of people end elsewhere than days of their devices, by at most this; in minutes.
    private static let zonesMinutes: Int64 = 2 * 1440

    private func openStore(isDryRun: Bool) async throws(HistoryError) -> HistoryStore {
        if let server = configuration.server {
            return try await .postgres(
                server, root: nil, synchronous: configuration.synchronous, defaultZone: configuration.defaultZone)
        }
        let path = SQLiteDatabase.path(in: configuration.dataDirectory)
        guard FileManager.default.fileExists(atPath: path) else {
            throw .configuration(key: "data", problem: "is a folder without \(SQLiteDatabase.fileName): \(path)")
        }
        guard !isDryRun else {
            return try .sqlite(reading: configuration.dataDirectory, defaultZone: configuration.defaultZone)
        }
        return try .sqlite(
            directory: configuration.dataDirectory, synchronous: configuration.synchronous,
            defaultZone: configuration.defaultZone, nowSeconds: horizonSeconds)
    }
}
