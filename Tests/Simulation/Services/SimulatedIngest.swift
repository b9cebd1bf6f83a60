import Ingest
import Logging
import Wire

/// An ingest that is alive: the service's own main loop, in a world in which each call may fail, or be its last.
struct SimulatedIngest {
    let world: IngestWorld
    private let main: IngestMain<IngestWorld>

    init(_ system: SimulationCore, _ topics: TopicTree) {
        world = IngestWorld(system, topics)
        main = IngestMain(
            topics: topics, limits: IngestLimits(maximumBatchBytes: 1_024), sources: ForeignForm.sources, bus: world,
            logger: Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() })
        world.lookAround = { [unowned main] in main.tick() }
    }

    /// One turn of the main loop.
    func turn() async {
        await world.live { try await main.turn() }
    }
}

/// What an ingest has around it. It may die at any call.
final class IngestWorld: SimulatedWorld {
    /// The most messages in a batch.
    private static let maximumBatch = 5

    private let topics: TopicTree
    /// Those of the messages that stand in no batch yet.
    private var keys: [MessageKey] = []
    /// What ingest does once a second on another thread: here between any two messages.
    fileprivate var lookAround: () -> Void = {}

    init(_ system: SimulationCore, _ topics: TopicTree) {
        self.topics = topics
        super.init(.ingest, system, needsSubscriber: true)
    }
}

extension IngestWorld: IngestBus {
    var nowMicroseconds: Int64 { system.now }

    func next() throws -> Bool {
        try mayEnd()
        keys = []
        read(atMost: Self.maximumBatch)
        return true
    }

    func forEachMessage(_ body: (IngestMessage) -> Void) {
        for message in messages {
            keys += message.keys
            let topic: [UInt8]
            switch message.topic {
            case .raw(let device, let channel): topic = topics.bytes(.device(device, channel))
            case .foreign(let text): topic = Array(text.utf8)
            default: continue
            }
            topic.withUnsafeBytes { topic in
                message.payload.withUnsafeBytes { body(IngestMessage(topic: topic, payload: $0)) }
            }
            lookAround()
        }
    }

    /// Nobody else gets on meanwhile, so that an ingest dies here that would wait for a counter. The broker may end too.
    func publish(_ motion: [MotionMessage], failures: Int) throws -> MotionRefusal? {
        for (index, batch) in motion.enumerated() {
            let keys = try takeKeys(of: batch, isLast: index == motion.count - 1)
            system.note(keys, in: batch.payload)
            publisher.publish(system.message(.motion, batch.payload, keys: keys))
        }
        if system.mutant == .ingestAcknowledgesFirst { acknowledgeBatch() }
        while !publisher.isIdle {
            try mayEnd()
            if system.random.chance(system.rates.brokerCrash) {
                system.endBroker()
                publisher.reconnect()
            }
            if publisher.waitsForSubscriber(system.bus) { throw SimulatedCrash() }
            advance(copies: system.random.chance(system.rates.duplicate) ? 2 : 1)
            if system.random.chance(0.5) { _ = publisher.confirm() }
        }
        return nil
    }

    /// The messages of a batch: for each of its records the next one of its device; in the last also those that made none.
    /// Refusals go with any message, or with none.
    private func takeKeys(of batch: MotionMessage, isLast: Bool) throws -> [MessageKey] {
        try batch.payload.withUnsafeBytes { bytes in
            var (decoder, taken) = (try MotionBatchDecoder(bytes), [MessageKey]())
            while let record = decoder.next() {
                if case .refusal = record.content { continue }
                guard let place = keys.firstIndex(where: { $0.device == record.device }) else { continue }
                taken.append(keys.remove(at: place))
            }
            guard isLast, !taken.isEmpty else { return taken }
            defer { keys = [] }
            return taken + keys
        }
    }

    func acknowledge() throws {
        try mayEnd()
        acknowledgeBatch()
    }

    /// What is offered may be lost: here all of it is.
    func offer(_ motion: MotionMessage) -> Bool { true }
    func ask(topic: String, _ payload: [UInt8]) -> Bool { true }
    func report(_ counters: IngestCounters) {}
}
