extension StepHypothesis {
    /// Roughness of |a| that opens and keeps open, and its least share of a sine's at the step rate: a gesture is
    /// smooth, a footfall is not.
    private static let openingRoughness: Float = 0.15
    private static let closingRoughness: Float = 0.12
    private static let openingSineRoughness: Float = 0.95
    private static let closingSineRoughness: Float = 0.7
    /// The last one where a body falls freely in quick steps: a sprinter's arms swing so wide that |a| has half the rate
    /// as well.
    private static let flyingSineRoughness: Float = 0.6
    /// The shares of the first two and of the others that are asked where gravity was put back: the axis that it is put
    /// along is found, not felt, so that |a| has more of the smooth swing and as much of the jolts. With less, arms
    /// that swing at the side of who stands are counted.
    private static let restoredRoughnessShares: (least: Float, ofSine: Float) = (0.7, 0.85)
    /// The same where |a| changes by more than a walking body's, which rises by 6 cm at most (0.03·(2π)²/√2 m/s² at one
    /// step a second; Gard & Childress, J. Prosthet. Orthot. 13 (2001) 64): an arm swings there, as smoothly as a sine,
    /// and feet must be heard above it.
    private static let openingWideSineRoughness: Float = 1.15
    private static let wideNormPerSquaredRate: Float = 0.9
    /// Slow steps need no more roughness than this share of their sine's at 50 Hz.
    private static let slowSineRoughness: Float = 1.3
    /// What is left of jolts in samples at 25 Hz; slower ones are made good of as if they came so often.
    private static let tickJoltShare: Float = 0.5

    /// Whether |a| has the high notes of footfalls: where gestures are felt, a bout must begin with more of them than a
    /// smooth movement has.
    @inline(__always)
    func isRough(_ features: SignalFeatures, _ placement: Placement, isSteady: Bool) -> Bool {
        let isRunning = features.normDeviation > RunThresholds.normDeviation && rate > RunThresholds.fastRate
        let isFlying = features.normDeviation > RunThresholds.flightNormDeviation && rate > RunThresholds.rate
        let mustConvince = !isSteady && placement.mayTurn && !isRunning && !isFlying
        let isWide = features.normDeviation > Self.wideNormPerSquaredRate * rate * rate
        let convincing = isWide ? Self.openingWideSineRoughness : Self.openingSineRoughness
        let (leastShare, sineShare) = features.isWithoutGravity ? Self.restoredRoughnessShares : (1, 1)
        let known = isFlying ? Self.flyingSineRoughness : Self.closingSineRoughness
        let share = sineShare * (mustConvince ? convincing : known)
        let sineRoughness = sineRoughness
        let isSurelyRunning = isRunning && strength > ArmThresholds.fastStrength
        let sine = isSurelyRunning ? features.sampled(sineRoughness, rateHz: rate) : sineRoughness
        let least = leastShare * (isSteady ? Self.closingRoughness : Self.openingRoughness)
        // Ticks of 25 Hz have less of the jolts.
        let slowRoughness = 1 + (Self.slowSineRoughness - 1) * max(features.joltShare, Self.tickJoltShare)
        return features.normRoughness > min(least, slowRoughness * sineRoughness)
            && features.normRoughness > share * sine
    }
}
