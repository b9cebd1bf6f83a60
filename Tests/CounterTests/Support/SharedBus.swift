import Contract
import MQTT
import ServiceKit
import Watched
import Wire

@testable import Counter

/// What ingest, history and an operator would be to counters that share the partitions.
final class SharedBus: Sendable {
    struct Heard: Sendable {
        private struct Row: Hashable {
            var minute: CountingRun.Minute
            var epoch: UInt64
        }

        fileprivate var isListening = false
        private var rows: [Row: MinuteTotals] = [:]
        private var statuses: [String: InstanceStatus] = [:]
        /// How often a counter has said what it owns.
        private(set) var statusCount = 0

        /// The steps of each minute: those of different epochs add up, as in history.
        var steps: [CountingRun.Minute: Int64] {
            rows.reduce(into: [:]) { $0[$1.key.minute, default: 0] += Int64($1.value.steps) }
        }
        /// Who says of a partition that it is theirs.
        var owners: [Partition: [String]] {
            var owners: [Partition: [String]] = [:]
            for status in statuses.values where status.status == .online {
                let range = status.owns.flatMap { try? PartitionRange($0) }
                for partition in range?.partitions ?? [] { owners[partition, default: []].append(status.instance) }
            }
            return owners
        }
        var names: [String] { statuses.values.filter { $0.status == .online }.map(\.instance) }

        fileprivate mutating func take(_ message: MQTTMessage, _ topics: TopicTree) {
            switch try? topics.parse(message.topic) {
            case .counts:
                guard let batch = try? CountsBatch(decoding: message.payload) else { return }
                for row in batch.rows {
                    let key = Row(
                        minute: CountingRun.Minute(device: row.device, minute: row.minute), epoch: row.epoch)
                    if row.revision > rows[key]?.revision ?? 0 { rows[key] = row }
                }
            case .instanceStatus:
                guard let status = try? InstanceStatus(json: message.payload) else { return }
                statuses[status.instance] = status
                statusCount += 1
            default: break
            }
        }
    }

    let broker: EmbeddedBroker
    let topics: TopicTree
    private let producer: MQTTProducer
    private let listener: Task<Void, any Error>
    private let heard = Watched(Heard())

    var now: Heard { heard.now }

    /// Lets the body use a bus, and ends it; every message of it must keep to its schema.
    static func with(_ body: (SharedBus) async throws -> Void) async throws {
        // Its log tells of every connection.
        let broker = try await EmbeddedBroker.start(
            EmbeddedBrokerConfiguration(extraLines: ["connection_messages true"]))
        do {
            let watch = try await BusWatch.start(try MQTTEndpoint(broker.url))
            try await body(try await SharedBus(broker))
            await watch.end()
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
    }

    private init(_ broker: EmbeddedBroker) async throws {
        self.broker = broker
        topics = try TopicTree()
        let endpoint = try MQTTEndpoint(broker.url)
        producer = MQTTProducer(configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: "test-out"))
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: endpoint, clientID: "test-in", sessionExpirySeconds: 3600),
            subscriptions: [
                MQTTSubscription("stride/service/counts/+"), MQTTSubscription("stride/service/counter/+/status"),
            ])
        listener = Task { [heard, topics] in
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

    deinit { listener.cancel() }

    func publish(_ records: [MotionRecord]) async throws { try await producer.publish(records, topics) }

    /// Asks for a move, as `stridebus partitions move` does.
    func move(_ partitions: PartitionRange, to heir: DeviceID, from owner: DeviceID) async throws {
        let message = PartitionMessage(
            .move, move: "\(UInt64.random(in: .min ... .max))", counter: heir, partitions: partitions)
        try await producer.publish(
            MQTTPublication(topic: topics.bytes(.partitions(owner)), payload: message.encoded()))
    }

    /// Asks which counters are there.
    func call() async throws {
        try await producer.publish(MQTTPublication(topic: topics.bytes(.call(.counter)), payload: []))
    }

    func wait(_ condition: (Heard) -> Bool) async { await heard.wait(condition) }
}
