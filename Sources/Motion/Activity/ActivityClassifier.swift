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

/// Tells vehicles and bicycles by the vibration of the last 12.8 s: a road shakes the sensor all the time, while a hand rests
/// between movements. Tremor is the change of acceleration from tick to tick: wheels cause it, slow gestures hardly.
struct VibrationTrail {
    /// Evaluations (0.4 s) in a block, and blocks in the trail: 12.8 s.
    static let blockEvaluations = 4
    static let blockCount = 8
    /// The highest mean tremor in a vehicle, m/s²: ISO 2631-1:1997, annex C, calls 0.8 to 1.6 m/s² uncomfortable.
    /// Handlebars on asphalt have more.
    static let mostInVehicle: Float = 1
    /// The highest movement on a handlebar, m/s²: lower than that of gestures and of uncounted walks.
    static let mostMovementOnBicycle: Float = 3
    /// Limits of one evaluation, m/s²: a pothole has no more weight.
    static let mostTremor: Float = 3
    static let mostMovement: Float = 6

    /// A source of lasting vibration.
    enum Source: CaseIterable {
        case none
        /// A seat in a vehicle.
        case vehicle
        /// The handlebar or saddle of a bicycle that rolls.
        case bicycle
    }

    /// The conditions for a source.
    struct Bounds {
        /// Above the noise of sensors and a pulse.
        static let vehicle = Self(leastTremor: 0.12, mostUnsteady: 2.2, leastShare: 0.5)
        /// Also above the tremor of a raised hand, at 8 to 12 Hz (Stiles and Randall, J. Appl. Physiol. 23, 1967).
        static let vehicleOnArm = Self(leastTremor: 0.2, mostUnsteady: 2.2, leastShare: 0.5)
        static let sameVehicle = Self(leastTremor: 0.1, mostUnsteady: 3, leastShare: 0.4)
        static let bicycle = Self(leastTremor: 0.6, mostUnsteady: 3, leastShare: 0.68)
        static let sameBicycle = Self(leastTremor: 0.3, mostUnsteady: 4, leastShare: 0.5)

        /// The least tremor of the quietest moment, m/s².
        var leastTremor: Float
        /// The highest ratio of the mean tremor to the least.
        var mostUnsteady: Float
        /// The least ratio of the mean tremor to the mean movement: white noise has 1.4, gestures 0.2 to 0.6.
        var leastShare: Float
    }

    /// The source at the end of the last block.
    private(set) var source = Source.none
    /// The least tremor of each block, and the sums of tremor and movement.
    private var floors = EightFloats(SIMD8(repeating: mostTremor))
    private var tremors = EightFloats()
    private var movements = EightFloats()
    /// The same for the current block.
    private var floor = mostTremor
    private var tremor: Float = 0
    private var movement: Float = 0
    private var block = 0
    private var evaluationCount = 0
    private var blocksKnown = 0

    /// Takes 0.4 s: root mean squares of the change from tick to tick, and of the movement, m/s².
    mutating func take(tremor newest: Float, movement moved: Float, isOnArm: Bool) {
        let newest = min(newest, Self.mostTremor)
        floor = min(floor, newest)
        tremor += newest
        movement += min(moved, Self.mostMovement)
        evaluationCount += 1
        if evaluationCount == Self.blockEvaluations { endBlock(isOnArm: isOnArm) }
    }

    private mutating func endBlock(isOnArm: Bool) {
        floors.vector[block] = floor
        tremors.vector[block] = tremor
        movements.vector[block] = movement
        (floor, tremor, movement) = (Self.mostTremor, 0, 0)
        evaluationCount = 0
        block = (block + 1) % Self.blockCount
        blocksKnown = min(blocksKnown + 1, Self.blockCount)
        source = blocksKnown == Self.blockCount ? found(isOnArm: isOnArm) : .none
    }

    private func found(isOnArm: Bool) -> Source {
        let count = Float(blocksKnown * Self.blockEvaluations)
        let tremor = tremors.vector.sum() / count
        let movement = movements.vector.sum() / count
        if tremor > Self.mostInVehicle {
            let bounds = source == .bicycle ? Bounds.sameBicycle : .bicycle
            return movement < Self.mostMovementOnBicycle && holds(bounds, tremor, movement) ? .bicycle : .none
        }
        let bounds = source == .vehicle ? Bounds.sameVehicle : isOnArm ? .vehicleOnArm : .vehicle
        return holds(bounds, tremor, movement) ? .vehicle : .none
    }

    private func holds(_ bounds: Bounds, _ tremor: Float, _ movement: Float) -> Bool {
        let least = floors.vector.min()
        return least > bounds.leastTremor && tremor < bounds.mostUnsteady * least
            && tremor > bounds.leastShare * movement
    }

    /// Whether the restored block lies in the trail.
    var isSound: Bool { block < Self.blockCount }
}
