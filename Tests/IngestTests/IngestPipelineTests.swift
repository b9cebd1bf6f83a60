import Ingest
import TestBroker
import Testing
import Wire

@Suite("The ingest pipeline")
struct IngestPipelineTests {
    @Test("A frame comes out as it went in, in each of our forms")
    func forms() throws {
        let frame = Sample.frame(sequence: 3)
        let marked = [0xEF, 0xBB, 0xBF] + frame.encodedJSON()
        for payload in [frame.encodedJSON(), marked, frame.encodedProtobuf()] {
            var pipeline = IngestPipeline(topics: try TopicTree())
            pipeline.take("stride/bike-1/imu", payload)
            let records = try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
            #expect(records.map(\.device) == ["bike-1"])
            #expect(records.map(\.arrivalMicroseconds) == [Sample.arrival])
            let decoded = try #require(records.first?.frame)
            #expect(decoded.identity == frame.identity && decoded.time == frame.time)
            #expect(decoded.sampleCount == frame.sampleCount && decoded.sensors == frame.sensors)
        }
    }

    @Test("A message with nothing to count is accepted and leaves nothing")
    func withoutContent() throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        pipeline.take("stride/a/csc", [0x01, 0x10, 0, 0, 0, 0x00, 0xFC])
        #expect(pipeline.counters.accepted == 1 && pipeline.counters.withoutContent == 1)
        #expect(pipeline.finish(nowMicroseconds: Sample.arrival).isEmpty)
    }

    @Test("Each device's records go to its counter, in their order", arguments: ["0-63", "0-31,32-63", "0-9,10,11-63"])
    func ranges(counters: String) throws {
        let ranges = try #require(PartitionRange.every(counters))
        var pipeline = IngestPipeline(topics: try TopicTree(root: "gym/berlin"), counters: ranges)
        for sequence in 0..<10 {
            for device in 0..<100 {
                pipeline.take("gym/berlin/d\(device)/imu", Sample.frame(sequence: UInt64(sequence)).encodedJSON())
            }
        }
        var sequences: [DeviceID: [UInt64]] = [:]
        let publications = pipeline.finish(nowMicroseconds: Sample.arrival)
        #expect(Set(publications.map(\.range)) == Set(ranges))
        for publication in publications {
            for record in try publication.records {
                #expect(publication.range.contains(Partition(of: record.device)))
                guard case .sequenced(_, let sequence)? = record.frame?.identity else { continue }
                sequences[record.device, default: []].append(sequence)
            }
        }
        #expect(sequences.count == 100)
        #expect(Set(sequences.values) == [Array(0..<10)])
        #expect(pipeline.finish(nowMicroseconds: Sample.arrival).isEmpty)
    }

    @Test("A batch that is full is closed, and the order is kept")
    func fullBatches() throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        for sequence in 0..<300 {
            pipeline.take("stride/bike-1/imu", Sample.frame(sequence: UInt64(sequence), samples: 50).encodedJSON())
        }
        let publications = pipeline.finish(nowMicroseconds: Sample.arrival)
        #expect(publications.count > 3)
        for publication in publications { #expect(publication.payload.count <= 65_536) }
        let frames = try publications.flatMap { try $0.records }.compactMap(\.frame)
        #expect(frames == (0..<300).map { Sample.frame(sequence: UInt64($0), samples: 50) })
        #expect(pipeline.counters.batches == UInt64(publications.count))
    }

    @Test("The largest frame travels alone, and those around it are not lost")
    func largeFrames() throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        var large = Sample.frame(sequence: 1, samples: FrameLimits.maximumSamples)
        large.values = large.values.map { ($0 * 4).rounded() }
        let frames = [Sample.frame(sequence: 0), large, Sample.frame(sequence: 2)]
        for frame in frames { pipeline.take("stride/bike-1/imu", frame.encodedJSON()) }
        let records = try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        #expect(records.compactMap(\.frame) == frames)
    }

    @Test("Junk beside a good device changes none of its bits")
    func isolation() throws {
        let frames = (0..<50).map { Sample.frame(sequence: UInt64($0)).encodedJSON() }
        var alone = IngestPipeline(topics: try TopicTree())
        var beside = IngestPipeline(topics: try TopicTree())
        for (index, frame) in frames.enumerated() {
            alone.take("stride/good/imu", frame)
            for junk in Sample.junk {
                beside.take("stride/bad/imu", junk)
                beside.take("stride/good/imux", junk)
            }
            beside.take("stride/bad/imu", Array(frame.dropLast(index + 1)))
            beside.take("stride/good/imu", frame)
        }
        let good: DeviceID = "good"
        let expected = try alone.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        let records = try beside.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        #expect(records.filter { $0.device == good } == expected)
        #expect(expected.count == 50)
    }

    @Test("Every counter has a name of its own")
    func names() {
        let names = IngestCounters().named.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.contains("refused_payload_too_large"))
    }
}
