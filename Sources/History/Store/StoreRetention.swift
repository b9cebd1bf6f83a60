import Foundation
package import Wire

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
    /// Keeps the sum of the oldest local day of a device that has minutes and ends before a horizon, and deletes those,
    /// in one transaction. Rows of these minutes that come later are refused.
    /// - Returns: How many minutes are gone; 0 when there is no such day.
    package func compact(_ device: DeviceID, before horizon: Int64) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await database.write { session in
            guard let (id, record) = try Self.lock(device, session) else { return 0 }
            let oldest = try session.number("SELECT min(minute) FROM minutes WHERE device = $1", [.int(id)])
            guard let oldest, oldest < horizon else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            let day = calendar.minutes(of: calendar.date(ofMinute: oldest))
            // Claims that are due would come too late.
            guard day.upperBound <= horizon, try !Self.hasDueClaims(id, before: day.upperBound, session) else {
                return 0
            }
            let minutes = try Self.minutes(of: id, in: oldest..<day.upperBound, limit: day.count, session)
            let sum = minutes.reduce(into: CountSum()) { $0 += $1.sum }
            try Self.keep(sum, of: id, from: oldest, length: Int64(day.count), session)
            try session.change(
                "DELETE FROM minutes WHERE device = $1 AND minute >= $2 AND minute < $3",
                [.int(id), .int(oldest), .int(day.upperBound)])
            try session.change(
                "UPDATE devices SET compacted_minute = $2 WHERE id = $1 AND compacted_minute < $2",
                [.int(id), .int(day.upperBound)])
            try Self.pruneWords(of: id, keptFrom: day.upperBound, session)
            return minutes.count
        }
    }

    /// The number of minutes that `compact` would delete in all its calls. Nothing changes.
    func compactableMinutes(of device: DeviceID, before horizon: Int64) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await database.read(isSnapshot: true) { session in
            guard let (id, record) = try Self.find(device, session) else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            let count = try session.number(
                "SELECT count(DISTINCT minute) FROM minutes WHERE device = $1 AND minute < $2",
                [.int(id), .int(calendar.startOfDay(containing: horizon))])
            return Int(clamping: count ?? 0)
        }
    }

    static let oldDays = SQLTable(
        name: "old_days", key: ["device", "minute"], columns: ["length"] + CountSum.columns)

    /// A day counts from its first minute with data, so that it is in every range that all of them are in.
    private static func keep(
        _ sum: CountSum, of id: Int64, from start: Int64, length: Int64, _ session: any SQLSession
    ) throws {
        let columns = CountSum.columns.joined(separator: ", ")
        var sum = sum
        if var row = try session.find(columns, in: oldDays, [[id, start]]).first ?? nil { sum += try CountSum(&row) }
        try session.upsert([[.int(id), .int(start), .int(length)] + sum.values], into: oldDays)
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

    /// Opens the store and looks at every device.
    /// - Parameters:
    ///   - isDryRun: Whether only to count.
    ///   - progress: Called with each device that has old minutes, and their number.
    /// - Throws: `HistoryError`; a file must not be in use by a history unless it is only counted, a database may be.
    package func run(
        isDryRun: Bool, progress: (DeviceID, Int) -> Void = { _, _ in }
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

    /// Looks at every device of an open store. Ends early when the task is cancelled.
    /// - Parameters:
    ///   - isDryRun: Whether only to count.
    ///   - pauseMilliseconds: The pause after each transaction, for the sake of other work with the store.
    ///   - progress: Called with each device that has old minutes, and their number.
    package func run(
        on store: HistoryStore, isDryRun: Bool, pauseMilliseconds: Int = 0,
        progress: (DeviceID, Int) -> Void = { _, _ in }
    ) async throws(HistoryError) -> Report {
        var report = Report()
        if !isDryRun { try await keepPeople(in: store) }
        for device in try await store.deviceNames(before: horizon) {
            var minutes = 0
            if isDryRun {
                minutes = try await store.compactableMinutes(of: device, before: horizon)
            } else {
                while !Task.isCancelled, case let removed = try await store.compact(device, before: horizon),
                    removed > 0
                {
                    minutes += removed
                    if pauseMilliseconds > 0 { try? await Task.sleep(for: .milliseconds(pauseMilliseconds)) }
                }
            }
            guard minutes > 0 else { continue }
            report.devices += 1
            report.minutes += minutes
            progress(device, minutes)
        }
        if !isDryRun {
            try await store.pruneErasures(before: horizon - Self.zonesMinutes)
            report.months = try await store.database.dropEmptyMonths(before: horizon)
        }
        return report
    }

    /// Days of people end elsewhere than days of their devices, by at most this; in minutes.
    private static let zonesMinutes: Int64 = 2 * 1440
    private static let peopleAPage = 250

    /// Keeps the days of everybody whose minutes are about to go.
    private func keepPeople(in store: HistoryStore) async throws(HistoryError) {
        var last: String?
        repeat {
            let page = try await store.people(after: last, limit: Self.peopleAPage)
            for person in page { _ = try await store.keepDays(of: person, before: horizon + Self.zonesMinutes) }
            last = page.count == Self.peopleAPage ? page.last : nil
        } while last != nil
    }

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
