public import Configuration
public import MQTT
public import Wire

/// What a counter is told when it starts; read once.
public struct CounterConfiguration: Sendable {
    /// Where the broker is.
    public var broker: MQTTEndpoint
    /// The version of MQTT to speak.
    public var mqttVersion: MQTTVersion
    /// The topics.
    public var topics: TopicTree
    /// The directory of the store.
    public var directory: String
    /// The partitions to own; no two counters of one root may share one.
    public var partitions: PartitionRange
    /// How far a commit waits for the disk.
    public var synchronous: CounterStore.Synchronous
    /// The bounds.
    public var limits: CounterLimits

    /// A configuration from its parts.
    public init(
        broker: MQTTEndpoint, mqttVersion: MQTTVersion = .v5, topics: TopicTree, directory: String,
        partitions: PartitionRange = .all, synchronous: CounterStore.Synchronous = .full,
        limits: CounterLimits = CounterLimits()
    ) {
        self.broker = broker
        self.mqttVersion = mqttVersion
        self.topics = topics
        self.directory = directory
        self.partitions = partitions
        self.synchronous = synchronous
        self.limits = limits
    }
}

extension CounterConfiguration {
    /// Reads the keys
    /// - `broker`: URL of the broker, `mqtt://localhost:1883` without one;
    /// - `mqtt-version`: `5` or `3.1.1`, 5 without one;
    /// - `tls-ca-file`, `tls-certificate-file`, `tls-key-file`: for `mqtts://`;
    /// - `root`: the first levels of every topic, `stride` without one;
    /// - `data`: the directory of the store, `stridebus-data` without one;
    /// - `partitions`: the partitions to own such as `0-15/64`, all without one;
    /// - `synchronous`: `full`, or `normal` to trade the last commits at a loss of power for speed.
    ///
    /// - Throws: ``CounterError`` that names the key and what it may be.
    public init(config: ConfigReader) throws {
        let version = config.string(forKey: "mqtt-version", default: "5")
        guard ["5", "3.1.1"].contains(version) else {
            throw CounterError.configuration(key: "mqtt-version", problem: "is '\(version)': write 5 or 3.1.1")
        }
        let mode = config.string(forKey: "synchronous", default: "full")
        guard let synchronous = CounterStore.Synchronous(rawValue: mode) else {
            throw CounterError.configuration(key: "synchronous", problem: "is '\(mode)': write full or normal")
        }
        self.init(
            broker: try Self.broker(config), mqttVersion: version == "5" ? .v5 : .v311,
            topics: try Self.topics(config), directory: config.string(forKey: "data", default: "stridebus-data"),
            partitions: try PartitionRange(config.string(forKey: "partitions", default: "0-63")),
            synchronous: synchronous)
    }

    private static func broker(_ config: ConfigReader) throws(CounterError) -> MQTTEndpoint {
        let url = config.string(forKey: "broker", default: "mqtt://localhost:1883")
        var endpoint: MQTTEndpoint
        do { endpoint = try MQTTEndpoint(url) } catch {
            throw .configuration(key: "broker", problem: "cannot be used: \(error)")
        }
        endpoint.tls?.caFile = config.string(forKey: "tls-ca-file")
        endpoint.tls?.certificateFile = config.string(forKey: "tls-certificate-file")
        endpoint.tls?.keyFile = config.string(forKey: "tls-key-file")
        return endpoint
    }

    private static func topics(_ config: ConfigReader) throws(CounterError) -> TopicTree {
        let root = config.string(forKey: "root", default: "stride")
        do { return try TopicTree(root: root) } catch {
            throw .configuration(key: "root", problem: "is '\(root)': write up to 4 levels of a-z, 0-9, _ and -")
        }
    }
}
