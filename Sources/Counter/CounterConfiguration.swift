package import ServiceKit
package import Configuration
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

    /// What looks for others that count the same.
    func rivalProbe(epoch: UInt64) -> RivalProbe {
        RivalProbe(
            bus: bus, service: .counter, own: claim(epoch: epoch), healthSeconds: Double(limits.healthSeconds))
    }

    /// What it claims with a store.
    func claim(epoch: UInt64) -> StoreClaim {
        StoreClaim(store: epoch, partitions: partitions.partitions)
    }
}
