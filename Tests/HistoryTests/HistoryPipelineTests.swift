import History
import Seeded
import Testing
import Wire

@Suite("The chain of messages from the counter")
struct HistoryPipelineTests {
    let bike: DeviceID

    init() throws {
        bike = try DeviceID("bike-07")
    }

    @Test("A history that starts asks every counter: the one before may have died before it asked")
    func start() {
        let cursor = ChainCursor(epoch: 5, revision: 40, lastMessageSeconds: 1)
        var pipeline = Chain(cursors: [cursor])
        pipeline.connect(sessionPresent: true)
        #expect(pipeline.takeResend(nowSeconds: 10) == request(epoch: 5, revision: 40))
        #expect(pipeline.takeResend(nowSeconds: 100) == nil)
    }

    @Test("Batches in order move the cursor and ask for nothing")
    func inOrder() {
        var pipeline = Chain(cursors: [])
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 10)
        pipeline.receive(batch(after: 3, through: 9), nowSeconds: 11)
        let changes = pipeline.takeChanges()
        #expect(changes.rows.count == 2)
        #expect(changes.cursors.last?.revision == 9)
        #expect(pipeline.takeResend(nowSeconds: 20) == nil)
        #expect(pipeline.takeChanges().isEmpty)
    }

    @Test("A lost batch is seen by the next one and asked for; its rows are kept all the same")
    func loss() {
        var pipeline = Chain(cursors: [])
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 10)
        pipeline.receive(batch(after: 7, through: 9), nowSeconds: 11)
        let changes = pipeline.takeChanges()
        #expect(changes.rows.count == 2)
        #expect(changes.cursors.map(\.revision) == [3])
        #expect(pipeline.takeResend(nowSeconds: 11) == request(epoch: 1, revision: 3))
        #expect(pipeline.count("gaps") == 1)
        pipeline.receive(batch(after: 3, through: 9), nowSeconds: 12)
        #expect(pipeline.takeChanges().cursors.map(\.revision) == [9])
        #expect(pipeline.takeResend(nowSeconds: 100) == nil)
    }

    @Test("A batch that comes again, or late, moves nothing back")
    func repetition() {
        var pipeline = Chain(cursors: [])
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 10)
        pipeline.receive(batch(after: 3, through: 9), nowSeconds: 10)
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 11)
        #expect(pipeline.takeChanges().cursors.map(\.revision) == [3, 9, 9])
        #expect(pipeline.takeResend(nowSeconds: 11) == nil)
    }

    @Test("An open gap is asked about again, less and less often, never more than the limit")
    func patience() {
        var pipeline = Chain(cursors: [])
        pipeline.receive(batch(after: 7, through: 9), nowSeconds: 0)
        var asked: [Double] = []
        for second in stride(from: 0.0, through: 300, by: 0.5) {
            pipeline.receive(batch(after: 7, through: 9), nowSeconds: second)
            if pipeline.takeResend(nowSeconds: second) != nil { asked.append(second) }
        }
        #expect(asked == [0, 2, 6, 14, 30, 62, 122, 182, 242])
    }

    @Test("A connection without a session asks for everything since the positions, whoever counted it")
    func lostSession() throws {
        let cursors = [
            ChainCursor(epoch: 5, revision: 40, lastMessageSeconds: 1),
            ChainCursor(epoch: 8, revision: 7, lastMessageSeconds: 2),
        ]
        var pipeline = Chain(cursors: cursors)
        pipeline.connect(sessionPresent: false)
        let due = pipeline.takeResend(nowSeconds: 10)
        let request = try #require(due)
        #expect(request.revision(ofEpoch: 5) == 40)
        #expect(request.revision(ofEpoch: 8) == 7)
        #expect(request.revision(ofEpoch: 9) == 0)
        #expect(pipeline.takeResend(nowSeconds: 100) == nil)
    }

    @Test("Every later connection reads the cursors again and asks from them: a failover may have lost some")
    func laterConnection() {
        var pipeline = Chain(cursors: [])
        let readsAtFirst = pipeline.connect(sessionPresent: true)
        #expect(!readsAtFirst)
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 1)
        _ = pipeline.takeResend(nowSeconds: 2)
        let readsAgain = pipeline.connect(sessionPresent: true)
        #expect(readsAgain)
        pipeline.read([ChainCursor(epoch: 1, revision: 2, lastMessageSeconds: 1)])
        let first = pipeline.takeResend(nowSeconds: 10)
        #expect(first?.revision(ofEpoch: 1) == 2)
        // What comes after the lost rows shows a gap, until they have come again.
        pipeline.receive(batch(after: 3, through: 4), nowSeconds: 11)
        let second = pipeline.takeResend(nowSeconds: 100)
        #expect(second?.revision(ofEpoch: 1) == 2)
        pipeline.receive(batch(after: 2, through: 4), nowSeconds: 101)
        let third = pipeline.takeResend(nowSeconds: 200)
        #expect(third == nil)
    }

    @Test("A lost connection to the database reads the cursors again: another server may answer, with less")
    func databaseFailover() {
        var pipeline = HistoryPipeline(cursors: [ChainCursor(epoch: 5, revision: 9, lastMessageSeconds: 1)])
        let effects = pipeline.handle(.databaseConnectionLost, nowSeconds: 1)
        #expect(effects.contains { if case .readCursors = $0 { true } else { false } })
        _ = pipeline.handle(
            .cursorsRead([ChainCursor(epoch: 5, revision: 4, lastMessageSeconds: 1)]), nowSeconds: 1)
        let asked = pipeline.handle(.tick, nowSeconds: 10).compactMap { effect in
            if case .resend(let request) = effect { request.revision(ofEpoch: 5) } else { nil }
        }
        #expect(asked == [4])
    }

    @Test("At most 16 lives of counters' stores are asked about: those heard last")
    func manyEpochs() throws {
        var pipeline = Chain(cursors: [])
        for epoch in 1...20 as ClosedRange<UInt64> {
            pipeline.receive(batch(epoch: epoch, after: 0, through: 3), nowSeconds: Double(epoch))
        }
        pipeline.askAgain()
        let due = pipeline.takeResend(nowSeconds: 30)
        let request = try #require(due)
        #expect(request.positions.map(\.epoch) == Array(5...20))
    }

    @Test("A new life of the counter's store is a chain of its own")
    func newEpoch() {
        let old = ChainCursor(epoch: 900, revision: 40, lastMessageSeconds: 1)
        var pipeline = Chain(cursors: [old])
        pipeline.receive(batch(epoch: 2, after: 0, through: 3), nowSeconds: 10)
        #expect(pipeline.takeChanges().cursors.map(\.revision) == [3])
        pipeline.askAgain()
        let request = pipeline.takeResend(nowSeconds: 11)
        #expect(request?.revision(ofEpoch: 2) == 3)
        #expect(request?.revision(ofEpoch: 900) == 40)
    }

    @Test("Rows that make no sense are refused and counted, the others are kept")
    func nonsense() {
        var batch = batch(after: 0, through: 4)
        var early = batch.rows[0]
        early.minute = 16_305_119
        var late = batch.rows[0]
        late.minute = .max
        var absurd = batch.rows[0]
        absurd.cadenceIntegral = .nan
        batch.rows += [early, late, absurd]
        var pipeline = Chain(cursors: [])
        pipeline.receive(batch, nowSeconds: 0)
        #expect(pipeline.takeChanges().rows.count == 1)
        #expect(pipeline.count("rows_refused") == 3)
    }

    @Test(
        "Chains in any order and with any losses end with every revision known",
        arguments: 1...30 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pipeline = Chain(cursors: [])
        var cursor: UInt64 = 0
        var sent: UInt64 = 0
        var now = 0.0
        while cursor < 50 {
            now += 1
            if sent < 50, Bool.random(using: &random) {
                let next = min(50, sent + UInt64.random(in: 1...5, using: &random))
                if Int.random(in: 0..<3, using: &random) > 0 {
                    pipeline.receive(batch(after: sent, through: next), nowSeconds: now)
                }
                sent = next
            } else if sent == 50 {
                pipeline.receive(batch(after: sent, through: 51), nowSeconds: now)
            }
            if let request = pipeline.takeResend(nowSeconds: now) { sent = request.revision(ofEpoch: 1) }
            cursor = pipeline.takeChanges().cursors.last?.revision ?? cursor
            #expect(now < 2000)
        }
    }

    @Test("What is here is confirmed every hour, though nothing is missing")
    func confirmation() {
        var pipeline = Chain(cursors: [ChainCursor(epoch: 1, revision: 5, lastMessageSeconds: 0)])
        pipeline.connect(sessionPresent: true)
        #expect(pipeline.takeResend(nowSeconds: 10) == request(epoch: 1, revision: 5))
        pipeline.receive(batch(after: 5, through: 9), nowSeconds: 20)
        #expect(pipeline.takeResend(nowSeconds: 3_609) == nil)
        #expect(pipeline.takeResend(nowSeconds: 3_610) == request(epoch: 1, revision: 9))
        #expect(pipeline.takeResend(nowSeconds: 3_611) == nil)
    }

    private func batch(epoch: UInt64 = 1, after previous: UInt64, through last: UInt64) -> CountsBatch {
        var row = MinuteTotals(device: bike, minute: 29_900_000 + Int64(last), epoch: epoch, revision: last)
        row.steps = 10
        return CountsBatch(epoch: epoch, previousRevision: previous, lastRevision: last, rows: [row])
    }

    private func request(epoch: UInt64, revision: UInt64) -> CountsResend {
        CountsResend(positions: [CountsResend.Position(epoch: epoch, revision: revision)])
    }
}

