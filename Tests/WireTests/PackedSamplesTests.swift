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

    @Test("Jumps from one end of a range to the other come through", arguments: [1, 2, 16, 17, 18, 33, 4096])
    func jumps(rows: Int) throws {
        let frame = Self.frame(rows: rows) { $0 % 2 == 0 ? 16.777_216 : -16.777_216 }
        #expect(try Self.sent(frame).frame.values == frame.values)
        let alternating = Self.frame(rows: rows) { ($0 / 6) % 2 == 0 ? 16.777_2 : -16.777_2 }
        #expect(try Self.sent(alternating).frame.values == alternating.values)
    }

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

    @Test("Whatever bytes stand in a batch, reading them ends", arguments: 1...200 as ClosedRange<UInt64>)
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var encoder = MotionBatchEncoder()
        let frame = Self.frame { Float($0 % 91) / 1000 }
        _ = encoder.append(
            MotionRecord(device: try DeviceID("bike-07"), arrivalMicroseconds: 1, content: .frame(frame)))
        var bytes = encoder.bytes
        for _ in 0..<4 {
            bytes[.random(in: 4..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        let records = try? MotionBatchTests.records(bytes)
        for record in records ?? [] {
            guard case .frame(let frame) = record.content else { continue }
            #expect(frame.values.allSatisfy { !$0.isInfinite })
        }
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
