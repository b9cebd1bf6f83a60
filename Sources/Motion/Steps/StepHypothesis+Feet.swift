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