/// A pipeline that is given batches of a counter and ticks; each commit is done at once.
private struct Chain {
    private var pipeline: HistoryPipeline
    private var changes = HistoryChanges()

    init(cursors: [ChainCursor]) { pipeline = HistoryPipeline(cursors: cursors) }

    /// Connects; whether the cursors are to be read again.
    @discardableResult
    mutating func connect(sessionPresent: Bool) -> Bool {
        pipeline.handle(.countsConnected(sessionPresent: sessionPresent), nowSeconds: 0).contains {
            if case .readCursors = $0 { true } else { false }
        }
    }

    mutating func read(_ cursors: [ChainCursor]) { _ = pipeline.handle(.cursorsRead(cursors), nowSeconds: 0) }

    mutating func receive(_ batch: CountsBatch, nowSeconds: Double) {
        for case .commit(let new) in pipeline.handle(.received([.counts(batch)]), nowSeconds: nowSeconds) {
            changes.rows += new.rows
            changes.cursors += new.cursors
            _ = pipeline.handle(.committed(CommitOutcome()), nowSeconds: nowSeconds)
        }
    }

    /// What was to be committed since it was last asked.
    mutating func takeChanges() -> HistoryChanges {
        defer { changes = HistoryChanges() }
        return changes
    }

    /// The request for rows that a tick gives.
    mutating func takeResend(nowSeconds: Double) -> CountsResend? {
        for case .resend(let request) in pipeline.handle(.tick, nowSeconds: nowSeconds) { return request }
        return nil
    }

    mutating func askAgain() { _ = pipeline.handle(.resendFailed, nowSeconds: 0) }

    /// A counter of the last report of health.
    mutating func count(_ name: String) -> UInt64? {
        for case .report(let health) in pipeline.finish(nowSeconds: 0) { return health[name] }
        return nil
    }
}
