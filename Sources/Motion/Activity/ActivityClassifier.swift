/// The wearer's activity, with a dwell time before each change.
struct ActivityClassifier {
    /// The highest movement at rest, m/s² and rad/s.
    static let restingMovement: Float = 0.15
    static let restingTurning: Float = 0.03
    /// Evaluations (0.4 s) for which a vehicle may stand at a red light: a minute.
    static let vehicleRestEvaluations = 150
    /// Evaluations after which an activity has medium and high confidence: 3 s and 10 s.
    static let mediumEvaluations = 8
    static let highEvaluations = 25

    /// The dwell time before a change, evaluations.
    static func patience(from activity: Activity, to candidate: Activity, isPedalling: Bool) -> Int {
        switch (activity, candidate) {
        case (_, .walking), (_, .running): 1
        case (_, .cycling): isPedalling ? 2 : 12
        case (_, .automotive): 25
        case (_, .stationary): 4
        // A person at rest moves a hand at times.
        case (.stationary, .unknown): 10
        case (_, .unknown): 5
        }
    }

    private(set) var activity: Activity = .unknown
    private(set) var confidence: ActivityConfidence = .low
    private var candidate: Activity = .unknown
    /// Evaluations (0.4 s) since the candidate and the activity began.
    private var candidateCount = 0
    private var heldCount = 0
    /// Evaluations in a row with another candidate.
    private var awayCount = 0

    private func isChanging(isPedalling: Bool) -> Bool {
        if activity == .automotive, candidate == .stationary || candidate == .unknown {
            return awayCount >= Self.vehicleRestEvaluations
        }
        return candidateCount >= Self.patience(from: activity, to: candidate, isPedalling: isPedalling)
    }

    /// Takes the movement of a bike.
    mutating func take(_ features: SignalFeatures, isPedalling: Bool) {
        let isResting =
            features.shortVectorDeviation < Self.restingMovement
            && features.shortTurningDeviation < Self.restingTurning
        take(isPedalling ? .cycling : isResting ? .stationary : .unknown, isPedalling: isPedalling)
    }

    /// Takes the candidate of an evaluation.
    @inline(__always)
    mutating func take(_ now: Activity, isPedalling: Bool) {
        candidateCount = now == candidate ? min(candidateCount + 1, 10_000) : 1
        candidate = now
        if candidate == activity {
            heldCount = min(heldCount + 1, 10_000)
            awayCount = 0
        } else {
            awayCount = min(awayCount + 1, 10_000)
            if isChanging(isPedalling: isPedalling) {
                activity = candidate
                heldCount = candidateCount
            }
        }
        confidence = heldCount >= Self.highEvaluations ? .high : heldCount >= Self.mediumEvaluations ? .medium : .low
    }

    mutating func reset() {
        self = ActivityClassifier()
    }
}

/// The probability, 0…1, that a cadence is right, from a strength: the similarity of a bike's signal, or the probability of a
/// person's state. Linear between eight points, which are shares of right seconds made monotone (isotonic regression, B.
/// Zadrozny & C. Elkan, "Transforming classifier scores into accurate multiclass probability estimates", KDD 2002).
struct Calibration: Sendable, Equatable {
    /// Increasing strengths, and the share of right seconds at each.
    var strengths: EightFloats
    var shares: EightFloats

    /// Within 5 rpm, on simulated rides with the sensor on the frame or crank, once the harmonic is settled.
    static let bike = Calibration(
        strengths: EightFloats(SIMD8(0.05, 0.15, 0.3, 0.5, 1, 2, 3, 4)),
        shares: EightFloats(SIMD8(0.5, 0.85, 0.97, 0.99, 0.995, 0.995, 0.995, 0.995)))

    /// The identity, before the fit sets shares.
    static let person = Calibration(strengths: personStrengths, shares: personStrengths)
    private static let personStrengths = EightFloats(SIMD8(0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1))

    func probability(strength: Float) -> Float {
        guard strength > strengths[0] else { return max(strength, 0) / strengths[0] * shares[0] }
        for upper in 1..<8 where strength <= strengths[upper] {
            let share = (strength - strengths[upper - 1]) / (strengths[upper] - strengths[upper - 1])
            return shares[upper - 1] + (shares[upper] - shares[upper - 1]) * share
        }
        return shares[7]
    }
}
