import Seeded

extension SeededGenerator {
    /// True with a probability.
    mutating func chance(_ probability: Double) -> Bool {
        Double(next() >> 11) / 9_007_199_254_740_992 < probability
    }

    /// A number below a bound.
    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(max(bound, 1)))
    }
}
