package import Logging
internal import MQTT
package import ServiceKit
internal import ServiceLifecycle
internal import Wire

/// Reads device messages, publishes motion batches, and acknowledges the messages when the broker has the batches.
///
/// It keeps nothing: whatever it had read and not yet published, the broker delivers again.
package final class IngestService: Service {
    private let configuration: IngestConfiguration
    private let inputGuard: InputGuard?
    private let logger: Logger

    /// A service that has not started.
    ///
    /// - Parameters:
    ///   - configuration: What it needs to know.
    ///   - inputGuard: Another guard than that of the data folder.
    ///   - logger: Gets a line for each change of a connection.
    package init(configuration: IngestConfiguration, inputGuard: InputGuard? = nil, logger: Logger) {
        (self.configuration, self.inputGuard, self.logger) = (configuration, inputGuard, logger)
    }

    /// The file of the guard has the root in its name: several ingests of one machine may share a folder.
    private func makeGuard() -> InputGuard {
        let root = configuration.bus.topics.root.replacing("/", with: ".")
        return InputGuard(
            directory: configuration.directory, name: root == "stride" ? "ingest" : "ingest-\(root)", logger: logger)
    }

    /// Works until it is shut down gracefully or cancelled.
    ///
    /// - Throws: `ServiceConnectionError` when the broker refuses us for good or another ingest takes over.
    package func run() async throws {
        let connection = ServiceConnection(
            bus: configuration.bus, service: .ingest, subscriptions: configuration.subscriptions,
            limits: IngestConfiguration.batchLimits,
            maximumPacketBytes: IngestConfiguration.maximumPacketBytes, logger: logger)
        let link = IngestLink(connection, configuration.bus.topics, logger: logger)
        let main = IngestMain(
            topics: configuration.bus.topics, limits: configuration.limits, sources: configuration.sources,
            counters: configuration.counters,
            healthSeconds: configuration.healthSeconds, inputGuard: inputGuard ?? makeGuard(), bus: link, logger: logger
        )
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await connection.watch(stopSeconds: self.configuration.stopSeconds) }
                group.addTask {
                    repeat { main.tick() } while (try? await Task.sleep(for: .seconds(1))) != nil
                }
                // The error is the failure of a connection, which is thrown below, or that of a stop.
                try? await main.run()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            connection.consumer.stop()
        }
        link.report(main.counters)
        await connection.close()
        if let failure = connection.failure { throw failure }
    }
}
