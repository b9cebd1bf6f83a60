import Counter
import Glibc
import History
import Ingest
import Logging
import MQTT
import ServiceKit
import ServiceLifecycle
import UnixSignals
import Wire

/// A service that dies at once whenever it begins to work on input that is marked.
///
///     DyingService ingest|counter|history URL ROOT DATA MARK
///
/// Input is marked where what it is about contains MARK, such as the name of a device.
@main
struct DyingService {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let name = ServiceName(rawValue: arguments[1]) else { exit(64) }
        var logger = Logger(label: name.rawValue) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        let (data, mark) = (arguments[4], arguments[5])
        let bus = BusSettings(endpoint: try MQTTEndpoint(arguments[2]), topics: try TopicTree(root: arguments[3]))
        let inputGuard = InputGuard(directory: data, name: name.rawValue, logger: logger) { subject in
            if subject.contains(mark) { kill(getpid(), SIGKILL) }
        }
        let service: any Service
        switch name {
        case .ingest:
            service = IngestService(
                configuration: IngestConfiguration(bus: bus), inputGuard: inputGuard, logger: logger)
        case .counter:
            var configuration = CounterConfiguration(bus: bus, directory: data)
            configuration.limits.healthSeconds = 1
            service = CounterService(configuration: configuration, inputGuard: inputGuard, logger: logger)
        case .history:
            service = try await HistoryConfiguration(bus: bus, dataDirectory: data)
                .makeService(inputGuard: inputGuard, logger: logger)
        case .network: exit(64)
        }
        try await ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: logger).run()
    }
}
