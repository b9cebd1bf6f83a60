import History
import Seeded
import TestBroker
import Testing
import Wire

@Suite("The chain of messages from the counter")
struct HistoryMainTests {
    let bike: DeviceID = "bike-07"

    @Test("An open gap is asked about again, less and less often, never more than the limit")
    func patience() async throws {
        let history = ScriptedHistory(cursors: [])
        try await history.receive(batch(after: 7, through: 9), nowSeconds: 0)
        var asked: [Double] = []
        for second in stride(from: 0.0, through: 300, by: 0.5) {
            try await history.receive(batch(after: 7, through: 9), nowSeconds: second)
            if try await history.takeResend(nowSeconds: second) != nil { asked.append(second) }
        }
        #expect(asked == [0, 2, 6, 14, 30, 62, 122, 182, 242])
    }

    @Test("A mark of a time whose minutes are not kept is refused by name")
    func oldMark() async throws {
        let history = ScriptedHistory(cursors: [])
        let now = 1_795_194_000.0
        func mark(daysAgo: Double) throws -> Mark {
            try Mark(json: Array(#"{"kind":"start","t":\#(now - daysAgo * 86_400)}"#.utf8))
        }
        try await history.receive(.mark(bike, try mark(daysAgo: 399)), nowSeconds: now)
        #expect(history.takeChanges().marks.count == 1 && history.count("refused_absurd_time") == nil)
        try await history.receive(.mark(bike, try mark(daysAgo: 401)), nowSeconds: now)
        #expect(history.takeChanges().marks.isEmpty && history.count("refused_absurd_time") == 1)
    }

    @Test("Every later connection reads the cursors again and asks from them: a failover may have lost some")
    func laterConnection() async throws {
        let history = ScriptedHistory(cursors: [])
        try await history.connect()
        #expect(history.cursorReads == 0)
        try await history.receive(batch(after: 0, through: 3), nowSeconds: 1)
        _ = try await history.takeResend(nowSeconds: 2)
        history.stored = [ChainCursor(epoch: 1, revision: 2, lastMessageSeconds: 1)]
        try await history.connect()
        #expect(history.cursorReads == 1)
        let first = try await history.takeResend(nowSeconds: 10)
        #expect(first?.revisions[1] == 2)
        // What comes after the lost rows shows a gap, until they have come again.
        try await history.receive(batch(after: 3, through: 4), nowSeconds: 11)
        let second = try await history.takeResend(nowSeconds: 100)
        #expect(second?.revisions[1] == 2)
        try await history.receive(batch(after: 2, through: 4), nowSeconds: 101)
        let third = try await history.takeResend(nowSeconds: 200)
        #expect(third == nil)
    }

    @Test("A lost connection to the database reads the cursors again: another server may answer, with less")
    func databaseFailover() async throws {
        let history = ScriptedHistory(cursors: [ChainCursor(epoch: 5, revision: 9, lastMessageSeconds: 1)])
        history.stored = [ChainCursor(epoch: 5, revision: 4, lastMessageSeconds: 1)]
        history.lostConnections += 1
        let asked = try await history.takeResend(nowSeconds: 10)
        #expect(asked?.revisions[5] == 4)
        #expect(try await history.takeResend(nowSeconds: 20) == nil)
    }

    @Test("A batch is acknowledged when it is kept, and not before")
    func acknowledgement() async throws {
        let history = ScriptedHistory(cursors: [])
        history.failures = 1
        await #expect(throws: ScriptedHistory.Death.self) {
            try await history.receive(batch(after: 0, through: 3), nowSeconds: 1)
        }
        #expect(history.acknowledged == 0)
        try await history.receive(batch(after: 0, through: 3), nowSeconds: 2)
        #expect(history.acknowledged == 1)
        #expect(history.calls.suffix(2) == [.commit, .acknowledge])
    }

    @Test("At most 16 lives of counters' stores are asked about: those heard last")
    func manyEpochs() async throws {
        let history = ScriptedHistory(cursors: [])
        for epoch in 1...20 as ClosedRange<UInt64> {
            try await history.receive(batch(epoch: epoch, after: 0, through: 3), nowSeconds: Double(epoch))
        }
        try await history.receive(nil, nowSeconds: 30)
        let due = try await history.takeResend(nowSeconds: 30)
        let request = try #require(due)
        #expect(Set(request.revisions.keys) == Set(5...20))
    }

    @Test("Rows that make no sense are refused and counted, the others are kept")
    func nonsense() async throws {
        var batch = batch(after: 0, through: 4)
        var early = batch.rows[0]
        early.minute = 16_305_119
        var late = batch.rows[0]
        late.minute = .max
        var absurd = batch.rows[0]
        absurd.cadence.integral = .nan
        batch.rows += [early, late, absurd]
        let history = ScriptedHistory(cursors: [])
        try await history.receive(batch, nowSeconds: 0)
        #expect(history.takeChanges().rows.count == 1)
        #expect(history.count("rows_refused") == 3)
    }

    @Test("A start asks every counter for what is missing, once; what is here is confirmed every hour")
    func confirmation() async throws {
        let history = ScriptedHistory(cursors: [
            ChainCursor(epoch: 1, revision: 5, lastMessageSeconds: 0),
            ChainCursor(epoch: 8, revision: 7, lastMessageSeconds: 0),
        ])
        try await history.connect()
        #expect(try await history.takeResend(nowSeconds: 10) == CountsResend(revisions: [1: 5, 8: 7]))
        try await history.receive(batch(after: 5, through: 9), nowSeconds: 20)
        #expect(try await history.takeResend(nowSeconds: 3_609) == nil)
        #expect(try await history.takeResend(nowSeconds: 3_610) == CountsResend(revisions: [1: 9, 8: 7]))
        #expect(try await history.takeResend(nowSeconds: 3_611) == nil)
    }

    private func batch(epoch: UInt64 = 1, after previous: UInt64, through last: UInt64) -> CountsBatch {
        var row = MinuteRow(device: bike, minute: 29_900_000 + Int64(last), epoch: epoch, revision: last)
        row.steps = 10
        return CountsBatch(epoch: epoch, previousRevision: previous, lastRevision: last, rows: [row])
    }
}

/// The keeping of counts, with a bus and a store that do as they are told.
private final class ScriptedHistory: HistoryBus, CountsStore {
    struct Death: Error {}
    enum Call { case commit, acknowledge }

