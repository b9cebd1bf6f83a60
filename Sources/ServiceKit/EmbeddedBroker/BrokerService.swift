package import Logging
import ServiceLifecycle
import Synchronization

/// Keeps a private broker until the services before which it is listed have shut down, and starts it again when it ends
/// by itself.
package final class BrokerService: Service {
    private let broker: EmbeddedBroker
    private let logger: Logger
    private let isStopping = Atomic(false)

    /// The wait before a broker that ended is started again, in seconds.
    package static let restartSeconds = 0.5

    /// A service for a broker that runs already.
    package init(broker: EmbeddedBroker, logger: Logger) {
        self.broker = broker
        self.logger = logger
    }

    /// Watches over the broker until the graceful shutdown, then ends it.
    package func run() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watch() }
            try? await gracefulShutdown()
            isStopping.store(true, ordering: .relaxed)
            await broker.stop()
        }
    }

    private func watch() async {
        while true {
            await broker.ended()
            guard !isStopping.load(ordering: .relaxed) else { return }
            logger.warning("the private broker has ended and is started again", metadata: ["log": "\(broker.log)"])
            try? await Task.sleep(for: .seconds(Self.restartSeconds))
            do {
                try await broker.restart()
            } catch EmbeddedBrokerError.stopped {
                return
            } catch {
                logger.error("the private broker does not start, trying again: \(error)")
            }
        }
    }
}
