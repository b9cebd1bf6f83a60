extension StepHypothesis {
    /// Whether a thigh swings with this period, and as a runner's: farther than a pedal or a walk so quick moves it,
    /// and not as one that goes round, because both feet throw it up, so that half a stride later it does not move the
    /// other way.
    static func isRunningThigh(
        _ period: Float, _ lag: Float, _ curve: LagCurve, _ normCurve: LagCurve, _ features: SignalFeatures
    ) -> Bool {
        guard period * LegThresholds.runningSwingRate < 1, 2 / period < RunThresholds.fastestRate,
            features.vectorDeviation * period * period > LegThresholds.runningSwing
        else { return false }
        let both = curve.value(at: 0.5 * lag)
        let half = (both - StepThresholds.normWeight * normCurve.value(at: 0.5 * lag)) / (1 - StepThresholds.normWeight)
        return -half < LegThresholds.runningOpposition + LegThresholds.slowRunningOpposition
            * (1 - features.similarityShare)
    }

    /// Whether a period is that of a stride (two steps) and not of a step: the one ambiguity of gait autocorrelation,
    /// van Oeveren et al. 2018.
    static func isStride(
        _ period: Float, _ lag: Float, _ normCurve: LagCurve, _ features: SignalFeatures, _ trackedRate: Float,
        _ placement: Placement
    ) -> Bool {
        if period < ShankThresholds.strideSeconds { return false }
        if placement.isBelowKnee { return true }
        if period > 1.05 {
            if placement.isLeg || agrees(2 / period, trackedRate) { return true }
            let isSoft = isSoftStep(period, lag, normCurve, features, trackedRate)
            if placement.mayTurn { return !isSoft }
            return hasOtherFoot(lag, normCurve)
                || !isSoft && normCurve.value(at: lag) < StrideThresholds.sureStepSimilarity
        }
        if features.vectorDeviation > RunThresholds.vectorDeviation, 2 / period < RunThresholds.fastestRate {
            return true
        }
        let limit = strongestNormDeviation(stepPeriod: period)
        let trackedLimit = min(StrideThresholds.trackedNormShare * limit, max(limit, RunThresholds.flightNormDeviation))
        if agrees(1 / period, trackedRate), features.normDeviation < trackedLimit { return false }
        // Steps so fast are a run's, whatever went before.
        if 2 / period > RunThresholds.fastRate, features.normDeviation < RunThresholds.fastNormDeviation {
            return false
        }
        if agrees(2 / period, trackedRate) { return true }
        if features.normDeviation > limit { return 2 / period < RunThresholds.fastestRate }
        return hasHalf(lag, normCurve)
    }

    /// Whether a long period is that of one slow step, because two in it would shake |a| more.
    private static func isSoftStep(
        _ period: Float, _ lag: Float, _ normCurve: LagCurve, _ features: SignalFeatures, _ trackedRate: Float
    ) -> Bool {
        guard !agrees(2 / period, trackedRate) else { return false }
        return features.normDeviation < ArmThresholds.leastNormDeviation(rate: 2 / period, sureness: 1)
            && !hasHalf(lag, normCurve)
    }

    /// Whether |a| repeats after half the lag, too.
    private static func hasHalf(_ lag: Float, _ normCurve: LagCurve) -> Bool {
        let half = Int(lag / 2)
        return (normCurve.highestPeak(in: max(half - 2, 4)...(half + 2))?.height ?? 0) > 0.3
    }

    /// Whether |a| repeats somewhere about the middle of a long period: both feet are heard where no arm swings, but
    /// who limps sets one down early.
    private static func hasOtherFoot(_ lag: Float, _ normCurve: LagCurve) -> Bool {
        let about = Int(StrideThresholds.otherFoot.lowerBound * lag)...Int(StrideThresholds.otherFoot.upperBound * lag)
        return (normCurve.highestPeak(in: about)?.height ?? 0) > StrideThresholds.otherFootSimilarity
    }

    /// Whether a long period is that of two strides: one stride fits the cadence known already, or steps so slow would
    /// not be so strong.
    static func isTwoStrides(_ period: Float, _ features: SignalFeatures, _ trackedRate: Float) -> Bool {
        guard period > StrideThresholds.twoStridesPeriod, !agrees(2 / period, trackedRate) else { return false }
        if agrees(4 / period, trackedRate) { return true }
        let limit = strongestNormDeviation(stepPeriod: period / 2)
        return features.normDeviation > StrideThresholds.trackedNormShare * limit
    }

    private static func agrees(_ rate: Float, _ trackedRate: Float) -> Bool {
        trackedRate > 0 && abs(rate - trackedRate) < 0.14 * trackedRate
    }

    /// The strongest change of |a|, m/s², of steps with this period: slow steps are soft.
    private static func strongestNormDeviation(stepPeriod: Float) -> Float {
        switch stepPeriod {
        case ..<0.62: 6.0
        case ..<0.75: 4.0
        case ..<0.90: 1.5
        default: 0.9
        }
    }
}

