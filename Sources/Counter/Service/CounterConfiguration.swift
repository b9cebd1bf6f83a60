package import Configuration
import MQTT
package import ServiceKit
package import Wire

/// The settings of a counter, read once at its start.
package struct CounterConfiguration: Sendable {
    package var bus: BusSettings
    package var directory: String
    /// The partitions that a new store owns; no two counters of one root may share one.
    package var partitions: PartitionRange
    /// The name among several counters, by which partitions are moved; `nil` for the only one.
    package var name: DeviceID?
    /// The point at which a commit is done: on the disk, or with the system.
    package var synchronous: CounterStore.Synchronous
    package var limits: CounterLimits
    /// The IANA name of the zone of devices whose config names none: their own day counts begin at its midnight.
    package var zone: String

    /// Batches come this long after each other while few frames come, in milliseconds, because a sync of the log writes a
    /// page for one frame as for ten; with 16 KB, some 30 frames, they come at once.
    static let batchLimits = MQTTBatchLimits(spacingMilliseconds: 100, spacingBytes: 16_384)

    package init(
        bus: BusSettings, directory: String, partitions: PartitionRange = .all,
        name: DeviceID? = nil, synchronous: CounterStore.Synchronous = .full, limits: CounterLimits = CounterLimits(),
        zone: String = "UTC"
    ) {
        (self.bus, self.directory, self.partitions, self.name) = (bus, directory, partitions, name)
        (self.synchronous, self.limits, self.zone) = (synchronous, limits, zone)
    }

    /// Reads the keys of ``BusSettings`` and
    /// - `data`: the directory of the store, `stridebus-data` without one;
    /// - `name`: the name among several counters, such as `counter-a`;
    /// - `partitions`: the partitions that a new store owns, such as `0-15/64` or `none`; without one all, or none where
    ///   there is a name;
    /// - `zone`: the zone of devices whose config names none, `UTC` without one;
    /// - `synchronous`: `full`, or `normal` to trade the last commits at a loss of power for speed.
    ///
    /// - Throws: `SettingError` or ``CounterError``: either names the key and what it may be.
    package init(config: ConfigReader) throws {
        let name = try config.instanceName()
        self.init(
            bus: try BusSettings(config: config), directory: config.string(forKey: "data", default: "stridebus-data"),
            partitions: try PartitionRange(
                config.string(forKey: "partitions", default: name == nil ? "0-63" : "none")),
            name: name,
            synchronous: try config.choice("synchronous", default: "full", among: ["full": .full, "normal": .normal]),
            zone: config.string(forKey: "zone", default: "UTC"))
    }

    /// The name where partitions are shared with other counters, and moved; `nil` for the only counter.
    var instance: DeviceID? {
        if let name { return name }
        guard !partitions.isAll else { return nil }
        return try? DeviceID("counter-\(partitions.partitions.first?.number ?? Partition.count)")
    }

    /// The topics of the counter's own session. One that shares the partitions reads each of them over a
    /// session of its own (`PartitionSessions`).
    var subscriptions: [MQTTSubscription] {
        let (topics, root) = (bus.topics, bus.topics.root)
        let own = instance.map { topics.text(.partitions($0)) } ?? "\(root)/service/motion/+"
        return [
            own, "\(root)/service/forget/+", topics.text(.resend), topics.filter(every: .config),
            topics.text(.call(.counter)),
        ].map { MQTTSubscription($0) }
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
    /// The time between two commits of minutes while frames keep coming, in seconds: history has them, and readers their
    /// totals, a second later at most.
    package var rowsSeconds = 4
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
    /// The most devices that are counted at all; messages of further ones are refused as `too_many_devices`.
    package var maximumDevices: Int
    /// The most devices with refused messages alone, since the start. Their health gives the reason; they must not take
    /// the places of devices that can be counted.
    package var maximumRefusedDevices = 1_000
    /// The time that minutes are kept after history has them, in days.
    package var retentionDays = 8
    /// The pause after rows were sent to history, in milliseconds: rows of that time coalesce.
    package var drainMilliseconds = 250
    /// The time between two looks for silent devices, in milliseconds.
    package var tickMilliseconds = 250
    /// The time between two publications of the service's health, in seconds.
    package var healthSeconds = 5
    /// The time for which pending rows are published at a shutdown, in seconds.
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

/// The partitions that a counter owns, as an operator writes them: `0-63`, `0-15/64`, `7`, `0-3,8-11` or `none`.
package struct PartitionRange: Sendable, Hashable {
    /// The partitions, in order, each once.
    package private(set) var partitions: [Partition]

    package static let all = PartitionRange(partitions: Partition.all)

    package var isAll: Bool { partitions.count == Partition.count }
    package var isEmpty: Bool { partitions.isEmpty }

    package func contains(_ partition: Partition) -> Bool { isAll || partitions.contains(partition) }

    private init(partitions: [Partition]) {
        self.partitions = partitions
    }

    /// These partitions, in whichever order.
    package init(_ partitions: some Collection<Partition>) {
        self.init(partitions: Set(partitions).sorted())
    }

    package mutating func insert(_ partition: Partition) { self = PartitionRange(partitions + [partition]) }

    package mutating func remove(_ partition: Partition) { partitions.removeAll { $0 == partition } }

    /// Reads what an operator wrote.
    ///
    /// - Throws: ``CounterError`` that says what may be written.
    package init(_ text: String) throws(CounterError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let advice = CounterError.configuration(
            key: "partitions", problem: "is '\(text)': write a range such as 0-15/64, within 0-\(Partition.count - 1)")
        guard text != "none" else {
            partitions = []
            return
        }
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
    /// The ranges, separated by commas.
    package var description: String {
        guard !isEmpty else { return "none" }
        var ranges: [ClosedRange<Int>] = []
        for number in partitions.map(\.number) {
            if let last = ranges.last, last.upperBound == number - 1 {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }
}
