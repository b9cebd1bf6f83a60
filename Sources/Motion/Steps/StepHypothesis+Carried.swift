extension StepHypothesis {
    /// Whether a body carries the arm that moves so. Then |a| repeats surely, with each of two feet, and changes by as
    /// much as that of a body which rises by centimetres; and left and right differ, but not by as much as of an arm
    /// that swings where nobody walks. The more an arm swings, the more must be heard of feet; what was heard a moment
    /// ago, `isKnown`, may be less for a while.
    @inline(__always)
    func isCarried(_ features: SignalFeatures, isKnown: Bool) -> Bool {
        if isHeldOn(features, isKnown: isKnown) { return true }
        guard rate < StepGate.walkingRates.upperBound, !isOfStrokes, normStrength > CarriedGate.strength,
            normStepStrength > CarriedGate.stepStrength,
            CarriedGate.normPerSquaredRate.contains(features.normDeviation / (rate * rate)),
            strideLead * rate * rate * rate < CarriedGate.mostSwing
        else { return false }
        let joltsPerSwing = isKnown ? CarriedGate.knownJoltsPerSwing : CarriedGate.joltsPerSwing
        guard jolts(features) > joltsPerSwing * (strideLead - CarriedGate.quietSwing) else { return false }
        guard features.normDeviation < StepGate.normShare * features.vectorDeviation else {
            return strideLead > CarriedGate.leastStrideLead
        }
        return alternation > StepGate.alternation
            && features.normDeviation > CarriedGate.swingingNormShare * features.vectorDeviation
    }

    /// Whether a walking body moves the hand that holds a pram's handle, or a treadmill's rail: |a| is much of what
    /// little there is, and repeats with each foot. A hand on a handlebar is tilted more than it is lifted; where that
    /// rhythm has been pedalled, it must be sure.
    private func isHeldOn(_ features: SignalFeatures, isKnown: Bool) -> Bool {
        guard mayBeHeldOn(features) else { return false }
        let least = min(normStrength, normStepStrength)
        if hasRateOfPedals(features) { return least > CarriedGate.pedalledHeldOnStrength }
        let isSwaying =
            alternation > StepGate.alternation && normStrength > CarriedGate.swayingStrength.stride
            && normStepStrength > CarriedGate.swayingStrength.step
        return isSwaying || least > (isKnown ? CarriedGate.knownHeldOnStrength : CarriedGate.heldOnStrength)
    }

    /// Whether it moves by as much as a hand that holds on, and no arm swings. Two legs push a pedal round in each turn;
    /// in a step there is one.
    private func mayBeHeldOn(_ features: SignalFeatures) -> Bool {
        let range = rate < StepGate.walkingRates.upperBound ? CarriedGate.heldOnWalk : CarriedGate.heldOnRun
        return CarriedGate.heldOnRates.contains(rate) && !isOfStrokes && isOfSingleSteps
            && features.normDeviation > CarriedGate.heldOnNormShare * features.vectorDeviation
            && range.contains(features.normDeviation / (rate * rate))
    }

    /// Whether |a| changes as a body's does at each step, though it is too soon to be sure that one carries the arm.
    @inline(__always)
    func mayBeCarried(_ features: SignalFeatures) -> Bool {
        normStepStrength > CarriedGate.stepStrength
            && (rate < StepGate.walkingRates.upperBound
                && features.normDeviation / (rate * rate) > CarriedGate.likelyNormPerSquaredRate
                || mayBeHeldOn(features))
    }
}