    private var main: HistoryMain?
    private var nowSeconds = 0.0
    private var waiting: [HistoryInput] = []
    private var changes = HistoryChanges()
    private var asked: CountsResend?
    private var tally = HistoryCounters()
    /// What the store has of chains.
    var stored: [ChainCursor] = []
    var lostConnections: UInt64 = 0
    /// The commits that are to end history.
    var failures = 0
    private(set) var cursorReads = 0
    private(set) var calls: [Call] = []
    var acknowledged: Int { calls.count { $0 == .acknowledge } }

    init(cursors: [ChainCursor]) {
        main = HistoryMain(bus: self, store: self, cursors: cursors, clock: { [unowned self] in nowSeconds })
    }

    private func turn(_ batch: [HistoryInput], nowSeconds: Double) async throws {
        (waiting, self.nowSeconds) = (batch, nowSeconds)
        try await main?.turn()
    }

    func connect() async throws { try await turn([.connected], nowSeconds: nowSeconds) }

    /// Gives a batch of a counter, or that one has started.
    func receive(_ batch: CountsBatch?, nowSeconds: Double) async throws {
        try await turn([batch.map { .counts($0) } ?? .counterStarted], nowSeconds: nowSeconds)
    }

    /// Gives one input.
    func receive(_ input: HistoryInput, nowSeconds: Double) async throws {
        try await turn([input], nowSeconds: nowSeconds)
    }

    /// The request for rows since the last call, or that a tick gives.
    func takeResend(nowSeconds: Double) async throws -> CountsResend? {
        try await turn([], nowSeconds: nowSeconds)
        defer { asked = nil }
        return asked
    }

    /// What was committed since the last call.
    func takeChanges() -> HistoryChanges {
        defer { changes = HistoryChanges() }
        return changes
    }

    /// A counter of the last report.
    func count(_ name: String) -> UInt64? { tally.report(nowSeconds: 0)[name] }

    func next() throws -> [HistoryInput]? {
        defer { waiting = [] }
        return waiting
    }

    func acknowledge() { calls.append(.acknowledge) }
    func ask(_ request: CountsResend) { asked = request }
    func publish(_ outcome: CommitOutcome) {}
    func reportLogins(refused: UInt64, from addresses: [String]) {}
    func report(_ tally: HistoryCounters, isMissing: Bool) { self.tally = tally }

    func cursors() -> [ChainCursor]? {
        cursorReads += 1
        return stored
    }

    func commit(_ changes: HistoryChanges, _ watch: CommitWatch) throws -> CommitOutcome {
        guard failures == 0 else {
            failures -= 1
            throw Death()
        }
        calls.append(.commit)
        self.changes.rows += changes.rows
        self.changes.cursors += changes.cursors
        self.changes.marks += changes.marks
        return CommitOutcome()
    }

    func makeDue(_ watch: CommitWatch) -> CommitOutcome? { nil }
}
