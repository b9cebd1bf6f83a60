import Logging
import ServiceKit
import ServiceLifecycle
import Wire

/// History on a database server: one of several is at work, and the others stand by.
///
/// Who holds the lock of the database is at work. It ends with its connection, so that another one takes its place
/// within a second or, where the machine is gone without a word, within half a minute.
struct StandbyHistory: Service {
    /// The time between two tries to take the lock, in seconds.
    private static let retrySeconds = 1.0
    /// Whoever was at work for so long begins anew, in seconds.
    private static let steadySeconds = 60.0
    /// So often in a row another history may take its messages. More mean one that does not know of the lock.
    private static let maximumTakeovers = 3

    let configuration: HistoryConfiguration
    let server: PostgresAddress
    let now: @Sendable () -> Double
    let inputGuard: InputGuard?
    let logger: Logger

    func run() async throws {
        // A server that never answered may be a wrong address, and is told at once. One that did comes back.
        var (wasReached, takeovers) = (false, 0)
        while let store = try await open(&wasReached) {
            let began = now()
            logger.info("history is kept on a server", metadata: ["server": "\(store.database.name)"])
            do {
                return try await HistoryService(
                    configuration: configuration, store: store, now: now, inputGuard: inputGuard, logger: logger
                ).run()
            } catch HistoryError.alreadyInUse {
                // The connection with the lock was lost, and another history was quicker.
                continue
            } catch let error as ServiceConnectionError where error.isTakenOver {
                // So it is where nothing was to be written since: the broker tells it first.
                takeovers = now() - began >= Self.steadySeconds ? 1 : takeovers + 1
                guard takeovers < Self.maximumTakeovers else { throw error }
            }
        }
    }

    /// The store, once no other history has it and the server answers; `nil` at a shutdown.
    private func open(_ wasReached: inout Bool) async throws -> HistoryStore? {
        var told: HistoryError?
        while true {
            do throws(HistoryError) {
                let store = try await HistoryStore.postgres(
                    server, defaultZone: configuration.defaultZone, maximumDevices: configuration.maximumDevices)
                wasReached = true
                return store
            } catch {
                if case .alreadyInUse = error {
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
