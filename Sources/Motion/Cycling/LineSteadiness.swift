#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells the line of a turning crank from that of a floor that rings.
///
/// A resonance that noise drives swells and fades: its envelope is that of narrow-band Gaussian noise, so that the
/// energy of the line follows an exponential distribution however sharp the resonance is (S. O. Rice, "Mathematical
/// analysis of random noise", Bell Syst. Tech. J. 24 (1945) 46). Legs push about as hard each time: energies of a
/// crank's line lie about their mean as a gamma distribution of some shape does. The logarithm of the ratio of the two
/// likelihoods is gathered, each channel by its share in the energy.
struct LineSteadiness {
    /// The shape of the gamma distribution: a line whose amplitude wanders by a quarter. `k·ln k − ln Γ(k)` of that.
    private static let shape: Float = 4
    private static let constant: Float = 3.753
    /// What an evaluation of a line of up to this many ticks is worth, as the energy of one is hardly another than that
    /// of the one before: a slow resonance fades more slowly.
    private static let share: Float = 0.2
    private static let quickTicks: Float = 12.5
    /// The energy of such a line is averaged over 8 s, and evenly at first; an average of fewer evaluations says
    /// nothing.
    private static let gain: Float = 0.05
    private static let leastEvaluations: Float = 3
    private static let mostEvaluations: Float = 100
    /// No moment says more against a crank than this: a rider gets up, or a hand touches the holder.
    private static let leastOdds: Float = -3
    private static let leastRatio: Float = 1e-3
    private static let mostRatio: Float = 20
    /// The limits of what is gathered, and what of it holds for the next bout.
    private static let most: Float = 4
    private static let least: Float = -4
    private static let mostCarried: Float = 1.2
    private static let leastCarried: Float = -1.5
    /// Odds of 9 to 1 prove a crank, and less than this hides it.
    private static let provenOdds: Float = 2.2
    private static let hiddenOdds: Float = -1
    /// Evaluations before which no crank is proven, whatever was before, and within which one is: 6 s and 16 s.
    private static let provingLeast: Float = 15
    private static let provingEvaluations: Float = 40
    /// How much likelier it is beforehand that someone pedals than that a floor rings.
    private static let beforehand: Float = 3

    private var means = EightFloats()
    private var evaluations: Float = 0
    /// Those that said something, each by what it is worth.
    private var worth: Float = 0
    /// The natural logarithm of how much likelier the line is a crank's.
    private(set) var odds: Float = 0
    /// Whether the line may be counted by, until it ends: a rider who sits down again or slows moves a bike far less at
    /// once, which looks like a fade.
    private(set) var isProven = false

    /// Whether it is so likely a floor's that no cadence is told.
    var isHidden: Bool { !isProven && odds < Self.hiddenOdds }

    /// Whether a bout that ends now was one of pedalling: the longer it was, the surer that should be by now.
    var isLikely: Bool { isProven || odds >= Self.provenOdds * min(worth / Self.provingEvaluations, 1) }

    /// How likely someone pedals.
    var probability: Float { 1 / (1 + exp(-odds - Self.beforehand)) }

    /// Begins with another line.
    mutating func restart() {
        evaluations = 0
        worth = 0
        odds = isProven ? Self.mostCarried : min(max(odds, Self.leastCarried), Self.mostCarried)
        isProven = false
    }

    /// Takes the energies of a line along eight channels, once an evaluation.
    mutating func take(_ energies: SIMD8<Float>, periodTicks: Float) {
        let quickness = min(Self.quickTicks / max(periodTicks, 1), 1)
        evaluations = min(evaluations + 1, Self.mostEvaluations)
        means.vector += (energies - means.vector) * max(Self.gain * quickness, 1 / evaluations)
        let sum = means.vector.sum()
        guard evaluations >= Self.leastEvaluations, sum > 0 else { return }
        let gathered = Self.evidence(energies, means.vector) / sum
        worth = min(worth + quickness, Self.mostEvaluations)
        odds = min(max(odds + Self.share * quickness * gathered, Self.least), Self.most)
        isProven = isProven || odds > Self.provenOdds && evaluations > Self.provingLeast
    }

    /// The logarithms of the ratios of likelihoods, each times the mean energy of its channel.
    private static func evidence(_ energies: SIMD8<Float>, _ means: SIMD8<Float>) -> Float {
        var sum: Float = 0
        for lane in 0..<8 where means[lane] > 0 {
            let ratio = min(max(energies[lane] / means[lane], leastRatio), mostRatio)
            sum += means[lane] * max(constant + (shape - 1) * (log(ratio) - ratio), leastOdds)
        }
        return sum
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        means.transfer(&coder)
        coder.code(&evaluations, in: 0...Self.mostEvaluations)
        coder.code(&worth, in: 0...Self.mostEvaluations)
        coder.code(&odds, in: Self.least...Self.most)
        coder.code(&isProven)
    }
}
