import History
import Wire

/// A history that is alive: the service's own keeping of counts, in a world in which each call may fail, or be its last.
/// Only what is done with counts is simulated: requests, totals and notices change nothing that is kept.
struct SimulatedHistory {
    let world: HistoryWorld
    private let main: HistoryMain

    /// A history that starts with what the store has.
    init(_ system: SimulationCore) async throws {
        let world = HistoryWorld(system)
        self.world = world
        main = HistoryMain(
            bus: world, store: world, cursors: try await system.historyStore.cursors(),
            clock: { Double(system.now) / 1e6 })
    }

    /// One turn of the main loop.
    func turn() async {
        guard !world.isDead else { return }
        do { try await main.turn() } catch { world.die(of: error) }
    }
}

/// What a history has around it. It may die at any call.
final class HistoryWorld {
    /// The most messages in a batch.
    private static let maximumBatch = 4

    private let system: SimulationCore
    private(set) var publisher = SimulatedPublisher()
    private var batchCount = 0
    private var connection = 0
    /// Whether the next batch is the first of a connection.
    private var beginsConnection = false
    private(set) var isDead = false
    /// Whether words are in the store that are not in its minutes yet: at a start nobody knows.
    private var hasDueClaims = true

    init(_ system: SimulationCore) { self.system = system }

    var isIdle: Bool { publisher.isIdle && !beginsConnection && !hasDueClaims }

    func die(of error: any Error) {
        isDead = true
        system.end(.history, of: error)
    }

    private func moment() throws { try system.moment(of: .history, publisher: &publisher) }

    func connected() { beginsConnection = true }
    func advance(copies: Int) { publisher.advance(&system.bus, copies: copies) }
    func confirm() { _ = publisher.confirm() }
    func reconnect() { publisher.reconnect() }
}

extension HistoryWorld: HistoryBus {
    func next() throws -> HistoryBatch? {
        try moment()
        defer { beginsConnection = false }
        let messages = system.read(.history, atMost: 1 + system.random.below(Self.maximumBatch))
        batchCount = messages.count
        connection = system.bus.connections[SimulatedReader.history.rawValue]
        if system.mutant == .historyAcknowledgesFirst { acknowledgeBatch() }
        return HistoryBatch(messages.map(Self.content), beginsConnection: beginsConnection)
    }

    private static func content(of message: BusMessage) -> HistoryInput {
        message.payload.withUnsafeBytes { bytes in
            do {
                switch message.topic {
                case .counterOnline: return .counterStarted
                case .settings(let device): return try .read(.device(device, .config), bytes, isRetained: true)
                default: return .counts(try CountsBatch(decoding: bytes))
                }
            } catch { return .refused(error as? WireError ?? .malformed) }
        }
    }

    func acknowledge() throws {
        try moment()
        if system.mutant != .historyAcknowledgesFirst { acknowledgeBatch() }
    }

    private func acknowledgeBatch() {
        guard batchCount > 0 else { return }
        system.bus.acknowledge(batchCount, by: .history, over: connection)
        batchCount = 0
    }

    func ask(_ request: CountsResend) throws {
        try moment()
        if system.mutant == .noResends || system.mutant == .historyAcknowledgesFirst { return }
        publisher.publish(system.message(.resend, request.encoded()))
    }

    func publish(_ outcome: CommitOutcome) throws { try moment() }
    func reportLogins(refused: UInt64, from addresses: [String]) throws { try moment() }
    func report(_ tally: HistoryCounters, isMissing: Bool) {}
}

extension HistoryWorld: CountsStore {
    var lostConnections: UInt64 { 0 }

    func cursors() async throws -> [ChainCursor]? {
        try moment()
        return system.storeFails() ? nil : try await system.historyStore.cursors()
    }

    func commit(_ changes: HistoryChanges, _ watch: CommitWatch) async throws -> CommitOutcome {
        repeat { try moment() } while system.storeFails()
        var changes = changes
        switch system.mutant {
        case .newestArrivalWins:
            for index in changes.rows.indices {
                system.arrivals += 1
                changes.rows[index].revision = system.arrivals
            }
        case .differences: changes.rows = changes.rows.map { system.differences.adding($0) }
        default: break
        }
        system.historyHasChanged = true
        let outcome = try await system.historyStore.commit(changes, nowSeconds: system.nowSeconds)
        if outcome.hasDueClaims { hasDueClaims = true }
        return outcome
    }

    func settleClaims(_ watch: CommitWatch) async throws -> CommitOutcome {
        repeat { try moment() } while system.storeFails()
        system.historyHasChanged = true
        return noted(try await system.historyStore.settleClaims(nowSeconds: system.nowSeconds))
    }

    private func noted(_ outcome: CommitOutcome) -> CommitOutcome {
        hasDueClaims = outcome.hasDueClaims
        return outcome
    }
}
