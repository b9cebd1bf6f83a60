package import ServiceKit
package import Configuration
import MQTT
import Wire

/// What a counter is told when it starts; read once.
package struct CounterConfiguration: Sendable {
    /// Where the bus is and how to speak to it.
    package var bus: BusSettings
    /// The directory of the store.
    package var directory: String
    /// The partitions to own; no two counters of one root may share one.
    package var partitions: PartitionRange
    /// How far a commit waits for the disk.
    package var synchronous: CounterStore.Synchronous
    /// The bounds.
    package var limits: CounterLimits

    /// A configuration from its parts.
    package init(
        bus: BusSettings, directory: String, partitions: PartitionRange = .all,
        synchronous: CounterStore.Synchronous = .full, limits: CounterLimits = CounterLimits()
    ) {
        self.bus = bus
        self.directory = directory
        self.partitions = partitions
        self.synchronous = synchronous
        self.limits = limits
    }

    /// Reads the keys of ``BusSettings`` and
    /// - `data`: the directory of the store, `stridebus-data` without one;
    /// - `partitions`: the partitions to own such as `0-15/64`, all without one;
    /// - `synchronous`: `full`, or `normal` to trade the last commits at a loss of power for speed.
    ///
    /// - Throws: `SettingError` or ``CounterError``: either names the key and what it may be.
    package init(config: ConfigReader) throws {
        self.init(
            bus: try BusSettings(config: config), directory: config.string(forKey: "data", default: "stridebus-data"),
            partitions: try PartitionRange(config.string(forKey: "partitions", default: "0-63")),
            synchronous: try config.choice("synchronous", default: "full", among: ["full": .full, "normal": .normal]))
    }

    /// What the ids of its connections tell of its partitions; `nil` where it has all.
    var share: String? {
        partitions.isAll ? nil : partitions.description.replacing(",", with: "_")
    }

    /// What it reads.
    var subscriptions: [MQTTSubscription] {
        let topics = bus.topics
        let rest = [MQTTSubscription(topics.text(.resend)), MQTTSubscription(topics.filter(every: .config))]
        guard !partitions.isAll else {
            let root = topics.root
            return [MQTTSubscription("\(root)/service/motion/+"), MQTTSubscription("\(root)/service/forget/+")] + rest
        }
        return partitions.partitions.flatMap { partition in
            [MQTTSubscription(topics.text(.motion(partition))), MQTTSubscription(topics.text(.forget(partition)))]
        } + rest
    }
}
