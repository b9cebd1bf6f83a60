extension StepCounter {
    /// When a bout began that is not the last one going on: what moved before its rhythm was found is credited for a
    /// while only, and nothing before its first footfall, where footfalls are told apart.
    func beginning(risen: Int64, _ features: SignalFeatures, _ placement: Placement) -> Int64 {
        let usual = placement.isOnArm ? BoutThresholds.armCreditMicroseconds : BoutThresholds.creditMicroseconds
        let credit = max(usual, Int64(1e6 * BoutThresholds.creditSteps / max(rate, 0.4)))
        let start = max(risen, min(features.timeMicroseconds - credit, rhythm.start))
        guard hearsFootfalls(placement), features.normDeviation > StepThresholds.normDeviation,
            let first = footfalls.beginning(rate: rate, placement: placement)
        else { return start }
        return max(start, first - Int64(0.5e6 / max(rate, 0.4)))
    }

    /// When the open bout ended, which moved by `normDeviation` in the last seconds: where that fell, or where the
    /// similarity began to fade.
    func ending(_ normDeviation: Float, _ placement: Placement, before end: Int64) -> Int64 {
        let share = isFast ? BoutThresholds.fastFallShare : BoutThresholds.fallShare
        let usual = isFast ? BoutThresholds.fastFallSeconds : BoutThresholds.fallSeconds
        let seconds = usual + (placement.isBelowKnee ? ShankThresholds.moreFallSeconds : 0)
        let fall = rise.fall(reference: normDeviation, share: share, before: end)
        let late = fall < end ? max(seconds - 0.5 / max(rate, StepThresholds.rates.lowerBound), 0) : 0
        return min(fall - Int64(1e6 * late), end - fadingTime)
    }

    /// When a bout began that rose to its usual strength at a time: its first steps come later after one another and
    /// are softer, as a gait is steady after about three (Mann et al., J. Bone Joint Surg. 61-A (1979) 232). In a
    /// pocket or on a thigh the first of all is hardly felt: each walk on record with a phone in a pocket began with
    /// one before the first footfall that was heard.
    func withFirstSteps(_ risen: Int64, _ placement: Placement) -> Int64 {
        guard hasSoftEdges(placement), let first = footfalls.first(since: risen, rate: rate) else { return risen }
        let heard = footfalls.softSteps(before: first, rate: rate, most: placement.mostSoftSteps)
        let count = placement.mayBeOnThigh ? max(heard, 1) : heard
        return first - Int64(1e6 * (Float(count) + 0.5) / rate)
    }

    /// When a bout ended that fell from its usual strength at a time: half a step after its last footfall, which is
    /// soft. In a pocket or on a thigh that with which a foot is set down beside the other is hardly felt.
    func withLastStep(_ fallen: Int64, _ placement: Placement) -> Int64 {
        guard hasSoftEdges(placement) else { return fallen }
        let step = 1e6 / rate
        let reach: Float = placement.mayBeOnThigh ? 0.25 : 0.75
        let unheard: Float = placement.mayBeOnThigh ? 1 : 0
        guard let last = footfalls.last(until: fallen + Int64(reach * step), steps: reach + 1.1, rate: rate) else {
            return fallen + Int64(unheard * step)
        }
        return last + Int64((unheard + 0.5) * step)
    }

    /// Whether a thigh may be that of someone who begins to walk: the first steps are slow and soft, and a thigh swings
    /// in them as purely as one that pedals, until more has been heard.
    @inline(__always)
    func mayBeginToWalk(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        guard placement == .thigh, leg.odds <= 0 else { return false }
        let now = features.timeMicroseconds
        let risen = rise.onset(
            reference: features.shortNormDeviation, share: BoutThresholds.onsetShare, rate: StepThresholds.slowRate,
            before: now)
        return now - risen < BoutThresholds.undecidedMicroseconds
    }

    /// Whether soft steps at the edges of a bout are looked for: not at feet, nor in runs.
    func hasSoftEdges(_ placement: Placement) -> Bool {
        rate > StepThresholds.rates.lowerBound && !isFast && (!placement.isLeg || placement.mayBeOnThigh)
    }

    /// Whether the footfalls of steps at this rate are told apart: not on an arm that runs.
    func hearsFootfalls(_ placement: Placement) -> Bool { !placement.mayTurn || !isFast }
}

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

