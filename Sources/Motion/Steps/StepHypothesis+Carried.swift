extension StepHypothesis {
    /// Whether a body carries the arm that moves so. Then |a| repeats surely, with each of two feet, and changes by as
    /// much as that of a body which rises by centimetres; and left and right differ, but not by as much as of an arm
    /// that swings where nobody walks. The more an arm swings, the more must be heard of feet; what was heard a moment
    /// ago, `isKnown`, may be less for a while.
    @inline(__always)
    func isCarried(_ features: SignalFeatures, isKnown: Bool) -> Bool {
        if isHeldOn(features, isKnown: isKnown) { return true }
        guard rate < StepThresholds.walkingRates.upperBound, !isOfStrokes, normStrength > CarriedThresholds.strength,
            normStepStrength > CarriedThresholds.stepStrength,
            CarriedThresholds.normPerSquaredRate.contains(features.normDeviation / (rate * rate)),
            strideLead * rate * rate * rate < CarriedThresholds.mostSwing
        else { return false }
        let joltsPerSwing = isKnown ? CarriedThresholds.knownJoltsPerSwing : CarriedThresholds.joltsPerSwing
        guard jolts(features) > joltsPerSwing * (strideLead - CarriedThresholds.quietSwing) else { return false }
        guard features.normDeviation < StepThresholds.normShare * features.vectorDeviation else {
            return strideLead > CarriedThresholds.leastStrideLead
        }
        return alternation > StepThresholds.alternation
            && features.normDeviation > CarriedThresholds.swingingNormShare * features.vectorDeviation
    }

    /// Whether a walking body moves the hand that holds a pram's handle, or a treadmill's rail: |a| is much of what
    /// little there is, and repeats with each foot. A hand on a handlebar is tilted more than it is lifted; where that
    /// rhythm has been pedalled, it must be sure.
    private func isHeldOn(_ features: SignalFeatures, isKnown: Bool) -> Bool {
        guard mayBeHeldOn(features) else { return false }
        let least = min(normStrength, normStepStrength)
        if hasRateOfPedals(features) { return least > CarriedThresholds.pedalledHeldOnStrength }
        let isSwaying =
            alternation > StepThresholds.alternation && normStrength > CarriedThresholds.swayingStrength.stride
            && normStepStrength > CarriedThresholds.swayingStrength.step
        return isSwaying || least > (isKnown ? CarriedThresholds.knownHeldOnStrength : CarriedThresholds.heldOnStrength)
    }

    /// Whether it moves by as much as a hand that holds on, and no arm swings. Two legs push a pedal round in each turn;
    /// in a step there is one.
    private func mayBeHeldOn(_ features: SignalFeatures) -> Bool {
        let range =
            rate < StepThresholds.walkingRates.upperBound ? CarriedThresholds.heldOnWalk : CarriedThresholds.heldOnRun
        return CarriedThresholds.heldOnRates.contains(rate) && !isOfStrokes && isOfSingleSteps
            && features.normDeviation > CarriedThresholds.heldOnNormShare * features.vectorDeviation
            && range.contains(features.normDeviation / (rate * rate))
    }

    /// Whether |a| changes as a body's does at each step, though it is too soon to be sure that one carries the arm.
    @inline(__always)
    func mayBeCarried(_ features: SignalFeatures) -> Bool {
        normStepStrength > CarriedThresholds.stepStrength
            && (rate < StepThresholds.walkingRates.upperBound
                && features.normDeviation / (rate * rate) > CarriedThresholds.likelyNormPerSquaredRate
                || mayBeHeldOn(features))
    }
}
