import History
import Wire

/// A history that is alive: the pipeline of the service, with effects that take their time, so that it can die between
/// any two of them.
struct SimulatedHistory {
    private var pipeline: HistoryPipeline
    private(set) var publisher = SimulatedPublisher()
    /// What is still to be done of counts, in order.
    private var effects: [HistoryEffect] = []
    private var batchCount = 0
    private var connection = 0

    /// A history that starts with what the store has.
    init(_ system: SimulationCore) {
        pipeline = HistoryPipeline(cursors: system.historyStore.cursors)
    }

    var isIdle: Bool { effects.isEmpty && publisher.isIdle }

    /// Takes one step of the loop: reads, commits, or acknowledges.
    mutating func step(_ system: SimulationCore) {
        guard let effect = effects.first else { return read(system) }
        switch effect {
        case .commit(let changes):
            guard !system.storeFails() else { return handle(.commitFailed, system) }
            system.historyStore.commit(changes, mutant: system.mutant)
            system.historyHasChanged = true
            effects.removeFirst()
            handle(.committed(CommitOutcome()), system)
        case .acknowledge:
            effects.removeFirst()
            if system.mutant != .historyAcknowledgesFirst { acknowledge(system) }
        default: effects.removeFirst()
        }
    }

    private mutating func read(_ system: SimulationCore) {
        let messages = system.read(.history, atMost: 1 + system.random.below(4))
        guard !messages.isEmpty else { return }
        batchCount = messages.count
        connection = system.bus.connections[SimulatedReader.history.rawValue]
        handle(.received(messages.map(Self.content)), system)
        if system.mutant == .historyAcknowledgesFirst { acknowledge(system) }
    }

    private static func content(of message: BusMessage) -> HistoryInput {
        if message.topic == .counterOnline { return .counterStarted }
        return message.payload.withUnsafeBytes { bytes in
            (try? CountsBatch(decoding: bytes)).map { .counts($0) } ?? .nothing
        }
    }

    private mutating func acknowledge(_ system: SimulationCore) {
        system.bus.acknowledge(batchCount, by: .history, over: connection)
        batchCount = 0
    }

    /// Lets the pipeline do what it does by the clock.
    mutating func tick(_ system: SimulationCore) {
        let isMute = system.mutant == .noResends || system.mutant == .historyAcknowledgesFirst
        for effect in pipeline.handle(.tick, nowSeconds: Double(system.now) / 1e6) {
            guard case .resend(let request) = effect, !isMute else { continue }
            publisher.publish(system.message(.resend, request.encoded()))
        }
    }

    /// Only what is done with counts is simulated: requests, totals and notices change nothing that is kept.
    private mutating func handle(_ event: HistoryEvent, _ system: SimulationCore) {
        for effect in pipeline.handle(event, nowSeconds: Double(system.now) / 1e6) {
            switch effect {
            case .commit, .acknowledge: effects.append(effect)
            default: break
            }
        }
    }

    mutating func connected(sessionPresent: Bool, _ system: SimulationCore) {
        for case .readCursors in pipeline.handle(.countsConnected(sessionPresent: sessionPresent), nowSeconds: 0) {
            _ = pipeline.handle(.cursorsRead(system.historyStore.cursors), nowSeconds: 0)
        }
    }

    mutating func advance(_ bus: inout SimulatedBus, copies: Int) { publisher.advance(&bus, copies: copies) }
    mutating func confirm() { _ = publisher.confirm() }
    mutating func reconnect() { publisher.reconnect() }
}