extension StepHypothesis {
    /// Whether these are steps although limbs move more than footfalls shake: the clearer |a| repeats, the smaller may
    /// be its share, as long as it has the high notes of feet that land, which smooth turning has not. A landing lasts
    /// as long in slow steps as in fast ones, so that those of a slow walk are far above the notes of a sine.
    func isClear(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        let limbShare = placement.isArm ? StepThresholds.clearNormShare : StepThresholds.slowThighNormShare
        let isSlowLimb = rate < StepThresholds.slowRate && (!placement.mayTurn || isAlternating(features, placement))
        let least = isSlowLimb ? limbShare * rate / StepThresholds.slowRate : StepThresholds.clearNormShare
        let likeness = min(strength + footLikeness(features, placement), likeness(features, placement))
        let clearness = (likeness - StepThresholds.plainNormStrength) / StepThresholds.clearNormRange
        let share = StepThresholds.normShare + (least - StepThresholds.normShare) * min(max(clearness, 0), 1)
        return features.normDeviation > share * features.vectorDeviation
            && hasFootNotes(features, placement)
    }

    /// The jolts of |a| at the step rate, in energies of a sine.
    func jolts(_ features: SignalFeatures) -> Float { features.jolts(rateHz: rate) }

    /// What is added to similarities where jolts tell of feet that land in slow steps, however uneven their times are: a
    /// limb swings once in two of them, and that repeats itself, too.
    func footLikeness(_ features: SignalFeatures, _ placement: Placement) -> Float {
        if placement.mayTurn {
            guard isSlowArm(features, placement) else { return 0 }
            return FootThresholds.likeness * min(jolts(features) - FootThresholds.armJolts, 1)
        }
        guard rate < StepThresholds.slowRate, features.isUnshaken, swaysAsWalking(placement) else { return 0 }
        return FootThresholds.likeness * min(max(jolts(features) / FootThresholds.jolts - 1, 0), 1)
    }

    /// Whether nothing but a walk moves so in slow steps: a limb swings in two of them, and a thigh hears both feet.
    private func swaysAsWalking(_ placement: Placement) -> Bool {
        if placement.isTrunk || placement == .bag { return true }
        return alternation > StepThresholds.alternation && (!placement.mayBeOnThigh || halfNormShare > 0)
    }

    /// How like |a| is to itself, with what is heard of feet; where a limb swings beside it, how like all of it is.
    func likeness(_ features: SignalFeatures, _ placement: Placement) -> Float {
        let added = footLikeness(features, placement)
        guard !placement.mayTurn else { return normStrength + added }
        return max(normStrength, added / FootThresholds.likeness * strength) + added
    }

    /// Whether |a| has the high notes of feet that land. Of an arm, which may hold a handlebar that shakes, more is
    /// asked in slow samples.
    private func hasFootNotes(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        let least = min(FootThresholds.sineRoughnessShare, FootThresholds.roughness / sineRoughness)
        guard !placement.mayTurn else {
            return isSlowArm(features, placement) || features.normRoughness > features.lineShare * least * sineRoughness
        }
        return jolts(features) > least - 1
    }

    /// Whether |a| is jolted in its rhythm as by feet, though it is too soon to be sure of steps.
    func mayBeJolted(_ features: SignalFeatures) -> Bool {
        rate < StepThresholds.walkingRates.upperBound && normStrength > StepThresholds.plainNormStrength
            && jolts(features) > FootThresholds.jolts
    }

    /// Whether an arm swings once in two steps, which are heard, and slow: who pedals turns the arms as often as the
    /// crank, and no crank as slowly as that.
    func isAlternating(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        isSlowArm(features, placement)
            || alternation > StepThresholds.alternation && normStepStrength > StepThresholds.normStrength
                && rate < StepThresholds.slowRate
                && features.normRoughness > FootThresholds.sineRoughnessShare * sineRoughness
    }

    /// Whether an arm swings once in two slow steps beside a body that rises by millimetres in each, or holds a phone,
    /// swings not and is jolted by them.
    private func isSlowArm(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        let square = rate * rate
        // A handlebar's rattle is no feet where nobody told what the hand holds.
        let mayPedal = placement == .unknown && hasRateOfPedals(features)
        let isHeld = placement != .wrist && !mayPedal && jolts(features) > FootThresholds.jolts
        let norm = isHeld && placement == .unknown ? FootThresholds.joltedNorm : FootThresholds.armNorm
        return (isHeld || alternation > StepThresholds.alternation) && rate < StepThresholds.slowRate
            && features.isUnshaken
            && norm.contains(features.normDeviation / square)
            && features.vectorDeviation < FootThresholds.mostArmMovement * square
            && jolts(features) > FootThresholds.armJolts
    }
}

