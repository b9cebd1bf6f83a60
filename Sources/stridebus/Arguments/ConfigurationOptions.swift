import ArgumentParser
import Configuration
import Logging
import MQTT
import ServiceKit
import StrideClient
import Wire

/// The address of the bus.
struct BusOptions: ParsableArguments {
    @Option(help: .key(.broker)) var broker: String?
    @Option(help: .key(.root)) var root: String?
    @Option(help: .key(.mqttVersion)) var mqttVersion: String?
    @Option(help: .key(.tlsCAFile)) var tlsCaFile: String?
    @Option(help: .key(.tlsCertificateFile)) var tlsCertificateFile: String?
    @Option(help: .key(.tlsKeyFile)) var tlsKeyFile: String?

    var flags: [ConfigurationKey: String] {
        [
            .broker: broker, .root: root, .mqttVersion: mqttVersion, .tlsCAFile: tlsCaFile,
            .tlsCertificateFile: tlsCertificateFile, .tlsKeyFile: tlsKeyFile,
        ].compactMapValues(\.self)
    }
}

/// Options that every subcommand with configuration has.
struct SourceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A JSON object with one member an option.", valueName: "file"))
    var config: String?

    @Option(help: .key(.logLevel)) var logLevel: String?

    /// A logger to standard error.
    func logger(level: Logger.Level) -> Logger {
        var logger = Logger(label: "stridebus") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }
}

/// The options of every subcommand that runs services.
struct ServiceOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var source: SourceOptions
    @Option(help: .key(.data), completion: .directory) var data: String?
    @Option(help: .key(.historyStore)) var historyStore: String?
    @Option(help: .key(.partitions)) var partitions: String?
    @Option(help: .key(.zone)) var zone: String?
    @Option(help: .key(.synchronous)) var synchronous: String?
    @Option(help: .key(.retentionDays)) var retentionDays: Int?
    @Option(help: .key(.protected)) var protected: String?
    @Option(help: .key(.protectedKey)) var protectedKey: String?
    @Option(help: .key(.homeAssistant)) var homeAssistant: String?

    var flags: [ConfigurationKey: String] {
        let own: [ConfigurationKey: String?] = [
            .data: data, .historyStore: historyStore, .partitions: partitions, .zone: zone,
            .synchronous: synchronous, .retentionDays: retentionDays.map { "\($0)" }, .protected: protected,
            .protectedKey: protectedKey, .homeAssistant: homeAssistant, .logLevel: source.logLevel,
        ]
        return bus.flags.merging(own.compactMapValues(\.self)) { $1 }
    }

    /// Makes the services, and a private broker with the page where options for it are given.
    func prepare(
        _ services: [ServiceName], privateBroker: BusRun.PrivateBroker, page: PageOptions? = nil
    ) async throws -> BusRun {
        let flags = flags.merging(page?.flags ?? [:]) { $1 }
        return try await BusRun.prepare(
            services, sources: ConfigurationSources(flags: flags, file: source.config), privateBroker: privateBroker,
            makeLogger: source.logger)
    }
}

/// The page that the private broker serves.
struct PageOptions: ParsableArguments {
    @Option(help: .key(.page), completion: .directory) var page: String?
    @Option(help: .key(.pagePort)) var pagePort: Int?

    var flags: [ConfigurationKey: String] {
        [.page: page, .pagePort: pagePort.map { "\($0)" }].compactMapValues(\.self)
    }
}

/// The options of every subcommand that connects to a bus.
struct ClientOptions: ParsableArguments {
    @OptionGroup var bus: BusOptions
    @OptionGroup var source: SourceOptions

    /// A connection that listens.
    func observer() throws -> BusObserver {
        let settings = try settings()
        return try BusObserver(endpoint: settings.endpoint, root: settings.topics.root, version: settings.version)
    }

    /// A connection that sends frames.
    func publisher() throws -> MotionPublisher {
        let settings = try settings()
        return try MotionPublisher(endpoint: settings.endpoint, root: settings.topics.root, version: settings.version)
    }

    /// The broker, the topics and the version.
    func settings() throws -> BusSettings { try BusSettings(config: reader()) }

    /// The configuration, with more options that were given.
    func reader(flags: [ConfigurationKey: String] = [:]) throws -> ConfigReader {
        try ConfigurationSources(flags: bus.flags.merging(flags) { $1 }, file: source.config).reader()
    }
}

/// The options of every subcommand that asks history.
struct AskingOptions: ParsableArguments {
    @OptionGroup var client: ClientOptions

    @Option(help: .key(.key)) var key: String?

    @Option(help: ArgumentHelp("How long to wait for an answer, or for each page of a long one.", valueName: "time"))
    var timeout = DurationSeconds(seconds: StrideBus.usualTimeoutSeconds)

    /// Asks on a connection of its own.
    func withBus<Result>(_ body: (StrideBus) async throws -> Result) async throws -> Result {
        let reader = try client.reader(flags: self.key.map { [.key: $0] } ?? [:])
        let settings = try BusSettings(config: reader)
        let key = reader.string(forKey: "key", isSecret: true)
        guard key.map({ $0.utf8.count <= RequestKey.lengths.upperBound }) ?? true else {
            throw ValidationError("--key is longer than \(RequestKey.lengths.upperBound) bytes")
        }
        let bus = try StrideBus(
            endpoint: settings.endpoint, root: settings.topics.root, version: settings.version,
            timeoutSeconds: timeout.seconds, key: key)
        do {
            let result = try await body(bus)
            await bus.close()
            return result
        } catch {
            await bus.close()
            throw error
        }
    }
}

extension ArgumentHelp {
    /// The help of an option that is a configuration key.
    static func key(_ key: ConfigurationKey) -> ArgumentHelp {
        var help = ArgumentHelp(stringLiteral: key.meaning)
        help.valueName = key.valueName
        return help
    }
}
