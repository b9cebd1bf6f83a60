/// The step rate that a curve of similarities speaks for.
struct StepHypothesis {
    /// Steps a second.
    let rate: Float
    /// Similarity at the period of a step or of a stride, whichever is higher, 0…1: who limps repeats strides, not
    /// steps.
    let strength: Float
    /// The same of |a| alone.
    let normStrength: Float
    /// The same of |a| at the period of a step.
    let normStepStrength: Float
    /// By how much more the movement is like itself a stride ago than a step ago: that of an arm that swings once in
    /// two steps.
    let alternation: Float
    /// Whether this is the rhythm of work and not of legs. Left and right feet move a body to opposite sides, and its
    /// arms swing once in two steps, so that its movement is more like itself a stride ago than a step ago, however the
    /// sensor sits. Of work that a hand repeats it is the other way round, as the pace wanders.
    let isOfStrokes: Bool
    /// By how much more the movement alone is like itself a stride ago than a step ago; 0 where a stride is too long,
    /// or where nothing asks.
    let strideLead: Float
    private let isStride: Bool
    /// The rate of what was found to repeat itself, a second, which may be that of strides; and how far the movement
    /// alone is the opposite of itself half of that later, as a share of how alike it is then; 0 but below the knee and
    /// in strides of a thigh.
    let swingRate: Float
    let swingOpposition: Float
    /// Whether |a| is like itself half a stride later, as both feet make it, and nobody runs.
    var hearsOtherFoot: Bool { isStride && !isRunningThigh && halfNormShare > 0 }
    /// The same of |a|.
    var normOpposition: Float { -halfNormShare }
    /// Whether a thigh swings as only a runner's does.
    private let isRunningThigh: Bool
    private let isOnLeg: Bool
    /// Whether |a| goes up and down once in a step.
    var isOfSingleSteps: Bool { isStride ? halfNormShare > 0 : normOpposition > StepGate.singleStep }
    /// How like |a| is to itself half a period ago, as a share of how like it is a period ago; and how like the whole
    /// movement is, as a share of the same.
    private let halfNormShare: Float
    private let movementShare: Float

    /// The roughness of a pure sine at the step rate: 4·sin²(π·f·Δt).
    var sineRoughness: Float { SignalFeatures.sineRoughness(rateHz: rate) }

    /// Whether these are steps although limbs move more than footfalls shake: the clearer |a| repeats, the smaller may
    /// be its share, as long as it has the high notes of feet that land, which smooth turning has not. A landing lasts
    /// as long in slow steps as in fast ones, so that those of a slow walk are far above the notes of a sine.
    func isClear(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        let limbShare = placement.isArm ? StepGate.clearNormShare : StepGate.slowThighNormShare
        let isSlowLimb = rate < StepGate.slowRate && (!placement.mayTurn || isAlternating(features, placement))
        let least = isSlowLimb ? limbShare * rate / StepGate.slowRate : StepGate.clearNormShare
        let likeness = min(strength + footLikeness(features, placement), likeness(features, placement))
        let clearness = (likeness - StepGate.plainNormStrength) / StepGate.clearNormRange
        let share = StepGate.normShare + (least - StepGate.normShare) * min(max(clearness, 0), 1)
        return features.normDeviation > share * features.vectorDeviation
            && hasFootNotes(features, placement)
    }

    func jolts(_ features: SignalFeatures) -> Float { features.jolts(rateHz: rate) }

    /// What is added to similarities where jolts tell of feet that land in slow steps, however uneven their times are: a
    /// limb swings once in two of them, and that repeats itself, too.
    func footLikeness(_ features: SignalFeatures, _ placement: Placement) -> Float {
        if placement.mayTurn {
            guard isSlowArm(features, placement) else { return 0 }
            return StepGate.footLikeness * min(jolts(features) - StepGate.slowArmJolts, 1)
        }
        guard rate < StepGate.slowRate, features.isUnshaken, swaysAsWalking(placement) else { return 0 }
        return StepGate.footLikeness * min(max(jolts(features) / StepGate.footJolts - 1, 0), 1)
    }

