/// What every service has around it: a connection on which it reads and publishes, and calls of which each may be its last.
class SimulatedWorld {
    let system: SimulationCore
    private let reader: SimulatedReader
    var publisher: SimulatedPublisher
    /// The batch that is worked on, and the connection over which it came.
    private(set) var messages: [BusMessage] = []
    private var connection = 0
    private(set) var isDead = false

    init(_ reader: SimulatedReader, _ system: SimulationCore, needsSubscriber: Bool = false) {
        (self.reader, self.system) = (reader, system)
        publisher = SimulatedPublisher(needsSubscriber: needsSubscriber)
    }

    /// Whether nothing is left to do.
    var isIdle: Bool { publisher.isIdle }

    /// Does some work, unless the service is dead, and ends it where that fails.
    func live(_ body: () async throws -> Void) async {
        guard !isDead else { return }
        do { try await body() } catch { die(of: error) }
    }

    func die(of error: any Error) {
        isDead = true
        system.end(reader, of: error)
    }

    /// What may happen between any two calls.
    func mayEnd(steps: Double = 1) throws { try system.moment(of: reader, publisher: &publisher, steps: steps) }

    /// Takes the next batch.
    func read(atMost limit: Int) {
        messages = system.read(reader, atMost: 1 + system.random.below(limit))
        connection = system.bus.connections[reader.rawValue]
    }

    /// The broker hears that it has been dealt with.
    func acknowledgeBatch() {
        system.bus.acknowledge(messages.count, by: reader, over: connection)
        messages = []
    }

    /// A connection begins.
    func connected() {}
    func reconnect() { publisher.reconnect() }
    /// The broker takes the next message, and is heard to have it.
    func advance(copies: Int) { publisher.advance(&system.bus, copies: copies) }
    func confirm() { _ = publisher.confirm() }
}
