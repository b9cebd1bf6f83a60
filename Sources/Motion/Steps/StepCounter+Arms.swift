extension StepCounter {
    /// Whether an arm moves as a walker's does: the body under it rises and falls by centimetres each step, so that |a|
    /// changes with the square of the rate, and softens the jolts that work with a hand makes. Who runs repeats it like
    /// clockwork; who scrubs or brushes does not.
    static func isArmWalking(
        _ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement
    ) -> Bool {
        guard
            hypothesis.rate < StepThresholds.walkingRates.upperBound || hypothesis.strength > ArmThresholds.fastStrength
        else { return false }
        let isSure = hypothesis.isAlternating(features, placement)
        let sureness = isSure ? 1 : StepThresholds.sureness(strength: hypothesis.normStrength)
        let roughShare =
            features.normDeviation > RunThresholds.flightNormDeviation
            ? ArmThresholds.flyingShare : ArmThresholds.quickShare
        return max(features.normDeviation, features.shortNormDeviation)
            > ArmThresholds.leastNormDeviation(rate: hypothesis.rate, sureness: sureness)
            && (features.normRoughness < max(ArmThresholds.mostRoughness, roughShare * hypothesis.sineRoughness)
                || isJolted(hypothesis, features, placement)
                || placement == .unknown && hypothesis.footLikeness(features, placement) > 0)
    }

    /// Whether what may be an arm is jolted along gravity in the rhythm of a walk: then it is none, but a pocket.
    private static func isJolted(
        _ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement
    ) -> Bool {
        placement == .unknown && StepThresholds.walkingRates.contains(hypothesis.rate)
            && hypothesis.strength > StepThresholds.clearStrength
            && features.normDeviation > ArmThresholds.joltedShare * features.vectorDeviation
    }
}
