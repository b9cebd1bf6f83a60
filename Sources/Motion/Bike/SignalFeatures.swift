/// The movement of a bike's or an undescribed sensor, every 0.4 s.
struct SignalFeatures {
    /// Root mean square of the filtered acceleration over 2.5 s, m/s².
    var vectorDeviation: Float
    /// The same of |a|.
    var normDeviation: Float
    /// Root mean square of the filtered acceleration over 0.4 s, m/s².
    var shortVectorDeviation: Float
    /// Root mean square of the angular velocity, rad/s.
    var turningDeviation: Float
    var shortTurningDeviation: Float
    /// Root mean square of the magnetic field's change, µT.
    var fieldDeviation: Float
    var shortFieldDeviation: Float
    /// The factor by which slow sampling lowers the similarity.
    var similarityShare: Float = 1
    var sensors: SensorSet
    /// Whether the sensor turns with the crank, so that the Earth's field in it turns.
    var isOnCrank: Bool
    /// The end of the tick, UTC µs.
    var timeMicroseconds: Int64

    /// The loss of deviations to slow sampling, as a share of that of roughness.
    private static let deviationLoss: Float = 0.33
    /// The loss of similarity, likewise: jitter matters more where there are few samples.
    private static let similarityLoss: Float = 0.4

    /// Corrected to the deviations of a signal sampled at 25 Hz.
    // Inlined: a call would copy the features twice.
    @inline(__always)
    func asSampled(_ rate: SampleRateEstimator) -> SignalFeatures {
        let lost = 1 - rate.roughnessShare
        let deviationShare = 1 - Self.deviationLoss * lost
        var features = self
        features.similarityShare = 1 - Self.similarityLoss * lost
        features.vectorDeviation /= deviationShare
        features.normDeviation /= deviationShare
        features.shortVectorDeviation /= deviationShare
        return features
    }

    /// The movement over 0.4 s by the first sensor there is: acceleration, m/s², angular velocity, rad/s, or field, µT.
    var shortMovement: Float {
        if sensors.contains(.acceleration) { return shortVectorDeviation }
        return sensors.contains(.angularVelocity) ? shortTurningDeviation : shortFieldDeviation
    }

    /// Whether there is movement that may be pedalling.
    var mayBePedalling: Bool {
        hasAcceleration || hasTurning || isOnCrank && fieldDeviation > MagnetometerEvidence.floor
    }

    /// Whether there is acceleration, or angular velocity, that exceeds its noise.
    var hasAcceleration: Bool {
        sensors.contains(.acceleration) && vectorDeviation > RevolutionThresholds.accelerationFloor
    }
    var hasTurning: Bool {
        sensors.contains(.angularVelocity) && turningDeviation > RevolutionThresholds.turningFloor
    }
}

/// The least movement of a crank that turns.
enum RevolutionThresholds {
    /// Ticks between evaluations.
    static let evaluationTicks = Tick.mostAtOnce
    static let evaluationMicroseconds = Int64(evaluationTicks) * Tick.microseconds
    /// Noise of sensors, m/s² and rad/s.
    static let accelerationFloor: Float = 0.02
    static let turningFloor: Float = 0.006
}

/// Running mean squares of the signal, over a few seconds and over half a second.
struct SignalEnergies {
    /// The lanes: squares summed over axes, or of |a|.
    enum Lane: Int {
        /// Filtered acceleration, all axes.
        case vector
        /// Filtered angular velocity.
        case turning
        /// Filtered |a|.
        case norm
        /// Magnetic field without its mean.
        case field
    }

    private var slow = SIMD4<Float>.zero
    private var short = SIMD4<Float>.zero
    private var tickCount: Float = 0

    /// Mean square over the last seconds (time constant 2.5 s).
    func slowSquare(_ lane: Lane) -> Float {
        max(slow[lane.rawValue], 0)
    }

    /// Root mean square over the last seconds (time constant 2.5 s).
    func slowDeviation(_ lane: Lane) -> Float {
        max(slow[lane.rawValue], 0).squareRoot()
    }