    /// Whether nothing but a walk moves so in slow steps: a limb swings in two of them, and a thigh hears both feet.
    private func swaysAsWalking(_ placement: Placement) -> Bool {
        if placement.isTrunk || placement == .bag { return true }
        return alternation > StepGate.alternation && (!placement.mayBeOnThigh || halfNormShare > 0)
    }

    /// How like |a| is to itself, with what is heard of feet; where a limb swings beside it, how like all of it is.
    func likeness(_ features: SignalFeatures, _ placement: Placement) -> Float {
        let added = footLikeness(features, placement)
        guard !placement.mayTurn else { return normStrength + added }
        return max(normStrength, added / StepGate.footLikeness * strength) + added
    }

    /// Whether |a| has the high notes of feet that land. Of an arm, which may hold a handlebar that shakes, more is
    /// asked in slow samples.
    private func hasFootNotes(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        let least = min(StepGate.clearSineRoughnessShare, StepGate.clearRoughness / sineRoughness)
        guard !placement.mayTurn else {
            return isSlowArm(features, placement) || features.normRoughness > features.lineShare * least * sineRoughness
        }
        return jolts(features) > least - 1
    }

    /// Whether |a| is jolted in its rhythm as by feet, though it is too soon to be sure of steps.
    func mayBeJolted(_ features: SignalFeatures) -> Bool {
        rate < StepGate.walkingRates.upperBound && normStrength > StepGate.plainNormStrength
            && jolts(features) > StepGate.footJolts
    }

    /// Whether an arm swings once in two steps, which are heard, and slow: who pedals turns the arms as often as the
    /// crank, and no crank as slowly as that.
    func isAlternating(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        isSlowArm(features, placement)
            || alternation > StepGate.alternation && normStepStrength > StepGate.normStrength
                && rate < StepGate.slowRate && features.normRoughness > StepGate.clearSineRoughnessShare * sineRoughness
    }

    /// Whether an arm swings once in two slow steps beside a body that rises by millimetres in each, or holds a phone,
    /// swings not and is jolted by them.
    private func isSlowArm(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        let square = rate * rate
        let isHeld = placement != .wrist && jolts(features) > StepGate.footJolts
        let norm = isHeld && placement == .unknown ? StepGate.joltedNorm : StepGate.slowArmNorm
        return (isHeld || alternation > StepGate.alternation) && rate < StepGate.slowRate && features.isUnshaken
            && norm.contains(features.normDeviation / square)
            && features.vectorDeviation < StepGate.slowArmMovement * square && jolts(features) > StepGate.slowArmJolts
    }

    /// Whether a thigh pushes a pedal: |a| changes by more than a body does which rises and falls with a walk, and one
    /// push is more like the next than like the next but one. Of a walk only an arm or a leg adds so much, and they
    /// swing once in two steps.
    func isOfPushes(_ features: SignalFeatures) -> Bool {
        isBeyondWalk(features) && features.vectorDeviation < StepGate.runningVectorDeviation
            && alternation < StepGate.pushAlternation
    }

    /// Whether this is the rhythm that has been pedalled for a while, and no feet are felt that were not: who gets off
    /// a bike breaks it.
    func isPedalled(_ features: SignalFeatures) -> Bool {
        features.normDeviation < StepGate.normDeviation && jolts(features) < StepGate.footJolts
            && hasRateOfPedals(features)
    }

    func hasRateOfPedals(_ features: SignalFeatures) -> Bool {
        let turns = features.pedalledRate > 0 ? rate / features.pedalledRate : 0
        return abs(turns - 1) < StepGate.agreement || abs(turns - 2) < 2 * StepGate.agreement
    }

    /// Whether |a| a step later is its opposite, as in a stroke and the way back: two feet both push a body up. Slow
    /// samples hear less of the feet.
    func isToAndFro(_ features: SignalFeatures) -> Bool {
        let least = StepGate.toAndFro - StepGate.slowToAndFro * (1 - features.roughnessShare)
        return features.normDeviation < StepGate.flightNormDeviation
            && features.vectorDeviation < StepGate.runningVectorDeviation && normStepStrength < least * normStrength
    }

