/// How a limb swings: whether half a swing later it turns the other way, and all that it feels moves the other way.
///
/// A leg on a pedal goes round, so that it does both. A walker's thigh swings forward faster than it goes back, and a
/// shank stops where the foot lands. A runner's thigh swings as purely as a rider's, but is thrown up with the body
/// at every step of both feet.
struct LegSwing {
    /// Swings a second.
    let rate: Float
    /// How far the angular velocity is the opposite of itself half a swing later, as a share of how alike it is a
    /// swing later.
    let turningOpposition: Float
    /// Whether the acceleration is the opposite of itself half a swing later.
    private var movesOpposite = false
    /// The least of the former on a pedal.
    private let leastOpposition: Float

    /// Nil when nothing turns to and fro in a curve of the angular velocity; or, below the knee, where a walker's swing
    /// has no opposite, when nothing repeats itself.
    init?(turning curve: borrowing LagCurve, placement: Placement) {
        let lags = placement.isLeg ? StrideThresholds.legLags : StrideThresholds.lags
        guard let peak = curve.firstStrongPeak(in: lags, share: StrideThresholds.peakShare) else { return nil }
        let opposite = -curve.value(at: 0.5 * peak.lag)
        guard opposite > LegThresholds.turningStrength || placement.isBelowKnee else { return nil }
        rate = 1 / (peak.lag * Tick.seconds)
        turningOpposition = opposite / max(peak.height, LegThresholds.leastRepetition)
        leastOpposition = placement.isBelowKnee ? LegThresholds.shankOpposition : LegThresholds.thighOpposition
    }

    /// Takes what the acceleration says of the same swing, in a curve of this weight, of a signal of which slow
    /// sampling left so much similarity.
    mutating func take(movement curve: borrowing LagCurve, weight: Float, similarityShare: Float) {
        let lag = 1 / (rate * Tick.seconds)
        let repetition = max(curve.value(at: lag), weight * LegThresholds.leastRepetition)
        let least = LegThresholds.movementOpposition + LegThresholds.slowMovementOpposition * (1 - similarityShare)
        movesOpposite = -curve.value(at: 0.5 * lag) > least * repetition
    }

    /// Whether it goes round as on a pedal.
    var goesRound: Bool {
        turningOpposition > leastOpposition && movesOpposite
    }

    /// Whether it is too fast for a walk, so that someone runs unless it goes round.
    var isFasterThanWalk: Bool { 2 * rate > StepThresholds.walkingRates.upperBound }

    /// Whether it is as wide as a leg's, and not a trunk's.
    func isWide(_ features: SignalFeatures) -> Bool {
        features.turningDeviation > LegThresholds.swingAngle * 2 * .pi * rate
    }
}
