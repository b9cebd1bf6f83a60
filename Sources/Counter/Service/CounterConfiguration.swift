package import Configuration
import MQTT
package import ServiceKit
package import Wire

/// The settings of a counter, read once at its start.
package struct CounterConfiguration: Sendable {
    package var bus: BusSettings
    package var directory: String
    /// The partitions that are counted; no two counters of one root may share one.
    package var partitions: PartitionRange
    package var limits: CounterLimits
    /// The IANA name of the zone of devices whose config names none: their own day counts begin at its midnight.
    package var zone: String

    package init(
        bus: BusSettings, directory: String, partitions: PartitionRange = .all,
        limits: CounterLimits = CounterLimits(), zone: String = "UTC"
    ) {
        (self.bus, self.directory, self.partitions) = (bus, directory, partitions)
        (self.limits, self.zone) = (limits, zone)
    }

    /// Reads the keys of `BusSettings`, `data`, `partitions` and `zone`.
    package init(config: ConfigReader) throws(SettingError) {
        self.init(
            bus: try BusSettings(config: config),
            directory: config.string(forKey: "data", default: DataDirectory.usualPath),
            partitions: try PartitionRange(setting: config.string(forKey: "partitions", default: "0-63")),
            zone: config.string(forKey: "zone", default: "UTC"))
    }

    /// The topics that are read, over one session.
    var subscriptions: [MQTTSubscription] {
        let topics = bus.topics
        let service = "\(topics.root)/service"
        // First, because what other counters have decides whether anything is counted; and never from a session, which may
        // hold what was true long ago.
        let others = MQTTSubscription("\(service)/\(ServiceName.counter.rawValue)/+/status", qos: .atMostOnce)
        let orders = partitions.isAll ? ["\(service)/forget/+"] : partitions.partitions.map { topics.text(.forget($0)) }
        let own = [topics.text(.motion(partitions))] + orders + [topics.text(.resend), topics.filter(every: .config)]
        return [others] + own.map { MQTTSubscription($0) }
    }
}

package struct CounterLimits: Sendable, Equatable {
    /// The most devices that are counted at all, all of them in memory; messages of further ones are refused as
    /// `too_many_devices`.
    package var maximumDevices: Int
    /// The most devices with a signal, until ten minutes after the last samples: some 30 KB each while these come, some 7
    /// while it rests; samples of further ones are refused as `too_many_devices`.
    package var maximumSignals: Int
    /// The most states that are written in one transaction, or read at once. It bounds the copies in memory, and the
    /// time that a transaction takes of the disk.
    package var maximumStatesAtOnce = 1_000
    /// The time between two commits of minutes while frames keep coming, in seconds: history has them, and readers their
    /// totals, a second later at most.
    package var rowsSeconds = 10
    /// The devices whose minutes are stored a second, where there are so many that they come more seldom.
    package var rowsASecond = 1_000
    /// The states of devices that are stored a second, as long as none waits longer than `maximumUnstoredSeconds`. A state
    /// has 6 KB, and a minute 150 bytes.
    package var statesASecond = 1
    /// The shortest time between two commits of states, in seconds.
    package var minimumUnstoredSeconds = 10
    /// The time after which a changed state is stored, in seconds. What it follows from is in the log meanwhile.
    package var maximumUnstoredSeconds = 120
    /// The size of the log that the store does not hold at which the oldest changes are stored, in bytes: some 200,000
    /// frames of 50 samples, which a start counts in a few seconds.
    package var maximumLogBytes = 96 << 20
    /// The size of the log at which nothing more is read until the store goes on, in bytes.
    package var stallingLogBytes = 144 << 20
    /// The most devices with refused messages alone, since the start. Their health gives the reason; they must not take
    /// the places of devices that can be counted.
    package var maximumRefusedDevices = 1_000
    /// The time that minutes are kept after history has them, in days.
    package var retentionDays = 8
    /// The pause after rows were sent to history, in milliseconds: rows of that time coalesce.
    package var drainMilliseconds = 250
    /// The most devices of which one look finds that they are silent: what follows takes some 0.2 ms each, and others are
    /// counted between two looks.
    package var maximumSilentAtOnce = 400
    /// The time between two looks for silent devices, in milliseconds.
    package var tickMilliseconds = 250
    /// The time between two publications of the service's health, in seconds.
    package var healthSeconds = 5
    /// The time for which pending rows are published at a shutdown, in seconds.
    package var stopSeconds = 5

    package init(maximumDevices: Int = 100_000, maximumSignals: Int = 28_000) {
        (self.maximumDevices, self.maximumSignals) = (maximumDevices, maximumSignals)
    }
}

extension PartitionRange {
    /// Reads what an operator wrote.
    package init(setting text: String) throws(SettingError) {
        guard let range = PartitionRange(text) else {
            throw SettingError(
                key: "partitions", problem: "is '\(text)': write a range such as 0-31, within \(PartitionRange.all)")
        }
        self = range
    }

    /// Without those of another range; `nil` where none is left.
    ///
    /// - Throws: `SettingError` where the rest would not be one range.
    func without(_ other: PartitionRange) throws(SettingError) -> PartitionRange? {
        let rest = numbers.filter { !other.numbers.contains($0) }
        guard let first = rest.first, let last = rest.last else { return nil }
        guard rest.count == last - first + 1 else {
            throw SettingError(
                key: "partitions", problem: "is \(other), which cuts \(self) in two: take one end of it")
        }
        return try PartitionRange(setting: "\(first)-\(last)")
    }

    /// The share of the work, for topics and client ids; `nil` where it is all of it.
    package var share: DeviceID? { isAll ? nil : name }
    package var name: DeviceID? { try? DeviceID(description) }
}
