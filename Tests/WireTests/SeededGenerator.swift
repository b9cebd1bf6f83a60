import Wire

/// SplitMix64: the same seed gives the same test. Source: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

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

extension FrameDecoder {
    /// Decodes a payload into a new frame.
    func decode(_ payload: [UInt8]) throws(WireError) -> Frame {
        var frame = Frame()
        try payload.withRawBytes { bytes throws(WireError) in try decode(bytes, into: &frame) }
        return frame
    }

    /// Decodes text into a new frame.
    func decode(_ text: String) throws(WireError) -> Frame {
        try decode(Array(text.utf8))
    }
}