    /// Nil when no lag stands out.
    init?(
        curve: borrowing LagCurve, normCurve: borrowing LagCurve, features: SignalFeatures, trackedRate: Float,
        placement: Placement
    ) {
        let lags = placement.isLeg ? StepGate.legLags : StepGate.lags
        guard let first = curve.firstStrongPeak(in: lags, share: StepGate.peakShare) else { return nil }
        let peak = curve.fundamental(of: first, longLag: StepGate.longLag, share: StepGate.halfShare)
        let period = peak.lag * Tick.seconds
        isRunningThigh = placement.mayBeOnThigh && Self.isRunningThigh(period, peak.lag, curve, normCurve, features)
        let isStride = isRunningThigh || Self.isStride(period, peak.lag, normCurve, features, trackedRate, placement)
        let isTwoStrides = isStride && !placement.isLeg && Self.isTwoStrides(period, features, trackedRate)
        let cadence = (isTwoStrides ? 4 : isStride ? 2 : 1) / period
        // Where a step repeats surely, or a fast stride does, nothing more is told by the other.
        let asksOther = cadence < StepGate.slowRate || !isStride && peak.height < StepGate.sureNormStrength
        let other = asksOther ? curve.highestPeak(near: isStride ? 0.5 * peak.lag : 2 * peak.lag) : nil
        let stride = isStride ? peak : other ?? peak
        alternation = asksOther ? stride.height - (isStride ? other?.height ?? 0 : peak.height) : 0
        let isByStride = !isStride && alternation > StepGate.alternation
        rate = isByStride ? 2 / (stride.lag * Tick.seconds) : cadence
        normStepStrength = normCurve.value(at: isStride ? 0.5 * peak.lag : peak.lag)
        let normHeight = max(normCurve.value(at: peak.lag), normCurve.value(at: stride.lag), 0)
        normStrength = min(normHeight / features.similarityShare, 1)
        strength = min(max(peak.height, stride.height, 0.8 * normHeight), 1)
        let stepLag = 1 / (rate * Tick.seconds)
        let step = Self.movementSimilarity(curve, normCurve, near: stepLag)
        let isAsked =
            step > StepGate.strokeSimilarity
            || normStepStrength > StepGate.carriedStepStrength && normStrength > StepGate.carriedStrength
        let isTold = isAsked && 2 * stepLag < Float(StepGate.lags.upperBound)
        strideLead = isTold ? Self.movementSimilarity(curve, normCurve, near: 2 * stepLag) - step : 0
        let flies =
            features.normDeviation > StepGate.flightNormDeviation
            || features.vectorDeviation > StepGate.runningVectorDeviation
        let isStiff = flies && features.normDeviation > StepGate.stiffArmShare * features.vectorDeviation
        isOfStrokes =
            !isStiff && step > StepGate.strokeSimilarity && strideLead < 0
            || !flies && Self.hidesOtherFoot(normCurve, stepLag: stepLag)
        self.isStride = isStride
        isOnLeg = placement.isLeg
        swingRate = 1 / period
        let asksOpposition = placement.isBelowKnee || isStride && placement.mayBeOnThigh
        swingOpposition = asksOpposition ? Self.opposition(curve, normCurve, lag: peak.lag) : 0
        let wholeNorm = max(normCurve.value(at: peak.lag), Self.leastWhole)
        halfNormShare = normCurve.value(at: 0.5 * peak.lag) / wholeNorm
        movementShare = (peak.height / wholeNorm - StepGate.normWeight) / (1 - StepGate.normWeight)
    }

    /// How far the movement alone is its opposite after half a lag, as a share of how alike it is after the whole one.
    private static func opposition(_ curve: LagCurve, _ normCurve: LagCurve, lag: Float) -> Float {
        let half = curve.value(at: 0.5 * lag) - StepGate.normWeight * normCurve.value(at: 0.5 * lag)
        let whole = curve.value(at: lag) - StepGate.normWeight * normCurve.value(at: lag)
        return -half / max(whole, Self.leastWhole)
    }