extension StepHypothesis {
    /// Whether a thigh pushes a pedal: |a| changes by more than a body does which rises and falls with a walk, and one
    /// push is more like the next than like the next but one. Of a walk only an arm or a leg adds so much, and they
    /// swing once in two steps.
    func isOfPushes(_ features: SignalFeatures) -> Bool {
        isBeyondWalk(features) && features.vectorDeviation < RunThresholds.vectorDeviation
            && alternation < StepThresholds.pushAlternation
    }

    /// Whether this is the rhythm that has been pedalled for a while, and no feet are felt that were not: who gets off
    /// a bike breaks it.
    func isPedalled(_ features: SignalFeatures) -> Bool {
        features.normDeviation < StepThresholds.normDeviation && jolts(features) < FootThresholds.jolts
            && hasRateOfPedals(features)
    }

    /// Whether this is the rate that has been pedalled for a while, or twice that, as both feet push.
    func hasRateOfPedals(_ features: SignalFeatures) -> Bool {
        let turns = features.pedalledRate > 0 ? rate / features.pedalledRate : 0
        return abs(turns - 1) < StepThresholds.agreement || abs(turns - 2) < 2 * StepThresholds.agreement
    }

    /// The logarithm of the odds that a limb goes round once a period, and no foot falls; where arms turn |a| is hidden
    /// by them. What begins is not yet as like itself as it will be.
    func oddsOfTurning(_ features: SignalFeatures, mayBeElsewhere: Bool, isSoon: Bool = false) -> Float {
        guard isStride else {
            guard rate < LegThresholds.fastestPedal || mayTurnFast(features, mayBeElsewhere: mayBeElsewhere) else {
                return 0
            }
            if features.hasTurning {
                let angle = features.turningDeviation / (2 * .pi * rate)
                if !(LegThresholds.trunkAngle...LegThresholds.legAngle).contains(angle) {
                    return angle > LegThresholds.legAngle ? 1 : -1
                }
            }
            let uprightShare = features.normDeviation / features.vectorDeviation
            guard abs(uprightShare - 1) > LegThresholds.tiltingShare else { return -1 }
            // A thigh that turns a pedal faster than that goes up and down as much as it goes to and fro.
            let isUpright = uprightShare > LegThresholds.bounceShare && rate < LegThresholds.fastestPedal
            let bounce = LegThresholds.bounce - LegThresholds.slowBounce * (1 - features.similarityShare)
            let isBody = !(isOnLeg ? isBeyondBody(features) : isBeyondWalk(features))
            let isBouncing = isUpright && isBody && halfNormShare < bounce
            guard !isBouncing, alternation < LegThresholds.alternation else { return LegThresholds.oddsOfBounce }
            let odds = 2 * LegThresholds.slope * (movementShare - LegThresholds.wholeMovement)
            let least = isSoon ? 0 : mayBeElsewhere ? LegThresholds.armLikeness : LegThresholds.likeness
            return strength > least ? odds : min(odds, 0)
        }
        guard !isRunningThigh else { return -1 }
        guard normStrength > LegThresholds.normLikeness else { return 0 }
        guard mayBeElsewhere else {
            let thrownUp = max(LegThresholds.leastPedalOpposition - swingOpposition, 0)
            return LegThresholds.slope * (LegThresholds.opposite - halfNormShare - thrownUp)
        }
        let hearsFeet =
            features.normRoughness > LegThresholds.footRoughness * sineRoughness
            && features.normDeviation > LegThresholds.footDeviation
        return hearsFeet ? -1 : LegThresholds.slope * (LegThresholds.armOpposite - halfNormShare)
    }

    /// Whether |a| changes by more than a walking body rises and falls at this rate.
    private func isBeyondBody(_ features: SignalFeatures) -> Bool {
        features.normDeviation > LegThresholds.highestRise * rate * rate
    }

    /// The same at a pace at which nobody runs and steps are not few.
    private func isBeyondWalk(_ features: SignalFeatures) -> Bool {
        StepThresholds.walkingRates.lowerBound < rate && rate < RunThresholds.rate
            && features.normDeviation < RunThresholds.flightNormDeviation && isBeyondBody(features)
    }

    /// Whether what repeats itself as quickly as the steps of a run may be a pedal that turns: a gyroscope would
    /// know, a runner's thigh swings once in two of them, and a trunk flies. Where the sensor may be elsewhere a gyroscope
    /// must tell of a leg: nothing else turns as far so often, but a runner's thigh, whose body bounces.
    private func mayTurnFast(_ features: SignalFeatures, mayBeElsewhere: Bool) -> Bool {
        guard !mayBeElsewhere else {
            return features.hasTurning && features.turningDeviation > LegThresholds.legAngle * 2 * .pi * rate
                && normOpposition < LegThresholds.mostQuickPedalNormOpposition
        }
        return !features.hasTurning && (isOnLeg || features.normDeviation < RunThresholds.flightNormDeviation)
    }
}
