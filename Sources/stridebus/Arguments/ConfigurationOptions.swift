import ArgumentParser
import Foundation
import Lab
import Logging
import MQTT
import ServiceKit
import StrideClient
import Synchronization
import Wire

struct BusOptions: ParsableArguments {
    @Option(help: .key(.broker)) var broker: String?
    @Option(help: .key(.root)) var root: String?
    @Option(help: .key(.mqttVersion)) var mqttVersion: String?
    @Option(help: .key(.tlsCAFile)) var tlsCaFile: String?
    @Option(help: .key(.tlsCertificateFile)) var tlsCertificateFile: String?
    @Option(help: .key(.tlsKeyFile)) var tlsKeyFile: String?
    @Option(help: .key(.user)) var user: String?
    @Option(help: .key(.passwordFile), completion: .file()) var passwordFile: String?

    var flags: [ConfigurationKey: String] {
        [
            .user: user, .passwordFile: passwordFile, .broker: broker, .root: root, .mqttVersion: mqttVersion,
            .tlsCAFile: tlsCaFile,
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
        var logger = Logger(label: "stridebus") { _ in LineLogHandler() }
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
    @Option(help: .key(.counters)) var counters: String?
    @Option(help: .key(.zone)) var zone: String?
    @Option(help: .key(.retentionDays)) var retentionDays: Int?
    @Option(help: .key(.keepTraces)) var keepTraces: Int?
    @Option(help: .key(.homeAssistant)) var homeAssistant: String?

    var flags: [ConfigurationKey: String] {
        let own: [ConfigurationKey: String?] = [
            .data: data, .historyStore: historyStore, .partitions: partitions, .counters: counters,
            .zone: zone, .retentionDays: retentionDays.map { "\($0)" },
            .keepTraces: keepTraces.map { "\($0)" }, .homeAssistant: homeAssistant,
            .logLevel: source.logLevel,
        ]
        return bus.flags.merging(own.compactMapValues(\.self)) { $1 }
    }

    /// Makes the services, and a private broker with the page where options for it are given.
    func prepare(
        _ services: [ServiceName], privateBrokerPort: Int? = nil, page: PageOptions? = nil,
        network: NetworkOptions? = nil
    ) async throws -> BusRun {
        let flags = flags.merging(page?.flags ?? [:]) { $1 }.merging(network?.flags ?? [:]) { $1 }
        return try await BusRun.prepare(
            services, sources: ConfigurationSources(flags: flags, file: source.config),
            privateBrokerPort: privateBrokerPort, makeLogger: source.logger)
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

/// The private broker on the network.
struct NetworkOptions: ParsableArguments {
    @Flag(help: "Let others on the network in, with TLS and users.") var network = false
    @Option(help: .key(.address)) var address: String?
    @Option(help: .key(.hostName)) var hostName: String?
    @Option(help: .key(.tlsPort)) var tlsPort: Int?
    @Option(help: .key(.plainPort)) var plainPort: Int?
    @Option(help: .key(.certificate), completion: .file()) var certificate: String?
    @Option(name: .customLong("key"), help: .key(.certificateKey), completion: .file()) var certificateKey: String?

    var flags: [ConfigurationKey: String] {
        [
            .network: network ? "on" : nil, .address: address, .hostName: hostName, .tlsPort: tlsPort.map { "\($0)" },
            .plainPort: plainPort.map { "\($0)" }, .certificate: certificate, .certificateKey: certificateKey,
        ].compactMapValues(\.self)
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

    /// A connection that sends frames, and says why it is not there.
    func publisher() throws -> MotionPublisher {
        let settings = try settings()
        let publisher = try MotionPublisher(
            endpoint: settings.endpoint, root: settings.topics.root, version: settings.version)
        let states = publisher.connectionStates
        Task {
            var said: String?
            for await case .disconnected(let error) in states where error.message != said {
                said = error.message
                Output.errorLine("\(error.message); trying again")
            }
        }
        return publisher
    }

    /// The broker, the topics and the version; the password of a user who has none yet is asked for.
    func settings() throws -> BusSettings {
        let reader = try ConfigurationSources(flags: bus.flags, file: source.config).reader()
        return try PasswordPrompt.completing(BusSettings(config: reader))
    }
}

/// The options of every subcommand that asks history.
struct AskingOptions: ParsableArguments {
    @OptionGroup var client: ClientOptions

    @Option(help: ArgumentHelp("How long to wait for an answer, or for each page of a long one.", valueName: "time"))
    var timeout = DurationSeconds(seconds: StrideBus.usualTimeoutSeconds)

    /// Asks on a connection of its own.
    func withBus<Result>(_ body: (StrideBus) async throws -> Result) async throws -> Result {
        let settings = try client.settings()
        let bus = try StrideBus(
            endpoint: settings.endpoint, root: settings.topics.root, version: settings.version,
            timeoutSeconds: timeout.seconds)
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

/// Asks for a password on the terminal, without showing it.
enum PasswordPrompt {
    /// The passwords that were typed, by their users: a command that connects more than once asks once.
    private static let typed = Mutex<[String: String]>([:])

    /// The settings, with the password where a user is named, none is given, and somebody is there to be asked.
    static func completing(_ settings: BusSettings) throws -> BusSettings {
        guard let user = settings.endpoint.username, settings.endpoint.password == nil, isatty(STDIN_FILENO) == 1 else {
            return settings
        }
        var settings = settings
        settings.endpoint.password = try typed.withLock { typed in
            let password = try typed[user] ?? read("Password of \(user): ")
            typed[user] = password
            return password
        }
        return settings
    }

    static func read(_ question: String) throws -> String {
        guard let text = getpass(question).map({ String(cString: $0) }), !text.isEmpty else {
            throw ValidationError("no password was given: type it, or give --password-file or STRIDEBUS_PASSWORD")
        }
        return text
    }
}
