import Seeded
import Testing

@testable import Wire

@Suite("Batches from ingest to counter")
struct MotionBatchTests {
    @Test("Every kind of record comes back as it went in, in its order", arguments: 0..<50)
    func roundTrip(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let records = (0..<20).map { _ in MotionRecord.random(using: &generator) }
        var encoder = MotionBatchEncoder()
        for record in records where !encoder.append(record) { Issue.record("a small record did not fit") }
        #expect(encoder.recordCount == records.count)
        #expect(try Self.records(encoder.bytes) == records)
    }

    @Test("A full batch takes no more and is not changed by what it refused")
    func full() throws {
        var generator = SeededGenerator(seed: 1)
        var encoder = MotionBatchEncoder(maximumBytes: 4_000)
        var taken: [MotionRecord] = []
        var record = MotionRecord.random(using: &generator)
        while encoder.append(record) {
            taken.append(record)
            record = MotionRecord.random(using: &generator)
        }
        #expect(encoder.bytes.count <= 4_000)
        #expect(try Self.records(encoder.bytes) == taken)
        encoder.removeAll()
        #expect(encoder.isEmpty)
        _ = encoder.append(record)
        #expect(try Self.records(encoder.bytes) == [record])
    }

    @Test("A frame larger than a batch travels alone")
    func batchOfOne() throws {
        var frame = Frame()
        frame.sensors = [.acceleration, .angularVelocity, .magneticField]
        frame.sampleCount = FrameLimits.maximumSamples
        // Numbers without a common unit, which are kept as they are.
        frame.values = (0..<frame.sampleCount * 9).map { Float($0).squareRoot() }
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        let record = MotionRecord(
            device: try DeviceID("bike-07"), arrivalMicroseconds: 1, content: .frame(frame))
        var encoder = MotionBatchEncoder()
        let isTaken = encoder.append(record)
        let isTakenAgain = encoder.append(record)
        #expect(isTaken && !isTakenAgain)
        #expect(encoder.bytes.count > encoder.maximumBytes)
        #expect(try Self.records(encoder.bytes) == [record])
    }