    /// Whether a rhythm as quick as a runner's is felt every other time alone: a walker's arm may feel one foot, a
    /// runner's feels both.
    private static func hidesOtherFoot(_ normCurve: LagCurve, stepLag: Float) -> Bool {
        let isFast = stepLag * Tick.seconds * StepGate.walkingRates.upperBound < 1
        return isFast && normCurve.value(at: stepLag) < 0
            && normCurve.value(at: 2 * stepLag) > StepGate.strokeRepetition
    }

    /// The similarity of the movement alone at its highest about a lag, at the top of a parabola.
    private static func movementSimilarity(_ curve: LagCurve, _ normCurve: LagCurve, near lag: Float) -> Float {
        func similarity(_ lag: Int) -> Float {
            (curve[lag] - StepGate.normWeight * normCurve[lag]) / (1 - StepGate.normWeight)
        }
        var middle = min(max(Int(lag), 1), LagProducts.lagCount - 3)
        if similarity(middle + 1) > similarity(middle) { middle += 1 }
        if similarity(middle - 1) > similarity(middle) { middle -= 1 }
        let (left, top, right) = (similarity(middle - 1), similarity(middle), similarity(middle + 1))
        let curvature = left - 2 * top + right
        return curvature < 0 && top >= max(left, right) ? top - (left - right) * (left - right) / (8 * curvature) : top
    }

    private static let leastWhole: Float = 0.05

    /// The logarithm of the odds that a limb goes round once a period, and no foot falls; where arms turn |a| is hidden
    /// by them. What begins is not yet as like itself as it will be.
    func oddsOfTurning(_ features: SignalFeatures, mayBeElsewhere: Bool, isSoon: Bool = false) -> Float {
        guard isStride else {
            guard rate < LegGate.fastestPedal || mayTurnFast(features, mayBeElsewhere: mayBeElsewhere) else { return 0 }
            if features.hasTurning {
                let angle = features.turningDeviation / (2 * .pi * rate)
                if !(LegGate.trunkAngle...LegGate.legAngle).contains(angle) { return angle > LegGate.legAngle ? 1 : -1 }
            }
            let uprightShare = features.normDeviation / features.vectorDeviation
            guard abs(uprightShare - 1) > LegGate.tiltingShare else { return -1 }
            // A thigh that turns a pedal faster than that goes up and down as much as it goes to and fro.
            let isUpright = uprightShare > LegGate.bounceShare && rate < LegGate.fastestPedal
            let bounce = LegGate.bounce - LegGate.slowBounce * (1 - features.similarityShare)
            let isBody = !(isOnLeg ? isBeyondBody(features) : isBeyondWalk(features))
            let isBouncing = isUpright && isBody && halfNormShare < bounce
            guard !isBouncing, alternation < LegGate.alternation else { return LegGate.oddsOfBounce }
            let odds = 2 * LegGate.slope * (movementShare - LegGate.wholeMovement)
            let least = isSoon ? 0 : mayBeElsewhere ? LegGate.armLikeness : LegGate.likeness
            return strength > least ? odds : min(odds, 0)
        }
        guard !isRunningThigh else { return -1 }
        guard normStrength > LegGate.normLikeness else { return 0 }
        guard mayBeElsewhere else {
            let thrownUp = max(LegGate.leastPedalOpposition - swingOpposition, 0)
            return LegGate.slope * (LegGate.opposite - halfNormShare - thrownUp)
        }
        let hearsFeet =
            features.normRoughness > LegGate.footRoughness * sineRoughness
            && features.normDeviation > LegGate.footDeviation
        return hearsFeet ? -1 : LegGate.slope * (LegGate.armOpposite - halfNormShare)
    }

    /// Whether |a| changes by more than a walking body rises and falls at this rate.
    private func isBeyondBody(_ features: SignalFeatures) -> Bool {
        features.normDeviation > LegGate.highestRise * rate * rate
    }

    /// The same at a pace at which nobody runs and steps are not few.
    private func isBeyondWalk(_ features: SignalFeatures) -> Bool {
        StepGate.walkingRates.lowerBound < rate && rate < StepGate.runningRate
            && features.normDeviation < StepGate.flightNormDeviation && isBeyondBody(features)
    }

