import Seeded

extension SeededGenerator {
    /// The numbers of one of many streams of a seed.
    init(seed: UInt64, stream: UInt64) {
        self.init(seed: seed ^ (stream &* 0x9e37_79b9_7f4a_7c15))
    }

    /// The first number of a stream.
    static func first(seed: UInt64, stream: UInt64) -> UInt64 {
        var generator = SeededGenerator(seed: seed, stream: stream)
        return generator.next()
    }
}
