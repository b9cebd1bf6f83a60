/// Names what the wearer is doing, slowly enough not to flicker.
struct ActivityClassifier {
    private(set) var activity: Activity = .unknown
    private(set) var confidence: ActivityConfidence = .low
    private var candidate: Activity = .unknown
    /// Evaluations (0.4 s) for which the candidate and the activity have held.
    private var candidateCount = 0
    private var heldCount = 0
    /// Evaluations in a row in which something else seemed to be done.
    private var awayCount = 0

    /// Less movement than this, m/s² and rad/s, is rest.
    static let restingMovement: Float = 0.15
    static let restingTurning: Float = 0.03
    /// A vehicle at a red light stays one for a minute.
    private static let vehicleRestEvaluations = 150

    /// Evaluations before a change is believed.
    private func patience(isPedalling: Bool) -> Int {
        switch (activity, candidate) {
        case (_, .walking), (_, .running): 1
        case (_, .cycling): isPedalling ? 2 : 12
        case (_, .automotive): 25
        case (_, .stationary): 4
        // Who sits moves a hand at times.
        case (.stationary, .unknown): 10
        case (_, .unknown): 5
        }
    }

    private func isChanging(isPedalling: Bool) -> Bool {
        if activity == .automotive, candidate == .stationary || candidate == .unknown {
            return awayCount >= Self.vehicleRestEvaluations
        }
        return candidateCount >= patience(isPedalling: isPedalling)
    }

    /// Takes what moves a bike, and whether its crank turns.
    mutating func take(_ features: SignalFeatures, isPedalling: Bool) {
        let isResting =
            features.shortVectorDeviation < Self.restingMovement
            && features.shortTurningDeviation < Self.restingTurning
        take(isPedalling ? .cycling : isResting ? .stationary : .unknown, isPedalling: isPedalling)
    }

    /// Takes what seems to be done now.
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
        confidence = heldCount >= 25 ? .high : heldCount >= 8 ? .medium : .low
    }

    mutating func reset() {
        self = ActivityClassifier()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&activity)
        coder.code(&confidence)
        coder.code(&candidate)
        coder.code(&candidateCount, in: 0...10_000)
        coder.code(&heldCount, in: 0...10_000)
        coder.code(&awayCount, in: 0...10_000)
    }
}

/// The probability, 0…1, that a cadence is right, by the similarity of the signal to itself a period before, 0…1: lines
/// between a few points.
///
/// The points are the shares of right seconds by similarity, made monotone (isotonic regression, as Zadrozny & Elkan,
/// "Transforming classifier scores into accurate multiclass probability estimates", KDD 2002).
struct Calibration {
    /// Similarities that grow, and the share of right seconds at each.
    let points: [(strength: Float, probability: Float)]

    /// Simulated rides with the sensor on the frame or crank, once whole and half revolutions are told apart: within 5 rpm.
    static let bike = Calibration(points: [(0.05, 0.5), (0.15, 0.85), (0.3, 0.97), (0.5, 0.99), (1, 0.995)])

    func probability(strength: Float) -> Float {
        guard let first = points.first, strength > first.strength else {
            return points.first.map { max(strength, 0) / $0.strength * $0.probability } ?? 0
        }
        var lower = first
        for upper in points.dropFirst() {
            if strength <= upper.strength {
                let share = (strength - lower.strength) / (upper.strength - lower.strength)
                return lower.probability + (upper.probability - lower.probability) * share
            }
            lower = upper
        }
        return lower.probability
    }
}
