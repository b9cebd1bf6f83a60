import Counter
import History
import Ingest
import Wire

extension FuzzTarget {
    private static let arrival: Int64 = 1_795_194_000_000_000
    private static let ingested: [DeviceChannel] = [.imu, .rev, .csc, .ftms, .count, .hr, .seconds, .mark]

    /// Every message is accepted or refused, and what ingest publishes the counter can read.
    static func ingest(_ bytes: UnsafeRawBufferPointer) {
        guard let first = bytes.first, let topics = try? TopicTree(), let device = try? DeviceID("bike-1") else {
            return
        }
        var pipeline = IngestPipeline(topics: topics)
        let payload = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        topics.bytes(.device(device, choice(first, of: ingested))).withUnsafeBytes { topic in
            pipeline.take(topic: topic, payload: payload, isRetained: false, arrivalMicroseconds: arrival)
        }
        let refused = pipeline.counters.received - pipeline.counters.accepted
        promise(pipeline.counters.received == 1 && refused <= 1, "a message is accepted or refused")
        for publication in pipeline.finish(nowMicroseconds: arrival) {
            let records = publication.payload.withUnsafeBytes { count($0) }
            promise(records != nil, "a motion batch of ingest can be read")
        }
    }

    static func motion(_ bytes: UnsafeRawBufferPointer) {
        _ = count(bytes)
    }

    /// Counts a motion batch; `nil` where it is none. Every record has one end, and the states can be taken up again.
    private static func count(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard var decoder = try? MotionBatchDecoder(bytes) else { return nil }
        var pipeline = CounterPipeline()
        var isWhole = false
        while let record = decoder.next() {
            pipeline.accept(record)
            isWhole = true
        }
        pipeline.accept(pipeline.findSilent(nowMicroseconds: arrival))
        pipeline.finish()
        let tally = pipeline.tally
        let ends = tally.accepted + tally.duplicate + tally.late + tally.stale + tally.refused + tally.waiting
        promise(tally.received == ends, "every record has one end")
        for state in pipeline.takeCommit().states {
            var other = CounterPipeline()
            promise(other.restore(device: state.device, state: state.bytes, config: nil), "a state can be taken up")
        }
        _ = pipeline.takeLive()
        return isWhole || tally.received == 0 ? Int(tally.received) : nil
    }

    /// Rows that history keeps go round, and no cursor is beyond what came.
    static func counts(_ bytes: UnsafeRawBufferPointer) {
        if let resend = try? CountsResend(decoding: bytes) {
            let again = try? resend.encoded().withRawBytes { bytes throws(WireError) in
                try CountsResend(decoding: bytes)
            }
            promise(again == resend, "a request for rows goes round")
        }
        if let order = try? CountsForget(decoding: bytes) {
            let again = try? order.encoded().withRawBytes { bytes throws(WireError) in
                try CountsForget(decoding: bytes)
            }
            promise(again == order, "an order to forget goes round")
        }
        guard let batch = try? CountsBatch(decoding: bytes) else { return }
        let encoded = batch.encoded()
        let again = try? encoded.withRawBytes { bytes throws(WireError) in try CountsBatch(decoding: bytes) }
        promise(again?.encoded() == encoded, "a batch of rows goes round")
        var (chains, changes, tally) = (CountsChains([]), HistoryChanges(), HistoryCounters())
        chains.take(batch, into: &changes, &tally, nowSeconds: 1)
        promise(changes.rows.count <= batch.rows.count, "no row is made up")
        promise(changes.cursors.allSatisfy { $0.revision <= batch.lastRevision }, "no cursor runs ahead")
        _ = chains.takeRequest(nowSeconds: 2)
    }
}
