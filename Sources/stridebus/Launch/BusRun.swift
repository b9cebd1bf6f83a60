import CAllocator
import Configuration
import Counter
import Foundation
import History
import Ingest
import Lab
package import Logging
import MQTT
import PrivateBroker
package import ServiceKit
package import ServiceLifecycle
package import UnixSignals
package import Wire

/// The services of one process, made and ready to run, with a private broker where one is wanted and none is named.
package struct BusRun: Sendable {
    package let settings: BusSettings
    /// The address of the page, with the login for it in its fragment, where the private broker serves one on loopback.
    package let pageURL: String?
    /// What is to be said at the start of a bus on the network; nil for one on loopback.
    package let welcome: Welcome?
    /// The services to run, in the order in which to start them: the broker first, so that it ends last.
    package let services: [any Service]
    package let logger: Logger

    /// Heaps of the process. One thread makes devices and others read and store them: with a heap for each of them, what one
    /// has freed no other uses, and 100,000 devices took twice as much memory.
    private static let heapCount: Int32 = 2

    /// Reads the configuration, starts the private broker where one is wanted, and makes the services.
    ///
    /// - Parameter privateBrokerPort: The loopback port of a private broker, where the configuration names no other; 0 takes
    ///   any free one.
    /// - Throws: `SettingError`, `BrokerError` or a service's own error; each is one line.
    package static func prepare(
        _ names: [ServiceName], sources: ConfigurationSources, privateBrokerPort: Int? = nil,
        makeLogger: (Logger.Level) -> Logger
    ) async throws -> BusRun {
        stridebus_limit_heaps(heapCount)
        // Whatever a service writes says where people were: it is for its own user alone.
        umask(0o077)
        let supervisor = Supervisor(of: names)
        var reader = try sources.reader()
        let logger = makeLogger(try logLevel(reader))
        let topics = try BusSettings(config: reader).topics
        let data = reader.string(forKey: "data", default: DataDirectory.usualPath)
        if names.contains(.counter) || (names.contains(.history) && reader.string(forKey: "history-store") == nil) {
            try DataDirectory.make(data)
        }
        var services: [any Service] = []
        var pageURL: String?
        var welcome: Welcome?
        if let port = privateBrokerPort, reader.string(forKey: "broker") == nil {
            let folder = "\(data)/broker"
            try DataDirectory.make(folder)
            let keyFile = "\(folder)/client-key"
            let clientKey = try BusUsers.keptWord(file: keyFile)
            guard (try? DeviceID(clientKey)) != nil else {
                throw BrokerError.file(
                    path: keyFile,
                    reason:
                        "it holds no word: bring it back from a backup; without it goes what the broker keeps for services"
                )
            }
            let brokerURL: String
            if let network = try NetworkSettings(config: reader) {
                let launch = NetworkLaunch(
                    settings: network, topics: topics, data: data, clientKey: clientKey,
                    foreignFilters: try foreignFilters(reader), logger: logger)
                let page = try PageFolder.directory(named: reader.string(forKey: "page"))
                (services, brokerURL, welcome) = try await launch.start(port: port, page: page)
            } else {
                var page = try PageFolder.listener(config: reader)
                var login = ""
                if page != nil {
                    // A browser lets any site connect to a WebSocket on this machine. The password stays the same, so that a
                    // bookmark stays valid; what stands behind # a browser sends to nobody.
                    let passwords = "\(folder)/page-passwords"
                    page?.passwordFile = passwords
                    login =
                        try "#key/operator/"
                        + BusUsers.keptPassword(of: "operator", file: "\(folder)/page-password", hashes: passwords)
                }
                let broker = try await EmbeddedBroker.start(
                    Self.broker(port: port, page: page, folder: folder, logger: logger))
                pageURL = broker.page.map { PageFolder.url($0.url, root: topics.root) + login }
                services.append(broker)
                brokerURL = broker.url
            }
            reader = try sources.naming(broker: brokerURL, clientKey: clientKey).reader()
        } else if try NetworkSettings(config: reader) != nil {
            throw SettingError(
                key: "network",
                problem: "is for the private broker, and 'broker' names another one: leave one of them out")
        }
        let settings = try BusSettings(config: reader)
        logger.info("bus", metadata: ["broker": "\(settings.endpoint)", "root": "\(settings.topics.root)"])
        for name in names {
            services.append(try await service(name, config: reader, logger: logger))
        }
        if let supervisor { services.append(supervisor) }
        return BusRun(
            settings: settings, pageURL: pageURL, welcome: welcome, services: services, logger: logger)
    }

    func group() -> ServiceGroup { Self.group(of: services, logger: logger) }

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

    /// Makes one service; it does nothing until it is run, but its store is opened.
    private static func service(
        _ name: ServiceName, config: ConfigReader, logger: Logger
    ) async throws -> any Service {
        switch name {
        case .ingest: IngestService(configuration: try IngestConfiguration(config: config), logger: logger)
        case .counter: try CounterService(configuration: CounterConfiguration(config: config), logger: logger)
        case .history: try await HistoryConfiguration(config: config).makeService(logger: logger)
        case .network: throw SettingError(key: "network", problem: "is no service of its own: write --network at up")
        }
    }

    private static func logLevel(_ reader: ConfigReader) throws(SettingError) -> Logger.Level {
        let word = reader.string(forKey: "log-level", default: "info")
        guard let level = Logger.Level(rawValue: word) else {
            let words = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingError(key: "log-level", problem: "is '\(word)'; write one of \(words)")
        }
        return level
    }

    /// The filters beyond the root that the services use: those of foreign devices and of Home Assistant.
    static func foreignFilters(_ reader: ConfigReader) throws -> [String] {
        try IngestConfiguration.sources(reader).map(\.filter)
            + [reader.string(forKey: "home-assistant")].compactMap { $0.map { "\($0)/#" } }
    }

    /// A private broker that keeps its state in a folder.
    static func broker(
        port: Int, page: PageListener?, folder: String, logger: Logger
    ) -> EmbeddedBrokerConfiguration {
        EmbeddedBrokerConfiguration(
            port: port, persistenceDirectory: folder, logFile: "\(folder)/mosquitto.log", page: page,
            note: { logger.warning("\($0)") })
    }
}

