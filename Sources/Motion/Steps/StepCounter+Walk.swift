extension StepCounter {
    /// Whether what repeats itself is a walk that goes on, or may begin.
    // Mutating, though it changes nothing, because a call would copy the counter otherwise.
    mutating func isWalk(
        _ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement
    ) -> Bool {
        let threshold = (isSteady ? StepGate.closingStrength : StepGate.openingStrength) * features.similarityShare
        let felt = hypothesis.strength + FootGate.strengthShare * hypothesis.footLikeness(features, placement)
        guard felt > threshold, StepGate.rates.contains(hypothesis.rate) else { return false }
        guard !BoutGate.hasFaded(features, rate: placement.heardRate(hypothesis.rate)) else { return false }
        if isSteady, placement.mayTurn, hypothesis.isOfStrokes { return false }
        if features.isSquat(rate: hypothesis.rate, placement) { return false }
        if isCarried { return true }
        let mayBeArm = !isSteady && placement.isOnArm && !isOnWalkingLeg(hypothesis, placement)
        if mayBeArm, !Self.isArmWalking(hypothesis, features, placement) { return false }
        guard hypothesis.isRough(features, placement, isSteady: isSteady) else { return false }
        if placement.isLeg, !leg.walks(features, placement, isOpen: isSteady) { return false }
        if hypothesis.rate > RunGate.fastRate, features.normDeviation < RunGate.fastNormDeviation { return false }
        if features.normDeviation > RunGate.normDeviation, hypothesis.rate > RunGate.rate { return true }
        let needed = StepGate.neededNormDeviation(
            strength: hypothesis.likeness(features, placement), rate: hypothesis.rate,
            mayPedal: placement.mayTurn && !hypothesis.isAlternating(features, placement))
        guard features.normDeviation > (isSteady ? StepGate.openNormShare : 1) * needed else { return false }
        if placement.isBelowKnee { return features.normDeviation > ShankGate.normShare * features.vectorDeviation }
        if features.normDeviation > StepGate.normShare * features.vectorDeviation { return true }
        if hypothesis.isClear(features, placement) { return true }
        let armRoughness = isSteady ? ArmGate.closingRoughness : ArmGate.openingRoughness
        if placement.mayTurn, features.roughness < armRoughness { return false }
        return features.normDeviation > StepGate.plainNormDeviation && hypothesis.normStrength > StepGate.normStrength
    }

    /// Whether two feet are heard where nobody told the place: what strides so surely hangs on a leg, which lands harder
    /// than an arm lets through.
    @inline(__always)
    private func isOnWalkingLeg(_ hypothesis: StepHypothesis, _ placement: Placement) -> Bool {
        placement == .unknown && leg.isWalking && StepGate.walkingRates.contains(hypothesis.rate)
            && hypothesis.strength > StepGate.walkLikeness
    }

    /// Evaluations that must agree before a bout opens: fewer on a clear signal, more on an arm that has work of its
    /// own or another rhythm than walking, and most where a road shakes.
    @inline(__always)
    func neededEvaluations(_ features: SignalFeatures, _ placement: Placement, hearsFeet: Bool) -> Int {
        if features.vibration != .none {
            let isSure = strength > StepGate.walkLikeness || features.normDeviation > StepGate.shakenNormDeviation
            if isSure { return StepGate.shakenEvaluations }
            return strength > StepGate.lastingLikeness ? StepGate.lastingEvaluations : .max
        }
        let isRunning = features.normDeviation > RunGate.normDeviation && rate > RunGate.rate
        if placement.isOnArm, !isRunning, !StepGate.walkingRates.contains(rate) {
            return hearsFeet ? ArmGate.slowEvaluations : ArmGate.unlikelyEvaluations
        }
        if strength > StepGate.clearStrength * features.similarityShare {
            return placement.isBelowKnee && leg.isWalking ? ShankGate.clearEvaluations : StepGate.clearEvaluations
        }
        return placement.isOnArm ? ArmGate.openingEvaluations : StepGate.openingEvaluations
    }
}