    @Test("A batch says the version that its records need, and a record that does not fit leaves it as it was")
    func versions() throws {
        let device = try DeviceID("watch-3")
        var encoder = MotionBatchEncoder(maximumBytes: 120)
        func append(_ content: MotionContent) -> Bool {
            encoder.append(MotionRecord(device: device, arrivalMicroseconds: 1, content: content))
        }
        #expect(append(.refusal(.malformed, count: 1)) && encoder.bytes[3] == 1)
        let before = encoder.bytes
        #expect(!append(.name(String(repeating: "å", count: 100))) && encoder.bytes == before)
        #expect(append(.name("Анна")) && encoder.bytes[3] == 5)
        #expect(
            try Self.records(encoder.bytes).map(\.content) == [.refusal(.malformed, count: 1), .name("Анна")])
        encoder.removeAll()
        #expect(append(.refusal(.malformed, count: 1)) && encoder.bytes[3] == 1)
    }

    @Test("Frames of an earlier ingest are read, with pressures and without", arguments: [false, true])
    func earlierLayout(hasPressures: Bool) throws {
        var frame = Frame()
        frame.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 9)
        frame.time = .utc(microseconds: 1_795_194_000_000_000)
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        (frame.sensors, frame.sampleCount) = (.acceleration, 2)
        frame.values = [0.1, 0.2, 9.8, .nan, 0, 9.7]
        if hasPressures { frame.pressuresHectopascals = [1013.25] }
        var writer = ByteWriter()
        writer.write(contentsOf: MotionBatchEncoder.header.dropLast() + [hasPressures ? 2 : 1])
        writer.write(try DeviceID("watch-3"))
        writer.write(Int64(5))
        writer.write(contentsOf: [UInt8(hasPressures ? 6 : 1), MotionTag.sequenced])
        writer.write(UInt64(7))
        writer.write(UInt64(9))
        writer.write(MotionTag.utc)
        writer.write(Int64(1_795_194_000_000_000))
        writer.write(MotionTag.uniform)
        writer.write(UInt32(20_000_000))
        writer.write(frame.sensors.rawValue)
        writer.write(UInt32(2))
        writer.write(UInt32(6))
        writer.write(frame.values)
        if hasPressures {
            writer.write(UInt32(1))
            writer.write(frame.pressuresHectopascals)
        }
        guard case .frame(let read)? = try Self.records(writer.bytes).first?.content else { throw WireError.malformed }
        #expect(read.values[3].isNaN && read.values[0...2] == frame.values[0...2] && read.values[5] == 9.7)
        #expect(read.identity == frame.identity && read.pressuresHectopascals == frame.pressuresHectopascals)
    }

    @Test("A record that is used again holds what a new one would")
    func reuse() throws {
        var generator = SeededGenerator(seed: 2)
        let records = (0..<40).map { _ in MotionRecord.random(using: &generator) }
        var encoder = MotionBatchEncoder()
        for record in records { _ = encoder.append(record) }
        var reused = records[0]
        let read = try encoder.bytes.withRawBytes { bytes throws(WireError) in
            var decoder = try MotionBatchDecoder(bytes)
            var read: [MotionRecord] = []
            while try decoder.next(into: &reused) { read.append(reused) }
            return read
        }
        #expect(read == records)
    }

    @Test("A batch of another version, of another kind or cut short is refused")
    func refused() throws {
        var generator = SeededGenerator(seed: 3)
        var encoder = MotionBatchEncoder()
        _ = encoder.append(MotionRecord.random(using: &generator))
        let bytes = encoder.bytes
        #expect(throws: WireError.emptyPayload) { try Self.records([]) }
        #expect(throws: WireError.unsupportedVersion) { try Self.records(Array(bytes[..<3]) + [9] + bytes[4...]) }
        #expect(throws: WireError.malformed) { try Self.records([0x7B] + bytes[1...]) }
        for count in 5..<bytes.count {
            #expect(throws: WireError.malformed) { try Self.records(Array(bytes[..<count])) }
        }
    }

    @Test("An infinite number is refused on the internal hop too; NaN is a sample that is missing")
    func notFinite() throws {
        var frame = Frame()
        frame.sensors = .acceleration
        frame.sampleCount = 1
        frame.values = [.nan, .infinity, 0]
        var encoder = MotionBatchEncoder()
        _ = encoder.append(
            MotionRecord(device: try DeviceID("bike-07"), arrivalMicroseconds: 1, content: .frame(frame)))
        #expect(throws: WireError.outOfRange) { try Self.records(encoder.bytes) }
    }

    static func records(_ bytes: [UInt8]) throws(WireError) -> [MotionRecord] {
        try bytes.withRawBytes { bytes throws(WireError) in
            var decoder = try MotionBatchDecoder(bytes)
            var records: [MotionRecord] = []
            while let record = try decoder.next() { records.append(record) }
            return records
        }
    }
}

extension MotionRecord {
    static func random(using generator: inout SeededGenerator) -> MotionRecord {
        let devices = ["bike-07", "w", "0123456789-a", String(repeating: "z", count: 63)]
        let device = devices.randomElement(using: &generator).flatMap { try? DeviceID($0) }
        return MotionRecord(
            device: device ?? DeviceID.fallback, arrivalMicroseconds: .random(in: 0...(.max), using: &generator),
            content: .random(using: &generator))
    }
}

extension DeviceID {
    static let fallback: DeviceID = {
        do { return try DeviceID("fallback") } catch { preconditionFailure("a constant of this test: \(error)") }
    }()
}

extension MotionContent {
    static func random(using generator: inout SeededGenerator) -> MotionContent {
        var frame = Frame.random(using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            return .revolutions(
                RevolutionCount(
                    identity: .unsequenced(contentHash: .random(in: 0...(.max), using: &generator)), time: .absent,
                    cumulative: .random(in: 0...(.max), using: &generator), modulus: 65_536,
                    lastEventTime1024: Bool.random(using: &generator) ? 7 : nil))
        case 1:
            return .cadence(rpm: .random(in: 0...200, using: &generator), identity: frame.identity, time: frame.time)
        case 2:
            return .steps(
                DeviceStepCount(
                    kind: .boot, steps: .random(in: 0...100_000, using: &generator), startMicroseconds: 1,
                    endMicroseconds: 1, boot: BootID(rawValue: 3)))
        case 3: return .refusal(.malformed, count: .random(in: 1...100, using: &generator))
        default:
            frame.pressuresHectopascals = (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
                .random(in: 900...1050, using: &generator)
            }
            return .frame(frame)
        }
    }
}
