import Ingest
import Wire

/// An ingest that is alive: the real pipeline, and the loop around it taken apart, so that it can die between any two
/// of its steps.
struct IngestModel {
    private var pipeline: IngestPipeline
    private(set) var publisher = SimulatedPublisher(needsSubscriber: true)
    private var batchCount = 0
    private var connection = 0
    private let topics: TopicTree

    init(topics: TopicTree) {
        self.topics = topics
        pipeline = IngestPipeline(topics: topics, limits: IngestLimits(maximumBatchBytes: 1_024))
    }

    var isIdle: Bool { batchCount == 0 && publisher.isIdle }

    /// Takes one step of the loop: read and publish, or acknowledge.
    mutating func step(_ system: inout SimulationCore) {
        if batchCount > 0 {
            guard publisher.isIdle else { return }
            return acknowledge(&system)
        }
        let messages = system.read(.ingest, atMost: 1 + system.random.below(5))
        guard !messages.isEmpty else { return }
        batchCount = messages.count
        connection = system.bus.connections[SimulatedReader.ingest.rawValue]
        publish(messages, &system)
        if system.mutant == .ingestAcknowledgesFirst { acknowledge(&system) }
    }

    private mutating func publish(_ messages: [BusMessage], _ system: inout SimulationCore) {
        for message in messages {
            guard case .raw(let device, let channel) = message.topic else { continue }
            topics.bytes(.device(device, channel)).withUnsafeBytes { topic in
                message.payload.withUnsafeBytes { payload in
                    pipeline.take(
                        topic: topic, payload: payload, isRetained: false, arrivalMicroseconds: system.now)
                }
            }
        }
        for publication in pipeline.finish(nowMicroseconds: system.now) {
            let keys = messages.flatMap(\.keys).filter { Partition(of: $0.device) == publication.partition }
            publisher.publish(
                system.message(.motion(publication.partition), publication.payload, keys: keys))
        }
    }

    private mutating func acknowledge(_ system: inout SimulationCore) {
        system.bus.acknowledge(batchCount, by: .ingest, over: connection)
        batchCount = 0
    }

    mutating func advance(_ bus: inout SimulatedBus, copies: Int) { publisher.advance(&bus, copies: copies) }
    mutating func confirm() { _ = publisher.confirm() }
    mutating func reconnect() { publisher.reconnect() }
}
