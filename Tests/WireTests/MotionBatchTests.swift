import Seeded
import Testing

@testable import Wire

@Suite("Batches from ingest to counter")
struct MotionBatchTests {
    @Test("Every kind of record comes back as it went in, in its order", arguments: 0..<50)
    func roundTrip(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let (records, batch, _) = Self.batch(of: 20, &generator)
        #expect(try Self.records(batch) == records)
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

    @Test("A batch of another version or of another kind is refused")
    func refused() throws {
        var generator = SeededGenerator(seed: 3)
        let bytes = Self.batch(of: 1, &generator).bytes
        #expect(throws: WireError.emptyPayload) { try Self.records([]) }
        #expect(throws: WireError.unsupportedVersion) { try Self.records(Array(bytes[..<3]) + [9] + bytes[4...]) }
        #expect(throws: WireError.malformed) { try Self.records([0x7B] + bytes[1...]) }
    }

    @Test("A batch that is cut short gives the records that are whole", arguments: 0..<20)
    func cut(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let (records, batch, ends) = Self.batch(of: 5, &generator)
        for count in 4..<batch.count {
            let (read, unreadable) = try Self.read(Array(batch[..<count]))
            let whole = ends.count { $0 <= count } - 1
            #expect(read == Array(records[..<whole]) && unreadable == (ends.contains(count) ? 0 : 1))
        }
    }

    @Test("A record that cannot be read harms no other, and is a refusal of its device", arguments: 0..<100)
    func oneDamaged(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let (records, batch, ends) = Self.batch(of: 7, &generator)
        let damaged = Int.random(in: 0..<7, using: &generator)
        var bytes = batch
        // Behind the length, the name and the arrival stands the kind; no kind has this number.
        let content = ends[damaged] + 4 + 1 + records[damaged].device.count + 8
        bytes[content] = 0xFF
        var expected = records
        expected[damaged].content = .refusal(.malformed, count: 1)
        #expect(try Self.read(bytes).records == expected)

        // Nor does one of which not even the name can be read.
        bytes[ends[damaged] + 4] = 0
        expected.remove(at: damaged)
        let (read, unreadable) = try Self.read(bytes)
        #expect(read == expected && unreadable == 1)
    }

    @Test("Whatever stands in a record, the others are read", arguments: 0..<300)
    func noise(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let (records, batch, ends) = Self.batch(of: 3, &generator)
        var bytes = batch
        for place in (ends[1] + 4)..<ends[2] where Bool.random(using: &generator) {
            bytes[place] = .random(in: 0...255, using: &generator)
        }
        let read = try Self.read(bytes).records
        #expect(read.first == records[0] && read.last == records[2] && read.count <= 3)
    }

    /// Records drawn at random, their batch, and where its head and each of them ends.
    private static func batch(
        of count: Int, _ generator: inout SeededGenerator
    ) -> (records: [MotionRecord], bytes: [UInt8], ends: [Int]) {
        let records = (0..<count).map { _ in MotionRecord.random(using: &generator) }
        var encoder = MotionBatchEncoder()
        var ends = [4]
        for record in records {
            let isTaken = encoder.append(record)
            #expect(isTaken, "a small record did not fit")
            ends.append(encoder.bytes.count)
        }
        #expect(encoder.recordCount == count)
        return (records, encoder.bytes, ends)
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
        #expect(try Self.records(encoder.bytes).map(\.content) == [.refusal(.outOfRange, count: 1)])
    }

    static func records(_ bytes: [UInt8]) throws(WireError) -> [MotionRecord] { try read(bytes).records }

    /// The records of a batch, and how many have no device that can be read.
    static func read(_ bytes: [UInt8]) throws(WireError) -> (records: [MotionRecord], unreadable: UInt64) {
        try bytes.withRawBytes { bytes throws(WireError) in
            var decoder = try MotionBatchDecoder(bytes)
            var records: [MotionRecord] = []
            while let record = decoder.next() { records.append(record) }
            return (records, decoder.unreadableCount)
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
            let kind = Reading.Kind.allCases.randomElement(using: &generator) ?? .heart
            return .reading(
                Reading(
                    kind, .random(in: 0...200, using: &generator), identity: frame.identity, time: frame.time))
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
