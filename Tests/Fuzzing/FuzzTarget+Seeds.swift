import Counter
import Motion
import Wire

extension FuzzTarget {
    /// Valid inputs in the binary formats, from which a fuzzer finds others sooner than from nothing. The texts are
    /// files of the corpus.
    package var seeds: [[UInt8]] {
        guard let device = try? DeviceID("walker-1") else { return [] }
        let records = (0..<3).map { Self.record(of: device, number: $0) }
        switch self {
        case .ingest: return Self.frameSeeds(records)
        case .motion: return Self.motionSeeds(device, records)
        case .counts: return Self.countsSeeds(device)
        case .deviceState: return Self.stateSeeds(device, records)
        case .motionState: return Self.signalSeeds()
        case .request, .client, .config, .topic, .sequence: return []
        }
    }

    private static func frameSeeds(_ records: [MotionRecord]) -> [[UInt8]] {
        records.flatMap { record -> [[UInt8]] in
            guard case .frame(var frame) = record.content else { return [] }
            frame.sampleCount = 3
            frame.values = Array(frame.values.prefix(9))
            var barometer = frame
            barometer.pressuresHectopascals = [1013.25, 1013.2]
            return [frame, barometer].flatMap { frame in
                [frame.encodedJSON(), frame.encodedCompactJSON(), frame.encodedProtobuf()].map { [0] + $0 }
            }
        }
    }

    private static func motionSeeds(_ device: DeviceID, _ records: [MotionRecord]) -> [[UInt8]] {
        let identity = FrameIdentity.sequenced(boot: BootID(rawValue: 3), sequence: 5)
        let contents: [MotionContent] = [
            .revolutions(
                RevolutionCount(
                    identity: identity, time: .absent, cumulative: 300, modulus: 65_536, lastEventTime1024: 1_024)),
            .reading(
                Reading(
                    .cadence, 80, identity: identity, time: .utc(microseconds: records[0].arrivalMicroseconds))),
            .refusal(.malformed, count: 2),
        ]
        let others = contents.map {
            MotionRecord(device: device, arrivalMicroseconds: records[0].arrivalMicroseconds, content: $0)
        }
        let barometers = records.map { record -> MotionRecord in
            guard case .frame(var frame) = record.content else { return record }
            frame.pressuresHectopascals = [1013.25]
            return MotionRecord(
                device: device, arrivalMicroseconds: record.arrivalMicroseconds, content: .frame(frame))
        }
        return [records, barometers, others, [others[0]], [others[1]]].map { batch in
            var encoder = MotionBatchEncoder()
            for record in batch { _ = encoder.append(record) }
            return encoder.bytes
        }
    }

    private static func countsSeeds(_ device: DeviceID) -> [[UInt8]] {
        let row = MinuteRow(device: device, minute: 29_919_900, epoch: 7, revision: 4)
        let batch = CountsBatch(epoch: 7, previousRevision: 3, lastRevision: 4, rows: [row])
        var floors = batch
        (floors.rows[0].counts[.floorsUp], floors.rows[0].counts[.floorsDown]) = (2, 1)
        let resend = CountsResend(revisions: [7: 3])
        return [batch.encoded(), floors.encoded(), resend.encoded()]
    }

    private static func stateSeeds(_ device: DeviceID, _ records: [MotionRecord]) -> [[UInt8]] {
        var pipeline = CounterPipeline()
        return records.compactMap { record in
            pipeline.accept(record)
            return pipeline.takeCommit().states.first.map { Array($0.bytes.dropLast(4)) }
        }
    }

    private static func signalSeeds() -> [[UInt8]] {
        [MotionConfiguration(), MotionConfiguration(kind: .bike)].map { configuration in
            var bytes: [UInt8] = []
            MotionPipeline(configuration: configuration).save(into: &bytes)
            return Array(bytes.dropFirst(8).dropLast(8))
        }
    }
}
