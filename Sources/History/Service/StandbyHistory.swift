import Logging
import ServiceKit
import ServiceLifecycle
import Wire

/// History on a database server: one of several on a bus is at work, and the others stand by.
///
/// Who holds the lock of the bus in the database is at work. It ends with its connection, so that another one takes its place
/// within a second or, where the machine is gone without a word, within half a minute.
struct StandbyHistory: Service {
    /// The time between two tries to take the lock, in seconds.
    private static let retrySeconds = 1.0

    let configuration: HistoryConfiguration
    let server: PostgresAddress
    let now: @Sendable () -> Double
    let inputGuard: InputGuard?
    let logger: Logger

    func run() async throws {
        // A server that never answered may be a wrong address, and is told at once. One that did comes back.
        var wasReached = false
        while let store = try await open(&wasReached) {
            logger.info("history is kept on a server", metadata: ["server": "\(store.database.name)"])
            do {
                return try await HistoryService(
                    configuration: configuration, store: store, now: now, inputGuard: inputGuard, logger: logger
                ).run()
            } catch HistoryError.rootInUse {
                // The connection with the lock was lost, and another history was quicker.
                continue
            }
        }
    }

    /// The store, once no other history has it and the server answers; `nil` at a shutdown.
    private func open(_ wasReached: inout Bool) async throws -> HistoryStore? {
        var told: HistoryError?
        while true {
            do throws(HistoryError) {
                let store = try await HistoryStore.postgres(
                    server, root: configuration.bus.topics.root, synchronous: configuration.synchronous,
                    defaultZone: configuration.defaultZone, maximumDevices: configuration.maximumDevices)
                wasReached = true
                return store
            } catch {
                if case .rootInUse = error {
                    wasReached = true
                } else if !(wasReached && error.isTransient) {
                    throw error
                }
                if told?.isTransient != error.isTransient {
                    if error.isTransient {
                        logger.warning("the database is away", metadata: ["error": "\(error)"])
                    } else {
                        logger.notice("another history is at work: standing by")
                    }
                }
                told = error
            }
            // Whoever stands by is well.
            ServiceProgress.noteReading(.history)
            ServiceProgress.note(.history)
            do {
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(Self.retrySeconds)) }
            } catch { return nil }
        }
    }
}
