import Seeded
import Testing

@testable import Wire

@Suite("Samples on the internal hop")
struct PackedSamplesTests {
    /// The bytes of a frame whose numbers are kept as they are.
    private static func plainBytes(_ frame: Frame) -> Int { frame.values.count * 4 }

    private static func frame(rows: Int = 50, _ value: (Int) -> Float) -> Frame {
        var frame = Frame()
        frame.identity = .sequenced(boot: BootID(rawValue: 1), sequence: 1)
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = [.acceleration, .angularVelocity]
        frame.sampleCount = rows
        frame.values = (0..<rows * 6).map(value)
        return frame
    }

    /// The frame after the hop, and the bytes that it took.
    private static func sent(_ frame: Frame) throws -> (frame: Frame, bytes: Int) {
        var encoder = MotionBatchEncoder()
        _ = encoder.append(
            MotionRecord(device: try DeviceID("bike-07"), arrivalMicroseconds: 1, content: .frame(frame)))
        let records = try MotionBatchTests.records(encoder.bytes)
        guard case .frame(let sent) = records.first?.content else { throw WireError.malformed }
        return (sent, encoder.bytes.count)
    }

    /// Numbers as the decoders of our forms make them, of a movement of some hundred units.
    static let numbers: [(name: String, value: @Sendable (Int) -> Float)] = {
        @Sendable func swing(_ index: Int) -> Double {
            (300 * (Double(index / 6) * 0.3 + Double(index % 6)).sine() + Double(index * 7919 % 23)).rounded()
        }
        return [
            ("three decimals", { Float(swing($0) / 1000) }),
            ("four decimals", { Float(swing($0) / 10_000) }),
            ("one decimal", { Float(swing($0) / 10) }),
            ("thousandths of g", { Float(swing($0) * 9.80665 / 1000) }),
            ("protobuf with its usual scale", { Float(swing($0)) * 0.001 }),
            ("a part of ±2 g", { Float(swing($0)) * Float(9.80665 / 16_384) }),
            ("a part of ±250 °/s", { Float(swing($0)) * Float(Double.pi / 180 / 131) }),
            ("±1,000 °/s in 16 bits", { Float(swing($0) * .pi / 180 * 1000 / 32_768) }),
            ("0.122 mg", { Float(swing($0)) * Float(9.80665 * 0.122 / 1000) }),
            ("8.75 m°/s", { Float(swing($0) * .pi / 180 * 8.75 / 1000) }),
            ("0.15 µT", { Float(swing($0)) * 0.15 }),
        ]
    }()

    @Test(
        "Numbers of every form come through to the bit, in less than half of their size", arguments: numbers.map(\.name)
    )
    func forms(name: String) throws {
        let form = try #require(Self.numbers.first { $0.name == name })
        let frame = Self.frame(form.value)
        let (sent, bytes) = try Self.sent(frame)
        #expect(sent.values.map { $0 + 0 } == frame.values.map { $0 + 0 })
        #expect(sent.values.map { ($0 + 0).bitPattern } == frame.values.map { ($0 + 0).bitPattern })
        #expect(bytes * 2 < Self.plainBytes(frame), "\(bytes) bytes")
    }

    @Test(
        "Numbers without a unit come through to the bit, and take no more than they did",
        arguments: 1...20 as ClosedRange<UInt64>)
    func anyNumbers(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let frame = Self.frame(rows: .random(in: 1...70, using: &generator)) { _ in
            .random(in: -78...78, using: &generator)
        }
        let (sent, bytes) = try Self.sent(frame)
        #expect(sent.values == frame.values)
        #expect(bytes < Self.plainBytes(frame) + 64)
    }

    @Test(
        "Jumps from one end of a range to the other come through, from number to number and along an axis",
        arguments: [1, 2, 16, 17, 18, 33, 4096])
    func jumps(rows: Int) throws {
        for end in [16.777_216, -16.777_216, 16.777_2] as [Float] {
            for places in [1, 6] {
                let frame = Self.frame(rows: rows) { ($0 / places) % 2 == 0 ? end : -end }
                #expect(try Self.sent(frame).frame.values == frame.values)
            }
        }
    }

