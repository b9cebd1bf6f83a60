package import Configuration
package import Logging
import MQTT
package import ServiceKit
package import ServiceLifecycle
import Wire

/// The settings of history, read once at its start.
package struct HistoryConfiguration: Sendable {
    /// The bus: its broker, version and root.
    package var bus: BusSettings
    /// The folder of the database, where it is SQLite's.
    package var dataDirectory: String
    /// The server of the database, where it is PostgreSQL's; nil for SQLite.
    package var server: PostgresAddress?
    /// The IANA name of the zone of devices whose config names none.
    package var defaultZone = "UTC"
    package var maximumDevices = 100_000
    /// The time that minutes are kept.
    package var retention = Retention()
    /// The topic below which Home Assistant looks for devices, if they are announced to it.
    package var homeAssistantPrefix: String?
    /// The longest time that a shutdown waits for the broker to take answers, and then what else is due, in seconds.
    package var shutdownSeconds: Double = 5

    package init(bus: BusSettings, dataDirectory: String) { (self.bus, self.dataDirectory) = (bus, dataDirectory) }

    /// Reads the keys of `BusSettings`, `data`, `history-store`, `zone`, `retention-days`, `keep-traces` and `home-assistant`.
    package init(config: ConfigReader) throws(SettingError) {
        let folder = config.string(forKey: "data", default: DataDirectory.usualPath)
        self.init(bus: try BusSettings(config: config), dataDirectory: folder)
        defaultZone = config.string(forKey: "zone", default: "UTC")
        func days(_ key: ConfigKey, usually days: Int, in possible: ClosedRange<Int>) throws(SettingError) -> Int {
            let text = config.string(forKey: key, default: "\(days)")
            guard let days = Int(text), possible.contains(days) else {
                throw SettingError(
                    key: "\(key)",
                    problem: "is '\(text)'; give a number of days from \(possible.lowerBound) to \(possible.upperBound)"
                )
            }
            return days
        }
        retention.days = try days("retention-days", usually: retention.days, in: Retention.days)
        retention.traceDays = try days("keep-traces", usually: retention.traceDays, in: Retention.traceDays)
        if let prefix = config.string(forKey: "home-assistant") {
            guard (try? TopicTree(root: prefix)) != nil else {
                throw SettingError(
                    key: "home-assistant", problem: "is '\(prefix)'; give the discovery prefix, such as homeassistant")
            }
            homeAssistantPrefix = prefix
        }
        _ = try DayCalendar(zone: defaultZone)
        // A URL is a server, anything else a folder; what looks like another kind of URL is a mistake.
        guard let place = config.string(forKey: "history-store", isSecret: true) else { return }
        if place.contains("://") { server = try PostgresAddress(place) } else { dataDirectory = place }
    }
}

// MARK: - Connections

extension HistoryConfiguration {
    /// The subscriptions of the persistent session.
    var countsSubscriptions: [MQTTSubscription] {
        let topics = bus.topics
        let own = [
            "\(topics.root)/service/counts/+", topics.filter(every: .config), topics.filter(every: .mark),
            topics.roleFilter, topics.text(.serviceStatus(.counter)), topics.text(.serviceHealth(.network)),
        ]
        return (own + (homeAssistantStatusTopic.map { [$0] } ?? [])).map { MQTTSubscription($0) }
    }

    /// The topic on which Home Assistant says `online` when it has started.
    var homeAssistantStatusTopic: String? { homeAssistantPrefix.map { "\($0)/status" } }

    /// What is read over the clean session: requests, and what devices' health and configs say.
    var requestSubscriptions: [MQTTSubscription] {
        let topics = bus.topics
        return
            ([topics.filter(every: .health), topics.filter(every: .config)] + topics.requestFilters)
            .map { MQTTSubscription($0) }
    }

    /// A commit costs the same whether it keeps one row or a hundred: while counts keep coming there are at most twenty
    /// a second.
    var countsLimits: MQTTBatchLimits { MQTTBatchLimits(spacingMilliseconds: 50) }

    /// The connection that reads requests. Its session is clean: a requester of yesterday waits for no answer. Its
    /// client id is different in each process: of two histories the older one ends by the two connections that have a
    /// fixed id.
    var requestConnection: MQTTConnectionConfiguration {
        let root = bus.topics.root.replacing("/", with: ".")
        var configuration = MQTTConnectionConfiguration(
            endpoint: bus.endpoint,
            clientID: "stridebus-history-\(root)-requests-\(UInt32.random(in: .min ... .max))", version: bus.version)
        configuration.refusedSubscriptionSeconds = ServiceConnection.refusedSubscriptionSeconds
        return configuration
    }

    /// A service over the store that the configuration names: a file of the data folder, which is opened, or tables on a
    /// server.
    package func makeService(
        now: @escaping @Sendable () -> Double = WallClock.seconds, inputGuard: InputGuard? = nil, logger: Logger
    ) async throws -> any Service {
        if let server {
            return StandbyHistory(
                configuration: self, server: server, now: now, inputGuard: inputGuard, logger: logger)
        }
        let store = try HistoryStore.sqlite(
            directory: dataDirectory, defaultZone: defaultZone, maximumDevices: maximumDevices)
        return HistoryService(configuration: self, store: store, now: now, inputGuard: inputGuard, logger: logger)
    }
}
