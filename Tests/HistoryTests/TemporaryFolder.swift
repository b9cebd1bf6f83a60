import Foundation
import Wire

@testable import History

/// A folder for one test, removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "stridebus-history-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path(percentEncoded: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func store() throws -> SQLiteHistoryStore {
        try SQLiteHistoryStore(directory: path, nowSeconds: 0)
    }
}

extension SQLiteHistoryStore {
    /// Commits rows and nothing else.
    func keep(_ rows: [MinuteTotals]) async throws -> CommitOutcome {
        var changes = HistoryChanges()
        changes.rows = rows
        return try await commit(changes, nowSeconds: 0)
    }

    /// Tells a device's zone.
    func setZone(_ device: DeviceID, _ zone: String, nowSeconds: Int64) async throws {
        var changes = HistoryChanges()
        changes.settings = [SettingsChange(device: device, settings: DeviceSettings(zone: zone))]
        _ = try await commit(changes, nowSeconds: nowSeconds)
    }

    /// Every day of a device.
    func allDays(of device: DeviceID) async throws -> [DayRecord] {
        try await days(of: device, from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: .max))
    }
}
