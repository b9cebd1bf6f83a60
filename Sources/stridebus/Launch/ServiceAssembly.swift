package import Configuration
import Counter
import History
import Ingest
package import Logging
package import ServiceLifecycle
package import UnixSignals
package import Wire

/// Makes the services from configuration, one or all of them.
package enum ServiceAssembly {
    /// Makes one service; it does nothing until it is run, but its store is opened.
    ///
    /// - Throws: the service's own error, which names the setting or the file that is wrong.
    package static func service(
        _ name: ServiceName, config: ConfigReader, logger: Logger
    ) async throws -> any Service {
        switch name {
        case .ingest: IngestService(configuration: try IngestConfiguration(config: config), logger: logger)
        case .counter: try CounterService(configuration: CounterConfiguration(config: config), logger: logger)
        case .history: try await HistoryConfiguration(config: config).makeService(logger: logger)
        }
    }

    /// A group that runs services until one ends or a signal comes, then shuts all of them down, the last one first.
    package static func group(
        of services: [any Service], signals: [UnixSignal] = [.sigterm, .sigint], logger: Logger
    ) -> ServiceGroup {
        ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: services.map {
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                },
                gracefulShutdownSignals: signals, logger: logger))
    }
}