    /// Whether what repeats itself as quickly as the steps of a run may be a pedal that turns: a gyroscope would
    /// know, a runner's thigh swings once in two of them, and a trunk flies.
    private func mayTurnFast(_ features: SignalFeatures, mayBeElsewhere: Bool) -> Bool {
        !mayBeElsewhere && !features.hasTurning
            && (isOnLeg || features.normDeviation < StepGate.flightNormDeviation)
    }

    /// Whether a thigh swings with this period, and as a runner's: farther than a pedal or a walk so quick moves it,
    /// and not as one that goes round, because both feet throw it up, so that half a stride later it does not move the
    /// other way.
    private static func isRunningThigh(
        _ period: Float, _ lag: Float, _ curve: LagCurve, _ normCurve: LagCurve, _ features: SignalFeatures
    ) -> Bool {
        guard period * LegGate.runningSwingRate < 1, 2 / period < StepGate.fastestRate,
            features.vectorDeviation * period * period > LegGate.runningSwing
        else { return false }
        let both = curve.value(at: 0.5 * lag)
        let half = (both - StepGate.normWeight * normCurve.value(at: 0.5 * lag)) / (1 - StepGate.normWeight)
        return -half < LegGate.runningOpposition + LegGate.slowRunningOpposition * (1 - features.similarityShare)
    }

    /// Whether a period is that of a stride (two steps) and not of a step: the one ambiguity of gait autocorrelation,
    /// van Oeveren et al. 2018.
    private static func isStride(
        _ period: Float, _ lag: Float, _ normCurve: LagCurve, _ features: SignalFeatures, _ trackedRate: Float,
        _ placement: Placement
    ) -> Bool {
        if period < ShankGate.strideSeconds { return false }
        if placement.isBelowKnee { return true }
        if period > 1.05 {
            if placement.isLeg || agrees(2 / period, trackedRate) { return true }
            let isSoft = isSoftStep(period, lag, normCurve, features, trackedRate)
            if placement.mayTurn { return !isSoft }
            return hasOtherFoot(lag, normCurve) || !isSoft && normCurve.value(at: lag) < StepGate.sureStepSimilarity
        }
        if features.vectorDeviation > StepGate.runningVectorDeviation, 2 / period < StepGate.fastestRate { return true }
        let limit = strongestNormDeviation(stepPeriod: period)
        let trackedLimit = min(StepGate.trackedNormShare * limit, max(limit, StepGate.flightNormDeviation))
        if agrees(1 / period, trackedRate), features.normDeviation < trackedLimit { return false }
        // Steps so fast are a run's, whatever went before.
        if 2 / period > StepGate.fastRate, features.normDeviation < StepGate.fastNormDeviation { return false }
        if agrees(2 / period, trackedRate) { return true }
        if features.normDeviation > limit { return 2 / period < StepGate.fastestRate }
        return hasHalf(lag, normCurve)
    }

    /// Whether a long period is that of one slow step, because two in it would shake |a| more.
    private static func isSoftStep(
        _ period: Float, _ lag: Float, _ normCurve: LagCurve, _ features: SignalFeatures, _ trackedRate: Float
    ) -> Bool {
        guard !agrees(2 / period, trackedRate) else { return false }
        return features.normDeviation < StepGate.leastArmNormDeviation(rate: 2 / period, sureness: 1)
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
        let about = Int(StepGate.otherFoot.lowerBound * lag)...Int(StepGate.otherFoot.upperBound * lag)
        return (normCurve.highestPeak(in: about)?.height ?? 0) > StepGate.otherFootSimilarity
    }

    /// Whether a long period is that of two strides: one stride fits the cadence known already, or steps so slow would
    /// not be so strong.
    private static func isTwoStrides(_ period: Float, _ features: SignalFeatures, _ trackedRate: Float) -> Bool {
        guard period > StepGate.twoStridesPeriod, !agrees(2 / period, trackedRate) else { return false }
        if agrees(4 / period, trackedRate) { return true }
        let limit = strongestNormDeviation(stepPeriod: period / 2)
        return features.normDeviation > StepGate.trackedNormShare * limit
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
