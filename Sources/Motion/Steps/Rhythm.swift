/// For how long the same step rate has been found, also where it was too weak to be sure of.
struct Rhythm {
    /// How far two rates may be apart and still be the same.
    private static let agreement: Float = 0.15
    /// So many evaluations (0.4 s) may find another rate, or none, between two that agree.
    private static let pardon = 2
    /// The similarity below which a rate is chance.
    private static let leastStrength: Float = 0.2
    /// The same of a rate that was found before: a gesture makes all that is remembered less alike for some seconds.
    private static let agreeingStrength: Float = 0.1

    private var rate: Float = 0
    private var since: Int64 = 0
    private var misses = 0

    /// The time since when the rate has been found, µs; far in the future before there was one.
    var start: Int64 { rate > 0 ? since : .max }

    mutating func follow(_ hypothesis: StepHypothesis?, at timeMicroseconds: Int64) {
        let found = hypothesis.map { isBelieved($0) ? $0.rate : 0 } ?? 0
        if rate > 0, agrees(found) {
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

    private func agrees(_ found: Float) -> Bool { abs(found - rate) <= Self.agreement * rate }

    private func isBelieved(_ hypothesis: StepHypothesis) -> Bool {
        hypothesis.strength > (rate > 0 && agrees(hypothesis.rate) ? Self.agreeingStrength : Self.leastStrength)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&rate)
        coder.code(time: &since)
        coder.code(&misses, in: 0...Self.pardon)
    }
}
