import History
import Wire

/// A history that is alive: the real pipeline, and the loops around it taken apart, so that it can die between any two
/// of their steps.
struct HistoryModel {
    private enum Stage {
        case reading
        case received(HistoryChanges)
        case committed
    }

    private var pipeline: HistoryPipeline
    private(set) var publisher = SimulatedPublisher()
    private var stage = Stage.reading
    private var batchCount = 0
    private var connection = 0

    /// A history that starts with what the store has.
    init(_ system: SimulationCore) {
        pipeline = HistoryPipeline(cursors: system.historyStore.cursors)
    }

    var isIdle: Bool {
        guard case .reading = stage else { return false }
        return publisher.isIdle
    }

    /// Takes one step of the loop: read, commit, or acknowledge.
    mutating func step(_ system: inout SimulationCore) {
        switch stage {
        case .reading: read(&system)
        case .received(let changes):
            guard !system.storeFails() else { return }
            system.historyStore.commit(changes, mutant: system.mutant)
            system.historyHasChanged = true
            stage = .committed
        case .committed:
            if system.mutant != .historyAcknowledgesFirst { acknowledge(&system) }
            stage = .reading
        }
    }

    private mutating func read(_ system: inout SimulationCore) {
        let messages = system.read(.history, atMost: 1 + system.random.below(4))
        guard !messages.isEmpty else { return }
        batchCount = messages.count
        connection = system.bus.connections[SimulatedReader.history.rawValue]
        for message in messages { take(message, nowSeconds: Double(system.now) / 1e6) }
        stage = .received(pipeline.takeChanges())
        if system.mutant == .historyAcknowledgesFirst { acknowledge(&system) }
    }

    private mutating func take(_ message: BusMessage, nowSeconds: Double) {
        if message.topic == .counterOnline { return pipeline.askAgain() }
        message.payload.withUnsafeBytes { bytes in
            guard let batch = try? CountsBatch(decoding: bytes) else { return }
            pipeline.receive(batch, nowSeconds: nowSeconds)
        }
    }

    private mutating func acknowledge(_ system: inout SimulationCore) {
        system.bus.acknowledge(batchCount, by: .history, over: connection)
        batchCount = 0
    }

    /// Asks for what is missing.
    mutating func beat(_ system: inout SimulationCore) {
        let isMute = system.mutant == .noResends || system.mutant == .historyAcknowledgesFirst
        guard let request = pipeline.takeResend(nowSeconds: Double(system.now) / 1e6), !isMute else { return }
        publisher.publish(system.message(.resend, request.encoded()))
    }

    mutating func connected(sessionPresent: Bool) { pipeline.connected(sessionPresent: sessionPresent) }
    mutating func advance(_ bus: inout SimulatedBus, copies: Int) { publisher.advance(&bus, copies: copies) }
    mutating func confirm() { _ = publisher.confirm() }
    mutating func reconnect() { publisher.reconnect() }
}
