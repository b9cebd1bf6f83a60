import Seeded
import Wire

extension Frame {
    /// A frame that a device may send.
    static func random(using generator: inout SeededGenerator) -> Frame {
        var frame = Frame()
        frame.identity = .sequenced(
            boot: BootID(rawValue: .random(in: 0...(.max), using: &generator)),
            sequence: .random(in: 0...1_000_000, using: &generator))
        frame.time =
            Bool.random(using: &generator)
            ? .utc(microseconds: .random(in: 1_600_000_000_000_000...1_900_000_000_000_000, using: &generator))
            : .uptime(microseconds: .random(in: 0...1_000_000_000_000, using: &generator))
        frame.sampleCount = .random(in: 1...60, using: &generator)
        frame.sensors = SensorSet(rawValue: .random(in: 1...7, using: &generator))
        if frame.sensors.contains(.acceleration), Bool.random(using: &generator) {
            frame.sensors.insert(.gravityRemoved)
        }
        if Bool.random(using: &generator) {
            frame.timing = .uniform(periodNanoseconds: .random(in: 1_000_000...1_000_000_000, using: &generator))
        } else {
            frame.timing = .intervals
            frame.intervalsMicroseconds = (1..<max(frame.sampleCount, 1)).map { _ in
                .random(in: 1_000...900_000, using: &generator)
            }
        }
        frame.values = (0..<(frame.sampleCount * frame.sensors.valuesPerSample)).map { _ in
            .random(in: -78...78, using: &generator)
        }
        return frame
    }
}
