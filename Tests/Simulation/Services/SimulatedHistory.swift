import History
import Wire

/// A history that is alive: the service's own keeping of counts and its answers, in a world in which each call may fail, or
/// be its last.
struct SimulatedHistory {
    let world: HistoryWorld
    private let main: HistoryMain

    /// A history that starts with what the store has.
    init(_ system: SimulationCore, _ topics: TopicTree) async throws {
        let world = HistoryWorld(system, topics)
        if system.hasPeople { try await world.begin() }
        self.world = world
        main = HistoryMain(
            bus: world, store: world, cursors: try await system.historyStore.cursors(),
            clock: { Double(system.now) / 1e6 })
    }

    /// One turn of the main loop.
    func turn() async {
        guard !world.isDead else { return }
        do {
            try await main.turn()
            if world.worksBeside { try await world.work() }
        } catch { world.die(of: error) }
    }

    /// The answer to a request; none where history has ended over it.
    func answer(_ request: HistoryRequest) async -> HistoryAnswer? {
        guard !world.isDead else { return nil }
        do { return try await world.answer(request) } catch {
            world.die(of: error)
            return nil
        }
    }
}

/// What a history has around it. It may die at any call.
final class HistoryWorld {
    /// The most messages in a batch.
    private static let maximumBatch = 4
    /// So far back a mutant knows what samples cover.
    private static let rememberedMinutes: Int64 = 8 * 1_440

    let system: SimulationCore
    let topics: TopicTree
    var publisher = SimulatedPublisher()
    private var batchCount = 0
    private var connection = 0
    /// Whether the next batch is the first of a connection.
    private var beginsConnection = false
    private(set) var isDead = false
    /// Whether minutes may be due: at a start nobody knows.
    var hasDue = true
    /// Whether erasures are in the store that have not been dealt with.
    var hasErasures = false
    /// The erasures that the broker has not confirmed, by the message that tells the counter.
    var erasures: [Int: Erasure] = [:]
    /// The messages that it has.
    var confirmed: Set<Int> = []
    var totals = RetainedTotals()
    /// Who is taken away from what is retained by a message, and of whom the broker retains nothing any more.
    var clearing: [Int: Subject] = [:]
    var cleared: [Subject] = []

    init(_ system: SimulationCore, _ topics: TopicTree) { (self.system, self.topics) = (system, topics) }

    /// Whether requests, totals and people are simulated too.
    var worksBeside: Bool { system.hasPeople }
    var isIdle: Bool { unfinished.isEmpty }

    /// What is still to be done.
    var unfinished: [String] {
        [
            (!publisher.isIdle, "messages"), (beginsConnection, "connection"),
            (hasDue, "minutes"),
            (hasErasures, "erasures"), (totals.hasChanges, "totals"),
            (!cleared.isEmpty, "cleared"),
        ].filter(\.0).map(\.1)
    }

    /// What a start does beside.
    func begin() async throws {
        hasErasures = true
        totals.recall(try await system.historyStore.retainedSubjects())
    }

    func die(of error: any Error) {
        isDead = true
        system.end(.history, of: error)
    }

    func moment() throws { try system.moment(of: .history, publisher: &publisher) }

    func connected() { beginsConnection = true }
    func advance(copies: Int) { publisher.advance(&system.bus, copies: copies) }
    func confirm() {
        guard let message = publisher.confirm() else { return }
        if erasures[message] != nil { confirmed.insert(message) }
        if let subject = clearing.removeValue(forKey: message) { cleared.append(subject) }
    }
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
        return HistoryBatch(messages.map { content(of: $0) }, beginsConnection: beginsConnection)
    }

    private func content(of message: BusMessage) -> HistoryInput {
        message.payload.withUnsafeBytes { bytes in
            do {
                switch message.topic {
                case .counterOnline: return .counterStarted
                case .settings(let device):
                    if bytes.isEmpty, system.mutant == .emptiedConfigMakesKnown {
                        return .settings(device, DeviceSettings(try DeviceConfig(json: Array("{}".utf8))))
                    }
                    return try .read(.device(device, .config), bytes, isRetained: true)
                case .mark(let device): return try .read(.device(device, .mark), bytes, isRetained: false)
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

    func publish(_ outcome: CommitOutcome) throws {
        try moment()
        if worksBeside { note(outcome) }
    }
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
        case .forgetsOldCoverage:
            let horizon = system.nowSeconds / 60 - Self.rememberedMinutes
            for index in changes.rows.indices where changes.rows[index].minute < horizon {
                changes.rows[index].coveredMilliseconds = 0
            }
        case .forgetsMarks: changes.marks = []
        default: break
        }
        system.historyHasChanged = true
        let outcome = try await system.historyStore.commit(changes, nowSeconds: system.nowSeconds)
        hasDue = true
        return outcome
    }

    func makeDue(_ watch: CommitWatch) async throws -> CommitOutcome? {
        guard hasDue else { return nil }
        repeat { try moment() } while system.storeFails()
        system.historyHasChanged = true
        let outcome = try await system.historyStore.makeDue(nowMinute: system.nowSeconds / 60)
        hasDue = outcome != nil
        return outcome
    }
}