    /// Numbers at the edges: of multiples, of differences between them, and of what a float holds.
    private static let edges: [Float] = [
        0, -0.0, 8.388_607, 8.388_608, 8.388_609, 16.777_214, 16.777_215, 16.777_216, 16.777_218, 0.000_001,
        1_677_721.6,
        1_677_721.5, 838_860.8, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, .ulpOfOne, 1,
        9.806_65, 78.453_2, 0x1p23, 0x1p24, 0x1p25, 0x1p31, 0x1p32, 0x1p51, 0x1p63, .nan,
    ]

    @Test(
        "What the writer takes the reader gives back, and who is beside it in the batch",
        arguments: 0..<120)
    func edgesAndJumps(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let unit = try #require(PackedSamples.units.randomElement(using: &generator))
        let sensors = SensorSet(rawValue: .random(in: 1...7, using: &generator))
        let rows =
            seed == 0
            ? FrameLimits.maximumSamples : [1, 2, 16, 17, 18, 33, 50].randomElement(using: &generator) ?? 1
        // Multiples of one unit at and beyond the ends, and jumps between them; or edges of all kinds.
        let multiples: [Double] = [0, 1, 0x1p22, 0x1p23 - 1, 0x1p23, 0x1p24 - 1, 0x1p24, 0x1p24 + 2]
        let isOfUnit = seed % 4 != 0
        var frame = Self.frame(rows: rows) { _ in 0 }
        frame.sensors = sensors
        frame.values = (0..<rows * sensors.valuesPerSample).map { _ in
            let value =
                isOfUnit
                ? Float((multiples.randomElement(using: &generator) ?? 0) * unit)
                : Self.edges.randomElement(using: &generator) ?? 0
            return Bool.random(using: &generator) ? value : -value
        }
        if seed % 3 == 0 {
            frame.timing = .intervals
            frame.intervalsMicroseconds = (1..<max(rows, 1)).map { _ in
                [0, 1, 20_000, .max].randomElement(using: &generator) ?? 0
            }
        }
        if seed % 5 == 0 {
            frame.pressuresHectopascals = (0..<Int.random(in: 0...rows, using: &generator)).map { _ in
                Self.edges.randomElement(using: &generator) ?? 0
            }
        }
        let device = try DeviceID("bike-07")
        let neighbour = MotionRecord(device: device, arrivalMicroseconds: 2, content: .name("beside"))
        var encoder = MotionBatchEncoder(maximumBytes: 1 << 24)
        _ = encoder.append(MotionRecord(device: device, arrivalMicroseconds: 1, content: .frame(frame)))
        _ = encoder.append(neighbour)
        let records = try MotionBatchTests.records(encoder.bytes)
        #expect(records.count == 2 && records.last == neighbour)
        guard case .frame(let sent) = records.first?.content else { throw WireError.malformed }
        #expect(Self.bits(sent.values) == Self.bits(frame.values))
        #expect(sent.timing == frame.timing && sent.intervalsMicroseconds == frame.intervalsMicroseconds)
        #expect(Self.bits(sent.pressuresHectopascals) == Self.bits(frame.pressuresHectopascals))
    }

    /// The bits of numbers, where a zero has no sign and what is missing is missing.
    private static func bits(_ values: [Float]) -> [UInt32] { values.map { $0.isNaN ? 1 << 31 : ($0 + 0).bitPattern } }

    @Test("A zero with a minus is a zero, and a missing sample stays missing")
    func zeros() throws {
        let frame = Self.frame { $0 % 5 == 0 ? -0.0 : 0.125 }
        let (sent, bytes) = try Self.sent(frame)
        #expect(sent.values == frame.values)
        #expect(bytes * 2 < Self.plainBytes(frame))
        let gaps = Self.frame { $0 == 12 ? .nan : 0.125 }
        let values = try Self.sent(gaps).frame.values
        #expect(values[12].isNaN && values[11] == 0.125 && values.count == gaps.values.count)
    }
}

extension Double {
    /// The sine by its series: no library is needed for a movement that only has to swing.
    fileprivate func sine() -> Double {
        let turn = (self / (2 * .pi)).rounded()
        let angle = self - turn * 2 * .pi
        return angle - angle * angle * angle / 6 + angle * angle * angle * angle * angle / 120
    }
}
