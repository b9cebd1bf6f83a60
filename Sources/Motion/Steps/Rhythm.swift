/// For how long the same step rate has been found, also where it was too weak to be sure of.
struct Rhythm {
    /// How far two rates may be apart and still be the same.
    private static let agreement: Float = 0.15
    /// So many evaluations (0.4 s) may find another rate, or none, between two that agree.
    private static let pardon = 2
    /// The similarity below which a rate is chance.
    private static let leastStrength: Float = 0.2

    private var rate: Float = 0
    private var since: Int64 = 0
    private var misses = 0

    /// The time since when the rate has been found, µs; far in the future before there was one.
    var start: Int64 { rate > 0 ? since : .max }

    mutating func follow(_ hypothesis: StepHypothesis?, at timeMicroseconds: Int64) {
        let found = hypothesis.map { $0.strength > Self.leastStrength ? $0.rate : 0 } ?? 0
        if rate > 0, abs(found - rate) <= Self.agreement * rate {
            rate += (found - rate) * 0.3
            misses = 0
        } else if misses < Self.pardon, rate > 0 {
            misses += 1
        } else {
            rate = found
            since = timeMicroseconds
            misses = 0
        }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&rate)
        coder.code(time: &since)
        coder.code(&misses, in: 0...Self.pardon)
    }
}
