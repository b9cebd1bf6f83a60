import ServiceKit
public import Logging
public import ServiceLifecycle
import Wire

extension HistoryConfiguration {
    /// A service over the store that the configuration names, which is opened: a file of the data folder, or tables on
    /// a server.
    /// - Throws: `HistoryError` when the store cannot be used, in one line.
    public func makeService(
        now: @escaping @Sendable () -> Double = WallClock.nowSeconds, logger: Logger
    ) async throws(HistoryError) -> any Service {
        guard let server else { return try sqliteService(now: now, logger: logger) }
        let store = try await PostgresHistoryStore.open(
            server, root: bus.topics.root, synchronous: synchronous, defaultZone: defaultZone,
            maximumDevices: maximumDevices)
        logger.info("history is kept on a server", metadata: ["server": "\(store.server)"])
        return try HistoryService(configuration: self, store: store, now: now, logger: logger)
    }

    private func sqliteService(
        now: @escaping @Sendable () -> Double, logger: Logger
    ) throws(HistoryError) -> any Service {
        let store = try SQLiteHistoryStore(
            directory: dataDirectory, synchronous: synchronous, defaultZone: defaultZone,
            maximumDevices: maximumDevices, nowSeconds: Int64(clampingSeconds: now()))
        let telemetry = HistoryTelemetry()
        if let note = store.openingNote {
            logger.warning("\(note)")
            telemetry.count(.storesSetAside)
        }
        return try HistoryService(configuration: self, store: store, telemetry: telemetry, now: now, logger: logger)
    }
}