/// The folder of the page that browsers are shown, as `deploy/page` makes it.
enum PageFolder {
    /// The page's default port where it is free, so that a bookmark stays valid.
    private static let usualPort = 9001
    /// The value of `--page` for no page.
    private static let off = "off"

    /// The listener at which the private broker serves the page; nil where there is none.
    static func listener(config: ConfigReader) throws(SettingError) -> PageListener? {
        guard let directory = try directory(named: config.string(forKey: "page")) else { return nil }
        let port = config.int(forKey: "page-port") ?? (LoopbackPort.accepts(port: usualPort) ? 0 : usualPort)
        guard (0...65_535).contains(port) else {
            throw SettingError(key: "page-port", problem: "is '\(port)'; give 0 to 65535; 0 takes any free one")
        }
        return PageListener(port: port, directory: directory)
    }

    /// The page's address, which says the root of the topics where it is not the usual one.
    static func url(_ base: String, root: String) -> String {
        guard root != "stride", let root = root.addingPercentEncoding(withAllowedCharacters: .alphanumerics) else {
            return base
        }
        return "\(base)?root=\(root)"
    }

    static func directory(named name: String?) throws(SettingError) -> String? {
        guard let name else { return usual.first(where: hasPage) }
        guard name != off else { return nil }
        let path = URL(fileURLWithPath: name).standardizedFileURL.path
        guard hasPage(path) else {
            throw SettingError(
                key: "page", problem: "has no index.html in \(path); make one with deploy/page, or write off")
        }
        return path
    }

    /// Beside the program, where an installation has it, or in the folder that builds go to.
    private static var usual: [String] {
        let program = URL(fileURLWithPath: Bundle.main.executablePath ?? "").resolvingSymlinksInPath()
        return ["page", "../share/stridebus/page", "../../page"].map {
            program.deletingLastPathComponent().appendingPathComponent($0).standardizedFileURL.path
        }
    }

    private static func hasPage(_ directory: String) -> Bool {
        FileManager.default.isReadableFile(atPath: directory + "/index.html")
    }
}

/// Log lines on standard error: with their time and level, and in systemd's journal with the level as sd-daemon(3) has it.
///
/// Nothing in a value is unseen: names come from the bus, and a line's end or an escape of the terminal in one of them would
/// forge a line, or hide it.
struct LineLogHandler: LogHandler {
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }
        Output.errorLines(Self.lines(of: event, metadata: metadata, isJournal: Self.isInJournal))
    }

    /// The lines of an event, each with the level: the journal takes each line for an entry.
    static func lines(of event: LogEvent, metadata: Logger.Metadata, isJournal: Bool) -> String {
        let values = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\(NameText.shown("\($0.value)"))" }.joined()
        let start = isJournal ? prefix(of: event.level) : "\(Date().formatted(.iso8601)) \(event.level): "
        return "\(event.message)\(values)".split(separator: "\n").map { start + $0 }.joined(separator: "\n")
    }

    /// Whether standard error is the journal (systemd.exec(5), JOURNAL_STREAM). A program that is started by one that
    /// writes to it inherits the variable, perhaps with another standard error.
    static let isInJournal: Bool = {
        var status = stat()
        guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"], fstat(STDERR_FILENO, &status) == 0
        else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }()

    static func prefix(of level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "<7>"
        case .info: "<6>"
        case .notice: "<5>"
        case .warning: "<4>"
        case .error: "<3>"
        case .critical: "<2>"
        }
    }
}