    /// Root mean square over the last moments (time constant 0.4 s).
    func shortDeviation(_ lane: Lane) -> Float {
        max(short[lane.rawValue], 0).squareRoot()
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells the spectral line of a turning crank from the resonance of a floor, by a likelihood ratio.
///
/// A resonance that noise drives swells and fades: it is narrow-band Gaussian noise, and the energy of its line follows
/// an exponential distribution, however sharp it is (S. O. Rice, "Mathematical analysis of random noise", Bell Syst.
/// Tech. J. 24 (1945) 46). Legs push about as hard each time: the energy of a crank's line follows a gamma
/// distribution. The log likelihood ratios of the channels are summed, each weighted by its share of the energy.
struct LineSteadiness {
    /// The shape k of the gamma distribution, for an amplitude that varies by a quarter, and `k·ln k − ln Γ(k)`.
    private static let shape: Float = 4
    private static let constant: Float = 3.753
    /// The weight of an evaluation for periods of up to ``quickTicks``: successive energies are correlated. Slower
    /// resonances fade more slowly, and weigh less.
    private static let share: Float = 0.2
    private static let quickTicks: Float = 12.5
    /// The gain of the mean energy of such a line, 8 s; evenly at first. The least number of evaluations for a mean.
    private static let gain: Float = 0.05
    private static let leastEvaluations: Float = 3
    /// How much more than the mean energy a moment may count for it: a hand on the phone would hide the line for as long
    /// as the mean takes to forget it.
    private static let mostRise: Float = 4
    private static let mostEvaluations: Float = 100
    /// The lowest log ratio of a moment: a rider who gets up, or a touch of the holder, is no more evidence than this.
    private static let leastOdds: Float = -3
    private static let leastRatio: Float = 1e-3
    private static let mostRatio: Float = 20
    /// The limits of the log odds, and of those that the next bout begins with.
    private static let most: Float = 4
    private static let least: Float = -4
    private static let mostCarried: Float = 1.2
    private static let leastCarried: Float = -1.5
    /// Log odds that prove a crank (9 to 1), and below which its cadence is hidden.
    private static let provenOdds: Float = 2.2
    private static let hiddenOdds: Float = -1
    /// The fewest evaluations for a proof, and those within which a crank is usually proven: 6 s and 16 s.
    private static let provingLeast: Float = 15
    private static let provingEvaluations: Float = 40
    /// The prior log odds of pedalling against a floor's resonance.
    private static let beforehand: Float = 3

    private var means = EightFloats()
    private var evaluations: Float = 0
    /// The sum of the weights of evaluations.
    private var worth: Float = 0
    /// The log odds of a crank against a resonance.
    private(set) var odds: Float = 0
    /// Whether the line is counted, until it ends: later fades are those of a rider who sits down or slows.
    private(set) var isProven = false

    /// Whether a resonance is so likely that no cadence is told.
    var isHidden: Bool { !isProven && odds < Self.hiddenOdds }

    /// Whether a bout that ends now was pedalling: the longer it lasted, the higher the odds must be.
    var isLikely: Bool { isProven || odds >= Self.provenOdds * min(worth / Self.provingEvaluations, 1) }

    /// The probability of pedalling, 0…1.
    var probability: Float { 1 / (1 + exp(-odds - Self.beforehand)) }

    /// Begins another line.
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
        let counted =
            evaluations > Self.leastEvaluations ? energies.lowered(to: means.vector * Self.mostRise) : energies
        means.vector += (counted - means.vector) * max(Self.gain * quickness, 1 / evaluations)
        let sum = means.vector.sum()
        guard evaluations >= Self.leastEvaluations, sum > 0 else { return }
        let gathered = Self.evidence(energies, means.vector) / sum
        worth = min(worth + quickness, Self.mostEvaluations)
        odds = min(max(odds + Self.share * quickness * gathered, Self.least), Self.most)
        isProven = isProven || odds > Self.provenOdds && evaluations > Self.provingLeast
    }

    /// The log likelihood ratios of the channels, weighted by their mean energies.
    private static func evidence(_ energies: SIMD8<Float>, _ means: SIMD8<Float>) -> Float {
        // Channels without energy have no weight.
        let ratios = (energies / means).raised(to: .init(repeating: leastRatio)).lowered(
            to: .init(repeating: mostRatio))
        let odds = (ratios.logarithms - ratios) * (shape - 1) + constant
        return (means * odds.raised(to: .init(repeating: leastOdds))).sum()
    }
}
