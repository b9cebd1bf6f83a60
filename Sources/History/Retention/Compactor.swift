import Logging
import Wire

/// Makes hours of old minutes in the background: a local day of one device is one small transaction, so that commits
/// wait for none of them for long.
struct Compactor<Store: HistoryStore>: Sendable {
    let store: Store
    let retention: Retention
    let telemetry: HistoryTelemetry
    let now: @Sendable () -> Double
    let logger: Logger

    /// The time between two rounds, in seconds.
    static var roundSeconds: Double { 3600 }
    /// The time between two transactions, in milliseconds.
    static var pauseMilliseconds: Int { 10 }
    /// How many devices are looked at together.
    static var devicesAPage: Int { 500 }

    /// Works until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            do {
                try await round()
            } catch {
                logger.warning("old minutes are made hours later", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .seconds(Self.roundSeconds))
        }
    }

    /// One look at every device.
    func round() async throws {
        let horizon = retention.horizon(nowMinute: Int64(clampingSeconds: now()) / 60)
        var last: DeviceID?
        repeat {
            let page = try await store.devices(after: last, limit: Self.devicesAPage)
            for record in page where (record.firstMinute ?? .max) < horizon {
                try await compact(record.device, before: horizon)
            }
            last = page.count == Self.devicesAPage ? page.last?.device : nil
        } while last != nil
        telemetry.count(.monthsDropped, try await store.dropEmptyMonths(before: horizon))
    }

    private func compact(_ device: DeviceID, before horizon: Int64) async throws {
        while !Task.isCancelled {
            let removed = try await store.compact(device, before: horizon)
            guard removed > 0 else { return }
            telemetry.count(.minutesCompacted, removed)
            try await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        }
    }
}
