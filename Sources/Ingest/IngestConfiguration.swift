package import Configuration
import MQTT
package import ServiceKit
package import Wire

/// The settings of ingest, read once at its start.
package struct IngestConfiguration: Sendable {
    package var bus: BusSettings
    package var limits: IngestLimits
    /// The folder for messages of which ingest has died; it keeps nothing else.
    package var directory = DataDirectory.usualPath
    /// Foreign topics that are read.
    package var sources: [DeviceSource] = []
    /// The partitions of each counter of the bus: all of them, each once.
    package var counters: [PartitionRange] = [.all]
    /// The time between two publications of `service/ingest/health` when nothing changes, in seconds. New refusals are
    /// published within a second.
    package var healthSeconds: Double = 5
    /// The time that a shutdown waits for a broker that is away, in seconds.
    package var stopSeconds: Double = 3

    /// Batches come this long after each other while messages keep coming, in milliseconds, because to pass ten on, to log
    /// them and to count them costs little more than one; with 64 KB, some 25 frames of JSON, they come at once. It is most
    /// of the time from a frame to its cadence where few come.
    static let batchLimits = MQTTBatchLimits(spacingMilliseconds: 57, spacingBytes: 65_536)
    /// The waits between attempts to publish motion that the broker refuses, which a person may have to mend.
    static let backoff = MQTTBackoff(minimumSeconds: 0.5, maximumSeconds: 10)
    /// The largest packet that the broker may send us over MQTT 5, in bytes: eight times the largest frame, so that an
    /// ordinary mistake still arrives and is counted.
    static let maximumPacketBytes: UInt32 = 2_097_152

    package init(bus: BusSettings, limits: IngestLimits = IngestLimits()) {
        self.bus = bus
        self.limits = limits
    }

    /// Reads the keys of `BusSettings`, `data`: the folder for messages of which ingest has died, `sources`: a JSON list of
    /// `DeviceSource`, and `counters`: the partitions of each counter.
    package init(config: ConfigReader) throws(SettingError) {
        self.init(bus: try BusSettings(config: config))
        directory = config.string(forKey: "data", default: DataDirectory.usualPath)
        sources = try Self.sources(config)
        let text = config.string(forKey: "counters", default: "\(PartitionRange.all)")
        guard let ranges = PartitionRange.every(text) else {
            throw SettingError(
                key: "counters",
                problem:
                    "is '\(text)': write the --partitions of every counter, such as 0-31,32-63; together all, each once"
            )
        }
        counters = ranges
    }

    /// The foreign topics that are configured.
    package static func sources(_ config: ConfigReader) throws(SettingError) -> [DeviceSource] {
        guard let text = config.string(forKey: "sources") else { return [] }
        do throws(DeviceSource.Problem) { return try DeviceSource.list(json: text) } catch {
            throw SettingError(key: "sources", problem: "cannot be used: \(error.description)")
        }
    }

    /// The topics on which devices send, and the foreign ones.
    var subscriptions: [MQTTSubscription] {
        DeviceChannel.ingested.map { MQTTSubscription(bus.topics.filter(every: $0)) }
            + Set(sources.map(\.filter)).sorted().map { MQTTSubscription($0) }
    }
}

package struct IngestLimits: Sendable, Hashable {
    /// Devices that have been accepted since the start; a new one beyond is refused.
    package var maximumDevices: Int
    /// Devices whose refusals wait to be reported; those of further ones are counted in all, but not by device.
    package var maximumRefusedDevices: Int
    /// The least time between two reports of one device's refusals, in microseconds.
    package var refusalIntervalMicroseconds: Int64 = 1_000_000
    /// The bytes of a motion batch that is full.
    package var maximumBatchBytes: Int
    /// The allowance of one device in the long run, in messages and in bytes a second: four times a device that sends each of
    /// its 50 samples a second by itself.
    package var messagesPerSecond = 200.0
    package var bytesPerSecond = 1_048_576.0
    /// Its allowance at once, in messages and in bytes: a day of frames that it kept while it had no network.
    package var burstMessages = 100_000.0
    package var burstBytes = 536_870_912.0

    package init(maximumDevices: Int = 100_000, maximumRefusedDevices: Int = 1_024, maximumBatchBytes: Int = 65_536) {
        self.maximumDevices = maximumDevices
        self.maximumRefusedDevices = maximumRefusedDevices
        self.maximumBatchBytes = maximumBatchBytes
    }
}

/// The messages that ingest has seen since its start: `received == accepted + refused`, and `refused` is the sum of its
/// reasons.
package struct IngestCounters: Sendable, Hashable {
    /// Messages that came.
    package internal(set) var received: UInt64 = 0
    /// Messages that were understood.
    package internal(set) var accepted: UInt64 = 0
    /// Messages that were understood and held nothing to count, such as a wheel without a crank: part of `accepted`.
    package internal(set) var withoutContent: UInt64 = 0
    /// Devices that were accepted.
    package internal(set) var devices: UInt64 = 0
    package internal(set) var batches: UInt64 = 0
    /// Refusals sent to the counter, which shows them in the device's health.
    package internal(set) var refusalsReported: UInt64 = 0
    /// Refusals of devices beyond `IngestLimits.maximumRefusedDevices`: counted here, but not reported by device.
    package internal(set) var refusalsUnreported: UInt64 = 0
    /// Times that the broker refused motion and it was tried again.
    package internal(set) var publishRetries: UInt64 = 0
    /// Batches that are larger than the broker takes: they can never be published.
    package internal(set) var batchesTooLarge: UInt64 = 0
    /// Batches of refusals that were lost, because the way out was full or broken.
    package internal(set) var refusalBatchesUntold: UInt64 = 0
    /// Messages of which ingest has died twice, as long as they are kept.
    package internal(set) var setAside: UInt64 = 0
    private var byReason = [UInt64](repeating: 0, count: 32)

    /// The counters of a service that has seen nothing.
    package init() {}

    package func refused(_ reason: WireError) -> UInt64 {
        byReason[Int(reason.rawValue) & 31]
    }

    package var refused: UInt64 { byReason.reduce(0, &+) }

    mutating func countRefusal(_ reason: WireError) {
        byReason[Int(reason.rawValue) & 31] &+= 1
    }

    /// The counters under their names on `service/ingest/health`, every reason among them as `refused_{reason}`.
    package var named: [(name: String, value: UInt64)] {
        var counters: [(name: String, value: UInt64)] = [
            ("received", received), ("accepted", accepted), ("without_content", withoutContent), ("refused", refused),
        ]
        for reason in WireError.allCases { counters.append(("refused_\(reason.reason)", refused(reason))) }
        counters += [
            ("devices", devices), ("batches", batches),
            ("refusals_told", refusalsReported), ("refusals_untold", refusalsUnreported),
            ("publish_retries", publishRetries), ("batches_too_large", batchesTooLarge),
            ("refusal_batches_untold", refusalBatchesUntold), ("set_aside", setAside),
        ]
        return counters
    }
}
