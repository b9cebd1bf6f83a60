import Glibc

/// A seeded stream of chance: the same seed gives the same numbers on every run.
///
/// The generator is SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014, figure 15. Normal deviates are made by the Box-Muller transform.
package struct RandomSource: Sendable {
    private var state: UInt64
    private var spareDeviate: Double?

    /// A stream of its own for every pair of seed and stream number.
    package init(seed: UInt64, stream: UInt64) {
        state = Self.mixed(seed &+ 0x9e37_79b9_7f4a_7c15 &* (Self.mixed(stream) | 1))
    }

    /// A stream of its own that takes nothing from this one.
    package func branch() -> RandomSource {
        RandomSource(seed: state, stream: 0x6272_616e_6368)
    }

    /// 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    /// A number in `0 ..< 1`.
    package mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number within a range.
    package mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }

    /// True with a probability.
    package mutating func chance(_ probability: Double) -> Bool {
        uniform() < probability
    }

    /// A standard normal deviate.
    package mutating func deviate() -> Double {
        if let spare = spareDeviate {
            spareDeviate = nil
            return spare
        }
        let radius = (-2 * log(1 - uniform())).squareRoot()
        let angle = 2 * Double.pi * uniform()
        spareDeviate = radius * sin(angle)
        return radius * cos(angle)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}
