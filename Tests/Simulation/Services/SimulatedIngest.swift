import Ingest
import Wire

/// An ingest that is alive: its own loop, which can die between any two effects.
struct SimulatedIngest {
    private var loop: IngestLoop
    private(set) var publisher = SimulatedPublisher(needsSubscriber: true)
    private let topics: TopicTree
    /// The batch that is being passed on.
    private var messages: [BusMessage] = []
    private var connection = 0

    init(topics: TopicTree) {
        self.topics = topics
        loop = IngestLoop(topics: topics, limits: IngestLimits(maximumBatchBytes: 1_024))
    }

    var isIdle: Bool { messages.isEmpty && publisher.isIdle }

    /// Takes one step: reads a batch, or hears that the broker has all that was published of it.
    mutating func step(_ system: SimulationCore) {
        if !messages.isEmpty {
            if publisher.isIdle { perform(loop.handle(.accepted, nowMicroseconds: system.now), system) }
            return
        }
        messages = system.read(.ingest, atMost: 1 + system.random.below(5))
        guard !messages.isEmpty else { return }
        connection = system.bus.connections[SimulatedReader.ingest.rawValue]
        for message in messages { take(message, system) }
        perform(loop.handle(.batchEnded, nowMicroseconds: system.now), system)
    }

    private mutating func take(_ message: BusMessage, _ system: SimulationCore) {
        guard case .raw(let device, let channel) = message.topic else { return }
        let effects = topics.bytes(.device(device, channel)).withUnsafeBytes { topic in
            message.payload.withUnsafeBytes { payload in
                loop.handle(
                    .message(topic: topic, payload: payload, isRetained: false), nowMicroseconds: system.now)
            }
        }
        perform(effects, system)
    }

    private mutating func perform(_ effects: [IngestLoop.Effect], _ system: SimulationCore) {
        for effect in effects {
            switch effect {
            case .publish(let motion, _):
                publish(motion, system)
                if system.mutant == .ingestAcknowledgesFirst { acknowledge(system) }
            case .acknowledge: acknowledge(system)
            case .announceReading, .offer, .ask, .report, .warn: break
            }
        }
    }

    private mutating func publish(_ motion: [MotionMessage], _ system: SimulationCore) {
        for batch in motion {
            let keys = messages.flatMap(\.keys).filter { Partition(of: $0.device) == batch.partition }
            publisher.publish(system.message(.motion(batch.partition), batch.payload, keys: keys))
        }
    }

    private mutating func acknowledge(_ system: SimulationCore) {
        system.bus.acknowledge(messages.count, by: .ingest, over: connection)
        messages = []
    }

    mutating func advance(_ bus: inout SimulatedBus, copies: Int) { publisher.advance(&bus, copies: copies) }
    mutating func confirm() { _ = publisher.confirm() }
    mutating func reconnect() { publisher.reconnect() }
}
