import Foundation
public import Wire

/// What retention makes hours of, by hand instead of in the background.
public struct HistoryPruning: Sendable {
    /// What there was to do.
    public struct Report: Sendable, Equatable {
        /// Devices with minutes that are too old.
        public var devices = 0
        /// Minutes that became hours, or would become them.
        public var minutes = 0
    }

    let configuration: HistoryConfiguration
    let horizon: Int64

    /// Pruning by the retention of a configuration.
    /// - Parameters:
    ///   - configuration: Which store, and how long minutes are kept.
    ///   - nowSeconds: The time, in seconds since 1970.
    public init(_ configuration: HistoryConfiguration, nowSeconds: Double) {
        self.configuration = configuration
        horizon = configuration.retention.horizon(nowMinute: Int64(clampingSeconds: nowSeconds) / 60)
    }

    /// The instant before which minutes become hours, in seconds since 1970; whole local days only.
    public var horizonSeconds: Int64 { horizon * 60 }

    /// Opens the store and looks at every device.
    /// - Parameters:
    ///   - isDryRun: Whether only to count.
    ///   - progress: Told of each device that has old minutes, and how many.
    /// - Throws: `HistoryError`; a file must not be in use by a history unless it is only counted, a database may be.
    public func run(
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

    func run(
        on store: any HistoryStore, isDryRun: Bool, progress: (DeviceID, Int) -> Void = { _, _ in }
    ) async throws(HistoryError) -> Report {
        var report = Report()
        var last: DeviceID?
        repeat {
            let page = try await store.devices(after: last, limit: 500)
            for record in page where (record.firstMinute ?? .max) < horizon {
                let minutes = try await prune(record.device, store, isDryRun: isDryRun)
                guard minutes > 0 else { continue }
                report.devices += 1
                report.minutes += minutes
                progress(record.device, minutes)
            }
            last = page.count == 500 ? page.last?.device : nil
        } while last != nil
        if !isDryRun { _ = try await store.dropEmptyMonths(before: horizon) }
        return report
    }

    private func prune(
        _ device: DeviceID, _ store: any HistoryStore, isDryRun: Bool
    ) async throws(HistoryError) -> Int {
        if isDryRun { return try await store.compactableMinutes(of: device, before: horizon) }
        var minutes = 0
        while case let removed = try await store.compact(device, before: horizon), removed > 0 { minutes += removed }
        return minutes
    }

    private func openStore(isDryRun: Bool) async throws(HistoryError) -> any HistoryStore {
        if let server = configuration.server {
            return try await PostgresHistoryStore.open(
                server, root: nil, synchronous: configuration.synchronous, defaultZone: configuration.defaultZone)
        }
        let path = configuration.dataDirectory + "/" + SQLiteHistoryStore.fileName
        guard FileManager.default.fileExists(atPath: path) else {
            throw .configuration(key: "data", problem: "is a folder without \(SQLiteHistoryStore.fileName): \(path)")
        }
        guard !isDryRun else {
            return try SQLiteHistoryStore(
                reading: configuration.dataDirectory, defaultZone: configuration.defaultZone)
        }
        return try SQLiteHistoryStore(
            directory: configuration.dataDirectory, synchronous: configuration.synchronous,
            defaultZone: configuration.defaultZone, nowSeconds: horizonSeconds)
    }
}
