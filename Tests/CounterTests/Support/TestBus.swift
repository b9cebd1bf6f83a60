import Contract
import Logging
import MQTT
import ServiceKit
import ServiceLifecycle
import TestBroker
import Watched
import Wire

@testable import Counter

/// What ingest and history would be to a counter: publishes motion, and keeps what comes out.
final class TestBus: Sendable {
    struct Heard: Sendable {
        fileprivate var isListening = false
        var rows: [CountingRun.Minute: MinuteRow] = [:]
        var lastRevision: UInt64 = 0
        var batches = 0
        var cadences: [CadenceReport] = []
        var status: [String] = []
        var health: ServiceHealth?
        /// The status and the health of each of several counters, by its partitions.
        var shares: [DeviceID: String] = [:]
        var healthOfShares: [DeviceID: ServiceHealth] = [:]
        /// The last activity and health of each device, by topic; empty where it was taken back.
        var retained: [Topic: [UInt8]] = [:]

        /// The steps of all minutes.
        var steps: Int { rows.values.reduce(0) { $0 + Int($1.steps) } }
        /// The covered time of all minutes, in milliseconds.
        var covered: Int { rows.values.reduce(0) { $0 + Int($1.coveredMilliseconds) } }
    }

    let topics: TopicTree
    private let bus: TestBroker
    private let heard = Watched(Heard())
    private let producer: MQTTProducer

    var now: Heard { heard.now }

    /// Connects, and returns when everything that comes out is heard.
    private init(_ bus: TestBroker) async throws {
        self.bus = bus
        topics = try TopicTree()
        producer = bus.producer()
        let consumer = bus.consumer(
            "stride/service/counts/+", "stride/service/counter/#", "stride/+/cadence", "stride/+/activity",
            "stride/+/health", sessionExpirySeconds: 3600)
        Task { [heard, topics] in
            for try await batch in consumer.batches {
                heard.change { heard in
                    heard.isListening = true
                    for message in batch { heard.take(message, topics) }
                }
                batch.acknowledge()
            }
        }
        await heard.wait(\.isListening)
    }

    /// A bus on a broker of its own, on which every message is held against its schema.
    static func with(_ body: (TestBus) async throws -> Void) async throws {
        try await TestBroker.with(checked: .sent) { try await body(try await TestBus($0)) }
    }

    /// What a counter of this bus is told; it waits little.
    func configuration(_ directory: String) -> CounterConfiguration {
        var limits = CounterLimits()
        (limits.drainMilliseconds, limits.healthSeconds) = (20, 1)
        return CounterConfiguration(
            bus: BusSettings(endpoint: bus.endpoint, topics: topics), directory: directory, limits: limits)
    }

    /// A counter of this bus, from when it is online.
    func counter(_ directory: String) async -> RunningGroup {
        let counter = RunningGroup(configuration(directory))
        await wait { $0.status.last == "online" }
        return counter
    }

    /// Publishes records as ingest does where there are such counters, and returns when the broker has them.
    func publish(_ records: [MotionRecord], to counters: [PartitionRange] = [.all]) async throws {
        for range in counters {
            try await producer.publish(records.filter { range.contains(Partition(of: $0.device)) }, topics, to: range)
        }
    }

    /// Publishes anything.
    func publish(_ topic: Topic, _ payload: [UInt8], retain: Bool = false) async throws {
        try await producer.publish(MQTTPublication(topic: topics.bytes(topic), payload: payload, retain: retain))
    }

    /// Returns when what has been heard is as wanted; the suite's time limit is the deadline.
    func wait(_ condition: (Heard) -> Bool) async { await heard.wait(condition) }
}

extension TestBus.Heard {
    fileprivate mutating func take(_ message: MQTTMessage, _ topics: TopicTree) {
        let topic = try? topics.parse(message.topic)
        switch topic {
        case .device(_, .activity), .device(_, .health): if let topic { retained[topic] = Array(message.payload) }
        case .counts:
            guard let batch = try? CountsBatch(decoding: message.payload) else { return }
            batches += 1
            lastRevision = max(lastRevision, batch.lastRevision)
            for row in batch.rows {
                let key = CountingRun.Minute(device: row.device, minute: row.minute)
                if row.revision > rows[key]?.revision ?? 0 { rows[key] = row }
            }
        case .device(_, .cadence): if let report = try? CadenceReport(json: message.payload) { cadences.append(report) }
        case .serviceStatus: status.append(String(decoding: message.payload, as: UTF8.self))
        case .serviceHealth: health = try? ServiceHealth(json: message.payload)
        case .instanceStatus(_, let share): shares[share] = String(decoding: message.payload, as: UTF8.self)
        case .instanceHealth(_, let share): healthOfShares[share] = try? ServiceHealth(json: message.payload)
        default: break
        }
    }
}

extension RunningGroup {
    /// A counter.
    init(_ configuration: CounterConfiguration) {
        let logger = Logger(label: "counter") { _ in SwiftLogNoOpLogHandler() }
        let service = CounterService(configuration: configuration, logger: logger)
        self.init(ServiceGroup(services: [service], logger: logger))
    }
}

extension MQTTProducer {
    /// Publishes each record as a batch.
    func publish(_ records: [MotionRecord], _ topics: TopicTree, to counter: PartitionRange = .all) async throws {
        for record in records {
            var encoder = MotionBatchEncoder()
            _ = encoder.append(record)
            let topic = topics.bytes(.motion(counter))
            try await publish(MQTTPublication(topic: topic, payload: encoder.bytes))
        }
    }
}
