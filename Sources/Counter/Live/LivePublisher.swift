import MQTT
import ServiceLifecycle
package import Wire

/// Offers live outputs to the bus without ever waiting. Retained ones are offered until the connection takes them.
struct LivePublisher: Sendable {
    /// The most retained outputs that are kept for another try.
    static let maximumKept = 10_000

    private let topics: TopicTree
    private let producer: MQTTProducer
    private var kept: [[UInt8]: MQTTPublication] = [:]
    private let counters: CounterCounters

    init(topics: TopicTree, producer: MQTTProducer, counters: CounterCounters) {
        (self.topics, self.producer, self.counters) = (topics, producer, counters)
    }

    mutating func publish(_ outputs: [LiveOutput]) {
        offer(
            outputs.map { output in
                let (channel, json, isRetained) = output.encoded()
                return MQTTPublication(
                    topic: topics.bytes(.device(output.device, channel)), payload: json,
                    qos: isRetained ? .atLeastOnce : .atMostOnce, retain: isRetained)
            })
    }

    /// Clears the retained messages of a device, and waits until the broker has.
    mutating func takeBack(_ device: DeviceID) async throws {
        let publications = [DeviceChannel.activity, .health].map { channel in
            MQTTPublication(topic: topics.bytes(.device(device, channel)), payload: [], retain: true)
        }
        for publication in publications { kept[publication.topic] = nil }
        let producer = producer
        do {
            try await cancelWhenGracefulShutdown { try await producer.publish(publications) }
        } catch {
            try Task.checkCancellation()
            offer(publications)
        }
    }

    mutating func retry() {
        guard !kept.isEmpty, case .connected = producer.connectionState else { return }
        let again = kept
        kept = [:]
        offer(Array(again.values))
    }

    private mutating func offer(_ publications: [MQTTPublication]) {
        let taken = producer.offer(publications)
        if !kept.isEmpty { for publication in publications[..<taken] { kept[publication.topic] = nil } }
        for publication in publications[taken...] {
            if publication.retain, kept.count < Self.maximumKept || kept[publication.topic] != nil {
                kept[publication.topic] = publication
            } else {
                counters.add(.liveDropped)
            }
        }
    }
}

/// Something to publish about a device, after the commit that it follows from.
package struct LiveOutput: Sendable {
    package enum Payload: Sendable {
        case cadence(CadenceReport)
        case steps(StepsReport)
        case heart(HeartReport)
        case power(PowerReport)
        case activity(ActivityReport)
        case health(DeviceHealth)
    }

    package var device: DeviceID
    package var payload: Payload

    /// The topic's last level, the payload's bytes, and whether the broker retains them for later subscribers.
    func encoded() -> (channel: DeviceChannel, json: [UInt8], isRetained: Bool) {
        switch payload {
        case .cadence(let report): (.cadence, report.encodedJSON(), false)
        case .steps(let report): (.steps, report.encodedJSON(), false)
        case .heart(let report): (.heart, report.encodedJSON(), false)
        case .power(let report): (.power, report.encodedJSON(), false)
        case .activity(let report): (.activity, report.encodedJSON(), true)
        case .health(let report): (.health, report.encodedJSON(), true)
        }
    }
}
