package import Configuration
import MQTT
package import ServiceKit
package import Wire

/// The settings of a counter, read once at its start.
package struct CounterConfiguration: Sendable {
    package var bus: BusSettings
    package var directory: String
    /// The partitions to own; no two counters of one root may share one.
    package var partitions: PartitionRange
    /// The point at which a commit is done: on the disk, or with the system.
    package var synchronous: CounterStore.Synchronous
    package var limits: CounterLimits
    /// The IANA name of the zone of devices whose config names none: their own day counts begin at its midnight.
    package var zone: String

    package init(
        bus: BusSettings, directory: String, partitions: PartitionRange = .all,
        synchronous: CounterStore.Synchronous = .full, limits: CounterLimits = CounterLimits(), zone: String = "UTC"
    ) {
        self.zone = zone
        self.bus = bus
        self.directory = directory
        self.partitions = partitions
        self.synchronous = synchronous
        self.limits = limits
    }

    /// Reads the keys of ``BusSettings`` and
    /// - `data`: the directory of the store, `stridebus-data` without one;
    /// - `partitions`: the partitions to own such as `0-15/64`, all without one;
    /// - `zone`: the zone of devices whose config names none, `UTC` without one;
    /// - `synchronous`: `full`, or `normal` to trade the last commits at a loss of power for speed.
    ///
    /// - Throws: `SettingError` or ``CounterError``: either names the key and what it may be.
    package init(config: ConfigReader) throws {
        self.init(
            bus: try BusSettings(config: config), directory: config.string(forKey: "data", default: "stridebus-data"),
            partitions: try PartitionRange(config.string(forKey: "partitions", default: "0-63")),
            synchronous: try config.choice("synchronous", default: "full", among: ["full": .full, "normal": .normal]),
            zone: config.string(forKey: "zone", default: "UTC"))
    }

    /// The partitions as a part of client ids; `nil` where the counter has all.
    var share: String? {
        partitions.isAll ? nil : partitions.description.replacing(",", with: "_")
    }

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

/// The bounds of one counter.
package struct CounterLimits: Sendable, Equatable {
    /// The most devices whose state is in memory, some 30 KB each; those silent longest are written back and
    /// dropped.
    package var maximumResidentDevices: Int
    /// The most devices in memory beyond those, while what changed of others is stored so that they can be dropped. At
    /// this number the counter waits for the store.
    package var maximumSurplusDevices: Int
    /// The most states that are written in one transaction, or read at once. It bounds the copies in memory, and the
    /// time that a transaction takes of the disk.
    package var maximumStatesAtOnce = 1_000
    /// The states of devices that are stored a second, as long as none waits longer than `maximumUnstoredSeconds`: a
    /// few devices are stored every second, thousands seldom.
    package var statesASecond = 10
    /// The time after which a change is stored, in seconds. It is in the log meanwhile; history gets it when it is
    /// stored.
    package var maximumUnstoredSeconds = 10
    /// The claims of stretches of time of one device that are stored in one transaction.
    package var maximumClaimsAtOnce = 5_000
    /// The claims in memory at which nothing more is counted until some are stored: 64 MB, four years of minutes.
    package var maximumPendingClaims = 2_000_000
    /// The size of the log that the store does not hold at which the oldest changes are stored, in bytes: some 150,000
    /// frames of 50 samples, which a start counts in a few seconds.
    package var maximumLogBytes = 192 << 20
    /// The size of the log at which nothing more is read until the store goes on, in bytes.
    package var stallingLogBytes = 240 << 20
    /// The most devices that are counted at all; messages of further ones are refused as `too_many_devices`.
    package var maximumDevices: Int
    /// The most devices with refused messages alone, since the start. Their health gives the reason; they must not take
    /// the places of devices that can be counted.
    package var maximumStrangers = 1_000
    /// The time that minutes are kept after history has them, in days.
    package var retentionDays = 8
    /// The pause after rows were sent to history, in milliseconds: rows of that time coalesce.
    package var drainMilliseconds = 250
    /// The time between two looks for silent devices, in milliseconds.
    package var tickMilliseconds = 250
    /// The time between two publications of the service's health, in seconds.
    package var healthSeconds = 5
    /// How long pending rows are published at a shutdown, in seconds.
    package var stopSeconds = 5

    /// Bounds; the defaults suit one machine.
    package init(
        maximumResidentDevices: Int = 24_000, maximumSurplusDevices: Int = 4_000, maximumDevices: Int = 100_000
    ) {
        self.maximumResidentDevices = maximumResidentDevices
        self.maximumSurplusDevices = maximumSurplusDevices
        self.maximumDevices = maximumDevices
    }
}

/// The partitions that a counter owns, as an operator writes them: `0-63`, `0-15/64`, `7` or `0-3,8-11`.
package struct PartitionRange: Sendable, Hashable {
    /// The partitions, in order, each once.
    package let partitions: [Partition]

    package static let all = PartitionRange(partitions: Partition.all)

    package var isAll: Bool { partitions.count == Partition.count }

    package func contains(_ partition: Partition) -> Bool { isAll || partitions.contains(partition) }

    private init(partitions: [Partition]) {
        self.partitions = partitions
    }

    /// Reads what an operator wrote.
    ///
    /// - Throws: ``CounterError`` that says what may be written.
    package init(_ text: String) throws(CounterError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let advice = CounterError.configuration(
            key: "partitions", problem: "is '\(text)': write a range such as 0-15/64, within 0-\(Partition.count - 1)")
        guard parts.count == 1 || (parts.count == 2 && parts[1] == "\(Partition.count)") else { throw advice }
        var numbers: Set<Int> = []
        for item in parts[0].split(separator: ",", omittingEmptySubsequences: false) {
            let ends = item.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
                0 <= first, first <= last, last < Partition.count
            else { throw advice }
            numbers.formUnion(first...last)
        }
        partitions = numbers.sorted().compactMap { try? Partition(number: $0) }
    }
}

extension PartitionRange: CustomStringConvertible {
    /// The numbers, separated by commas.
    package var description: String {
        isAll ? "0-\(Partition.count - 1)" : partitions.map { "\($0.number)" }.joined(separator: ",")
    }
}
