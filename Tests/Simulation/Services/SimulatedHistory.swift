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
        await world.live {
            try await main.turn()
            if world.worksBeside { try await world.work() }
        }
    }

    /// The answer to a request; none where history has ended over it.
    func answer(_ request: HistoryRequest) async -> HistoryAnswer? {
        var answer: HistoryAnswer?
        await world.live { answer = try await world.answer(request) }
        return answer
    }
}

/// What a history has around it. It may die at any call.
final class HistoryWorld: SimulatedWorld {
    /// The most messages in a batch.
    private static let maximumBatch = 4
    /// So far back a mutant knows what samples cover.
    private static let rememberedMinutes: Int64 = 8 * 1_440

    let topics: TopicTree
    /// Whether the next batch is the first of a connection.
    private var beginsConnection = false
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

    init(_ system: SimulationCore, _ topics: TopicTree) {
        self.topics = topics
        super.init(.history, system)
    }

    /// Whether requests, totals and people are simulated too.
    var worksBeside: Bool { system.hasPeople }
    override var isIdle: Bool { unfinished.isEmpty }

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

    override func connected() { beginsConnection = true }

    override func confirm() {
        guard let message = publisher.confirm() else { return }
        if erasures[message] != nil { confirmed.insert(message) }
        if let subject = clearing.removeValue(forKey: message) { cleared.append(subject) }
    }
}

extension HistoryWorld: HistoryBus {
    func next() throws -> [HistoryInput]? {
        try mayEnd()
        defer { beginsConnection = false }
        read(atMost: Self.maximumBatch)
        let inputs: [HistoryInput] = (beginsConnection ? [.connected] : []) + messages.map { content(of: $0) }
        if system.mutant == .historyAcknowledgesFirst { acknowledgeBatch() }
        return inputs
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
        try mayEnd()
        if system.mutant != .historyAcknowledgesFirst { acknowledgeBatch() }
    }

    func ask(_ request: CountsResend) throws {
        try mayEnd()
        if system.mutant == .noResends || system.mutant == .historyAcknowledgesFirst { return }
        publisher.publish(system.message(.resend, request.encoded()))
    }

    func publish(_ outcome: CommitOutcome) throws {
        try mayEnd()
        if worksBeside { note(outcome) }
    }
    func reportLogins(refused: UInt64, from addresses: [String]) throws { try mayEnd() }
    func report(_ tally: HistoryCounters, isMissing: Bool) {}
}

extension HistoryWorld: CountsStore {
    var lostConnections: UInt64 { 0 }

    func cursors() async throws -> [ChainCursor]? {
        try mayEnd()
        return system.storeFails() ? nil : try await system.historyStore.cursors()
    }

    func commit(_ changes: HistoryChanges, _ watch: CommitWatch) async throws -> CommitOutcome {
        repeat { try mayEnd() } while system.storeFails()
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
        repeat { try mayEnd() } while system.storeFails()
        system.historyHasChanged = true
        let outcome = try await system.historyStore.makeDue(nowMinute: system.nowSeconds / 60)
        hasDue = outcome != nil
        return outcome
    }
}
