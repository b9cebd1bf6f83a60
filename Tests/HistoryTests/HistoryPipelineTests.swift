import Seeded
import Testing
import Wire

@testable import History

@Suite("The chain of messages from the counter")
struct HistoryPipelineTests {
    let bike: DeviceID
    let partition: Partition

    init() throws {
        bike = try DeviceID("bike-07")
        partition = Partition(of: bike)
    }

    @Test("A history that starts asks about every partition: the one before may have died before it asked")
    func start() {
        let cursor = ChainCursor(epoch: 5, partition: partition, revision: 40, heardSeconds: 1)
        var pipeline = HistoryPipeline(cursors: [cursor])
        pipeline.connected(sessionPresent: true)
        let resends = pipeline.takeResends(nowSeconds: 10)
        #expect(resends.count == Partition.count)
        #expect(resends.contains { $0.request == CountsResend(epoch: 5, afterRevision: 40) })
        #expect(pipeline.takeResends(nowSeconds: 100).isEmpty)
    }

    @Test("Batches in order move the cursor and ask for nothing")
    func inOrder() {
        var pipeline = HistoryPipeline(cursors: [])
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 10)
        pipeline.receive(batch(after: 3, through: 9), nowSeconds: 11)
        let changes = pipeline.takeChanges()
        #expect(changes.rows.count == 2)
        #expect(changes.cursors.last?.revision == 9)
        #expect(pipeline.takeResends(nowSeconds: 20).isEmpty)
        #expect(pipeline.takeChanges().isEmpty)
    }

    @Test("A lost batch is seen by the next one and asked for; its rows are kept all the same")
    func loss() {
        var pipeline = HistoryPipeline(cursors: [])
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 10)
        pipeline.receive(batch(after: 7, through: 9), nowSeconds: 11)
        let changes = pipeline.takeChanges()
        #expect(changes.rows.count == 2)
        #expect(changes.cursors.map(\.revision) == [3])
        let expected = HistoryPipeline.Resend(
            partition: partition, request: CountsResend(epoch: 1, afterRevision: 3))
        #expect(pipeline.takeResends(nowSeconds: 11) == [expected])
        #expect(pipeline.tally.gaps == 1)
        pipeline.receive(batch(after: 3, through: 9), nowSeconds: 12)
        #expect(pipeline.takeChanges().cursors.map(\.revision) == [9])
        #expect(pipeline.takeResends(nowSeconds: 100).isEmpty)
    }

    @Test("A batch that comes again, or late, moves nothing back")
    func repetition() {
        var pipeline = HistoryPipeline(cursors: [])
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 10)
        pipeline.receive(batch(after: 3, through: 9), nowSeconds: 10)
        pipeline.receive(batch(after: 0, through: 3), nowSeconds: 11)
        #expect(pipeline.takeChanges().cursors.map(\.revision) == [3, 9, 9])
        #expect(pipeline.takeResends(nowSeconds: 11).isEmpty)
    }

    @Test("An open gap is asked about again, less and less often, never more than the limit")
    func patience() {
        var pipeline = HistoryPipeline(cursors: [])
        pipeline.receive(batch(after: 7, through: 9), nowSeconds: 0)
        var asked: [Double] = []
        for second in stride(from: 0.0, through: 300, by: 0.5) {
            pipeline.receive(batch(after: 7, through: 9), nowSeconds: second)
            if !pipeline.takeResends(nowSeconds: second).isEmpty { asked.append(second) }
        }
        #expect(asked == [0, 2, 6, 14, 30, 62, 122, 182, 242])
    }

    @Test("A connection without a session asks for everything since the cursors, and about the unknown")
    func lostSession() throws {
        let cursor = ChainCursor(epoch: 5, partition: partition, revision: 40, heardSeconds: 1)
        var pipeline = HistoryPipeline(cursors: [cursor])
        pipeline.connected(sessionPresent: false)
        let resends = pipeline.takeResends(nowSeconds: 10)
        #expect(resends.count == Partition.count)
        for resend in resends {
            let isKnown = resend.partition == partition
            #expect(resend.request == CountsResend(epoch: isKnown ? 5 : 0, afterRevision: isKnown ? 40 : 0))
        }
        #expect(pipeline.takeResends(nowSeconds: 100).isEmpty)
    }

    @Test("A later connection that found its session asks only about partitions never heard of")
    func keptSession() {
        let cursor = ChainCursor(epoch: 5, partition: partition, revision: 40, heardSeconds: 1)
        var pipeline = HistoryPipeline(cursors: [cursor])
        pipeline.connected(sessionPresent: true)
        _ = pipeline.takeResends(nowSeconds: 1)
        pipeline.connected(sessionPresent: true)
        let resends = pipeline.takeResends(nowSeconds: 10)
        #expect(resends.count == Partition.count - 1)
        #expect(resends.allSatisfy { $0.request == CountsResend(epoch: 0, afterRevision: 0) })
    }

    @Test("A new life of the counter's store is a chain of its own, and the one to go on with")
    func newEpoch() {
        let old = ChainCursor(epoch: 900, partition: partition, revision: 40, heardSeconds: 1)
        var pipeline = HistoryPipeline(cursors: [old])
        pipeline.receive(batch(epoch: 2, after: 0, through: 3), nowSeconds: 10)
        #expect(pipeline.takeChanges().cursors.map(\.revision) == [3])
        pipeline.counterStarted()
        let request = pipeline.takeResends(nowSeconds: 11).first { $0.partition == partition }?.request
        #expect(request == CountsResend(epoch: 2, afterRevision: 3))
    }

    @Test("Rows that make no sense are refused and counted, the others are kept")
    func nonsense() throws {
        var batch = batch(after: 0, through: 4)
        var foreign = batch.rows[0]
        foreign.device = try DeviceID("bike-08")
        var early = batch.rows[0]
        early.minute = 16_305_119
        var late = batch.rows[0]
        late.minute = .max
        var absurd = batch.rows[0]
        absurd.cadenceIntegral = .nan
        batch.rows += [foreign, early, late, absurd]
        var pipeline = HistoryPipeline(cursors: [])
        pipeline.receive(batch, nowSeconds: 0)
        #expect(pipeline.takeChanges().rows.count == 1)
        #expect(pipeline.tally.refused == 4)
    }

    @Test(
        "Chains in any order and with any losses end with every revision known",
        arguments: 1...30 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pipeline = HistoryPipeline(cursors: [])
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
            for resend in pipeline.takeResends(nowSeconds: now) { sent = resend.request.afterRevision }
            cursor = pipeline.takeChanges().cursors.last?.revision ?? cursor
            #expect(now < 2000)
        }
    }

    private func batch(epoch: UInt64 = 1, after previous: UInt64, through last: UInt64) -> CountsBatch {
        var row = MinuteTotals(device: bike, minute: 29_900_000 + Int64(last), epoch: epoch, revision: last)
        row.steps = 10
        return CountsBatch(
            epoch: epoch, partition: partition, previousRevision: previous, lastRevision: last, rows: [row])
    }
}
