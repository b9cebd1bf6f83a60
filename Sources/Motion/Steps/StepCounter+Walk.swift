extension StepCounter {
    /// Whether what repeats itself is a walk that goes on, or may begin.
    // Mutating, though it changes nothing, because a call would copy the counter otherwise.
    mutating func isWalk(
        _ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement
    ) -> Bool {
        let threshold =
            (isSteady ? StepThresholds.closingStrength : StepThresholds.openingStrength) * features.similarityShare
        let felt = hypothesis.strength + FootThresholds.strengthShare * hypothesis.footLikeness(features, placement)
        guard felt > threshold, StepThresholds.rates.contains(hypothesis.rate) else { return false }
        guard !BoutThresholds.hasFaded(features, rate: placement.heardRate(hypothesis.rate)) else { return false }
        if isSteady, placement.mayTurn, hypothesis.isOfStrokes { return false }
        if features.isSquat(rate: hypothesis.rate, placement) { return false }
        if isCarried { return true }
        let mayBeArm = !isSteady && placement.isOnArm && !isOnWalkingLeg(hypothesis, placement)
        if mayBeArm, !Self.isArmWalking(hypothesis, features, placement) { return false }
        guard hypothesis.isRough(features, placement, isSteady: isSteady) else { return false }
        if placement.isLeg, !leg.walks(features, placement, isOpen: isSteady) { return false }
        if hypothesis.rate > RunThresholds.fastRate, features.normDeviation < RunThresholds.fastNormDeviation {
            return false
        }
        if features.normDeviation > RunThresholds.normDeviation, hypothesis.rate > RunThresholds.rate { return true }
        let needed = StepThresholds.neededNormDeviation(
            strength: hypothesis.likeness(features, placement), rate: hypothesis.rate,
            mayPedal: placement.mayTurn && !hypothesis.isAlternating(features, placement))
        guard features.normDeviation > (isSteady ? StepThresholds.openNormShare : 1) * needed else { return false }
        if placement.isBelowKnee {
            return features.normDeviation > ShankThresholds.normShare * features.vectorDeviation
        }
        if features.normDeviation > StepThresholds.normShare * features.vectorDeviation { return true }
        if hypothesis.isClear(features, placement) { return true }
        let armRoughness = isSteady ? ArmThresholds.closingRoughness : ArmThresholds.openingRoughness
        if placement.mayTurn, features.roughness < armRoughness { return false }
        return features.normDeviation > StepThresholds.plainNormDeviation
            && hypothesis.normStrength > StepThresholds.normStrength
    }

    /// Whether two feet are heard where nobody told the place: what strides so surely hangs on a leg, which lands harder
    /// than an arm lets through.
    @inline(__always)
    private func isOnWalkingLeg(_ hypothesis: StepHypothesis, _ placement: Placement) -> Bool {
        placement == .unknown && leg.isWalking && StepThresholds.walkingRates.contains(hypothesis.rate)
            && hypothesis.strength > StepThresholds.walkLikeness
    }

    /// Evaluations that must agree before a bout opens: fewer on a clear signal, more on an arm that has work of its
    /// own or another rhythm than walking, and most where a road shakes.
    @inline(__always)
    func neededEvaluations(_ features: SignalFeatures, _ placement: Placement, hearsFeet: Bool) -> Int {
        if features.vibration != .none {
            let isSure =
                strength > StepThresholds.walkLikeness || features.normDeviation > StepThresholds.shakenNormDeviation
            if isSure { return StepThresholds.shakenEvaluations }
            return strength > StepThresholds.lastingLikeness ? StepThresholds.lastingEvaluations : .max
        }
        let isRunning = features.normDeviation > RunThresholds.normDeviation && rate > RunThresholds.rate
        if placement.isOnArm, !isRunning, !StepThresholds.walkingRates.contains(rate) {
            return hearsFeet ? ArmThresholds.slowEvaluations : ArmThresholds.unlikelyEvaluations
        }
        if strength > StepThresholds.clearStrength * features.similarityShare {
            return placement.isBelowKnee && leg.isWalking
                ? ShankThresholds.clearEvaluations : StepThresholds.clearEvaluations
        }
        return placement.isOnArm ? ArmThresholds.openingEvaluations : StepThresholds.openingEvaluations
    }
}