extension StepCounter {
    /// Whether the open bout goes on though no period is found: feet are heard as before, and nothing else has changed.
    mutating func goesOnUnevenly(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        guard features.isUnshaken, !BoutThresholds.hasFaded(features, rate: placement.heardRate(rate)),
            !features.isSquat(rate: rate, placement)
        else { return false }
        if let impacts = softImpacts(features, placement),
            features.timeMicroseconds - impacts.upperBound > Int64(1e6 * FootThresholds.impactGaps.upperBound / rate)
        {
            return false
        }
        let least = placement.mayTurn ? FootThresholds.armJolts : FootThresholds.jolts
        return features.jolts(rateHz: rate) > least && uneven.goesOn(features, isOnArm: placement.mayTurn)
    }

    /// Counts on at the last rate.
    mutating func advanceUnevenly(_ features: SignalFeatures, _ placement: Placement, into events: inout MotionEvents) {
        let settled = min(fall(features, placement), features.timeMicroseconds - BoutThresholds.delayMicroseconds)
        integrator.advance(to: settled, ratePerSecond: rate, unit: .steps, into: &events)
    }

    /// When the movement of the open bout fell from what it was while its period was found; now, if it has not.
    func fall(_ features: SignalFeatures, _ placement: Placement) -> Int64 {
        let usual = max(features.normDeviation, uneven.usualNormDeviation)
        let fallen = ending(usual, placement, before: features.timeMicroseconds)
        return min(fallen, softImpacts(features, placement)?.upperBound ?? fallen)
    }

    /// From half a step before the first of the impacts that follow one another to as long after the last one, where
    /// steps are so soft that who stands moves nearly as much.
    func softImpacts(_ features: SignalFeatures, _ placement: Placement) -> ClosedRange<Int64>? {
        guard !placement.mayTurn, !placement.isBelowKnee, rate > StepThresholds.rates.lowerBound,
            rate < StepThresholds.slowRate,
            features.normDeviation < FootThresholds.softNormDeviation
        else { return nil }
        let step = 1e6 / rate
        let gaps =
            Int64(FootThresholds.impactGaps.lowerBound * step)...Int64(FootThresholds.impactGaps.upperBound * step)
        return feet.impacts.trail.bout(gaps: gaps, least: FootThresholds.impactShare * feet.impacts.usual).map {
            ($0.lowerBound - Int64(0.5 * step))...($0.upperBound + Int64(0.5 * step))
        }
    }
}

/// A walk whose steps come so unevenly that for a while no period is found: it goes on as long as feet are heard and
/// nothing else changes.
struct UnevenWalk {
    /// How much |a| and the whole movement changed while a period was found, m/s², root mean square.
    private var normDeviation: Float = 0
    private var vectorDeviation: Float = 0
    /// Evaluations since.
    private var evaluations = 0

    /// By how much the movement may change and be the same.
    private static let alike: ClosedRange<Float> = 0.7...1.4
    /// How quickly what is usual follows, an evaluation.
    private static let following: Float = 0.1
    /// For so many evaluations it may go on, 0.4 s each, and on an arm, which has work of its own.
    private static let mostEvaluations = 20
    private static let mostArmEvaluations = 10

    /// Begins with what moves when a bout opens.
    mutating func begin(_ features: SignalFeatures) {
        normDeviation = features.normDeviation
        vectorDeviation = features.vectorDeviation
        evaluations = 0
    }

    /// Takes what moves while the period is found.
    mutating func take(_ features: SignalFeatures) {
        normDeviation += (features.normDeviation - normDeviation) * Self.following
        vectorDeviation += (features.vectorDeviation - vectorDeviation) * Self.following
        evaluations = 0
    }

    /// How much |a| changed while a period was found, m/s²; 0 while one is.
    var usualNormDeviation: Float { evaluations > 0 ? normDeviation : 0 }

    /// Whether it goes on though no period is found.
    mutating func goesOn(_ features: SignalFeatures, isOnArm: Bool) -> Bool {
        guard evaluations < (isOnArm ? Self.mostArmEvaluations : Self.mostEvaluations),
            Self.alike.contains(features.normDeviation / max(normDeviation, 1e-3)),
            Self.alike.contains(features.vectorDeviation / max(vectorDeviation, 1e-3))
        else { return false }
        evaluations += 1
        return true
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&normDeviation)
        coder.code(&vectorDeviation)
        coder.code(&evaluations, in: 0...Self.mostEvaluations)
    }
}
