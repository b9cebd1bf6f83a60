public import Configuration
public import MQTT
public import Wire

/// What history needs to know, read once at its start.
public struct HistoryConfiguration: Sendable {
    /// The broker.
    public var broker: MQTTEndpoint
    /// The protocol version.
    public var mqttVersion: MQTTVersion
    /// The topics below the root.
    public var topics: TopicTree
    /// The folder of the database.
    public var dataDirectory: String
    /// How far a commit waits for the disk.
    public var synchronous: Synchronous
    /// The IANA name of the zone of devices whose config names none.
    public var defaultZone: String
    /// How many devices are kept.
    public var maximumDevices: Int

    /// The broker of the configuration without any.
    public static let defaultBroker = "mqtt://localhost:1883"

    /// A configuration from its parts.
    public init(
        broker: MQTTEndpoint, mqttVersion: MQTTVersion = .v5, topics: TopicTree, dataDirectory: String,
        synchronous: Synchronous = .full, defaultZone: String = "UTC", maximumDevices: Int = 100_000
    ) {
        self.broker = broker
        self.mqttVersion = mqttVersion
        self.topics = topics
        self.dataDirectory = dataDirectory
        self.synchronous = synchronous
        self.defaultZone = defaultZone
        self.maximumDevices = maximumDevices
    }

    /// Reads the configuration. Keys:
    /// - `broker`: URL of the broker, `mqtt://user:password@host:port` or `mqtts://…`; default `mqtt://localhost:1883`.
    /// - `mqtt-version`: `5` (default) or `3.1.1`.
    /// - `tls-ca-file`, `tls-certificate-file`, `tls-key-file`: PEM files for `mqtts://`; default the system's authorities
    ///   and no certificate of our own.
    /// - `root`: first levels of every topic; default `stride`.
    /// - `data`: folder of `history.sqlite`; default `stridebus-data`.
    /// - `synchronous`: `full` (default), or `normal` for fewer waits, where a loss of power may undo the last commits,
    ///   which then come again from the counter.
    /// - `zone`: IANA name of the zone of devices whose config names none; default `UTC`.
    ///
    /// - Throws: `HistoryError.configuration` with the key and what is wrong.
    public init(config: ConfigReader) throws(HistoryError) {
        broker = try Self.endpoint(config)
        mqttVersion = try Self.choice(config, "mqtt-version", default: "5", ["5": .v5, "3.1.1": .v311])
        let root = config.string(forKey: "root", default: "stride")
        do { topics = try TopicTree(root: root) } catch {
            throw .configuration(
                key: "root", problem: "is '\(root)'; use one to four levels of a-z, 0-9, _ and -, such as gym/berlin")
        }
        dataDirectory = config.string(forKey: "data", default: "stridebus-data")
        synchronous = try Self.choice(
            config, "synchronous", default: "full", ["full": .full, "normal": .normal])
        defaultZone = config.string(forKey: "zone", default: "UTC")
        do { _ = try DayCalendar(zone: defaultZone) } catch {
            throw .configuration(key: "zone", problem: "is wrong: \(error)")
        }
        maximumDevices = 100_000
    }

    private static func endpoint(_ config: ConfigReader) throws(HistoryError) -> MQTTEndpoint {
        do {
            var endpoint = try MQTTEndpoint(config.string(forKey: "broker", default: defaultBroker))
            if endpoint.tls != nil {
                endpoint.tls?.caFile = config.string(forKey: "tls-ca-file")
                endpoint.tls?.certificateFile = config.string(forKey: "tls-certificate-file")
                endpoint.tls?.keyFile = config.string(forKey: "tls-key-file")
            }
            return endpoint
        } catch {
            throw .configuration(key: "broker", problem: "is wrong: \(error.message)")
        }
    }

    private static func choice<Value>(
        _ config: ConfigReader, _ key: ConfigKey, default word: String, _ choices: [String: Value]
    ) throws(HistoryError) -> Value {
        let text = config.string(forKey: key, default: word)
        guard let value = choices[text] else {
            let words = choices.keys.sorted().joined(separator: " or ")
            throw .configuration(key: "\(key)", problem: "is '\(text)'; use \(words)")
        }
        return value
    }
}
