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
    /// The rate of what was found to repeat itself, a second, which may be that of strides; and how far the movement
    /// alone is the opposite of itself half of that later, as a share of how alike it is then; 0 but below the knee, where
    /// nobody told the place, and in strides of a thigh.
    let swingRate: Float
    let swingOpposition: Float
    /// Whether what was found to repeat itself are strides.
    let isStride: Bool
    /// Whether a thigh swings as only a runner's does.
    let isRunningThigh: Bool
    let isOnLeg: Bool
    /// How like |a| is to itself half a period ago, as a share of how like it is a period ago; and how like the whole
    /// movement is, as a share of the same.
    let halfNormShare: Float
    let movementShare: Float

    /// How far |a| is the opposite of itself half a period later.
    var normOpposition: Float { -halfNormShare }

    /// Whether |a| is like itself half a stride later, as both feet make it, and nobody runs.
    var hearsOtherFoot: Bool { isStride && !isRunningThigh && halfNormShare > 0 }

    /// Whether |a| goes up and down once in a step.
    var isOfSingleSteps: Bool { isStride ? halfNormShare > 0 : normOpposition > CarriedThresholds.singleStep }

    /// The roughness of a pure sine at the step rate: 4·sin²(π·f·Δt).
    var sineRoughness: Float { SignalFeatures.sineRoughness(rateHz: rate) }

    /// Whether |a| a step later is its opposite, as in a stroke and the way back: two feet both push a body up. Slow
    /// samples hear less of the feet.
    func isToAndFro(_ features: SignalFeatures) -> Bool {
        let least = ArmThresholds.toAndFro - ArmThresholds.slowToAndFro * (1 - features.roughnessShare)
        return features.normDeviation < RunThresholds.flightNormDeviation
            && features.vectorDeviation < RunThresholds.vectorDeviation && normStepStrength < least * normStrength
    }

    /// Nil when no lag stands out.
    init?(
        curve: borrowing LagCurve, normCurve: borrowing LagCurve, features: SignalFeatures, trackedRate: Float,
        placement: Placement
    ) {
        let lags = placement.isLeg ? StrideThresholds.legLags : StrideThresholds.lags
        guard let first = curve.firstStrongPeak(in: lags, share: StrideThresholds.peakShare) else { return nil }
        let peak = curve.fundamental(of: first, longLag: StrideThresholds.longLag, share: StrideThresholds.halfShare)
        let period = peak.lag * Tick.seconds
        isRunningThigh = placement.mayBeOnThigh && Self.isRunningThigh(period, peak.lag, curve, normCurve, features)
        let isStride = isRunningThigh || Self.isStride(period, peak.lag, normCurve, features, trackedRate, placement)
        let isTwoStrides = isStride && !placement.isLeg && Self.isTwoStrides(period, features, trackedRate)
        let cadence = (isTwoStrides ? 4 : isStride ? 2 : 1) / period
        // Where a step repeats surely, or a fast stride does, nothing more is told by the other.
        let asksOther = cadence < StepThresholds.slowRate || !isStride && peak.height < StepThresholds.sureNormStrength
        let other = asksOther ? curve.highestPeak(near: isStride ? 0.5 * peak.lag : 2 * peak.lag) : nil
        let stride = isStride ? peak : other ?? peak
        alternation = asksOther ? stride.height - (isStride ? other?.height ?? 0 : peak.height) : 0
        let isByStride = !isStride && alternation > StepThresholds.alternation
        rate = isByStride ? 2 / (stride.lag * Tick.seconds) : cadence
        normStepStrength = normCurve.value(at: isStride ? 0.5 * peak.lag : peak.lag)
        let normHeight = max(normCurve.value(at: peak.lag), normCurve.value(at: stride.lag), 0)
        normStrength = min(normHeight / features.similarityShare, 1)
        strength = min(max(peak.height, stride.height, 0.8 * normHeight), 1)
        let stepLag = 1 / (rate * Tick.seconds)
        let step = Self.movementSimilarity(curve, normCurve, near: stepLag)
        let isAsked =
            step > ArmThresholds.strokeSimilarity
            || normStepStrength > CarriedThresholds.stepStrength && normStrength > CarriedThresholds.strength
        let isTold = isAsked && 2 * stepLag < Float(StrideThresholds.lags.upperBound)
        strideLead = isTold ? Self.movementSimilarity(curve, normCurve, near: 2 * stepLag) - step : 0
        let flies =
            features.normDeviation > RunThresholds.flightNormDeviation
            || features.vectorDeviation > RunThresholds.vectorDeviation
        let isStiff = flies && features.normDeviation > RunThresholds.stiffArmShare * features.vectorDeviation
        isOfStrokes =
            !isStiff && step > ArmThresholds.strokeSimilarity && strideLead < 0
            || !flies && Self.hidesOtherFoot(normCurve, stepLag: stepLag)
        self.isStride = isStride
        isOnLeg = placement.isLeg
        swingRate = 1 / period
        let asksOpposition =
            placement.isBelowKnee || placement == .unknown || isStride && placement.mayBeOnThigh
        swingOpposition = asksOpposition ? Self.opposition(curve, normCurve, lag: peak.lag) : 0
        let wholeNorm = max(normCurve.value(at: peak.lag), Self.leastWhole)
        halfNormShare = normCurve.value(at: 0.5 * peak.lag) / wholeNorm
        movementShare = (peak.height / wholeNorm - StepThresholds.normWeight) / (1 - StepThresholds.normWeight)
    }

    /// How far the movement alone is its opposite after half a lag, as a share of how alike it is after the whole one.
    private static func opposition(_ curve: LagCurve, _ normCurve: LagCurve, lag: Float) -> Float {
        let half = curve.value(at: 0.5 * lag) - StepThresholds.normWeight * normCurve.value(at: 0.5 * lag)
        let whole = curve.value(at: lag) - StepThresholds.normWeight * normCurve.value(at: lag)
        return -half / max(whole, Self.leastWhole)
    }

    /// Whether a rhythm as quick as a runner's is felt every other time alone: a walker's arm may feel one foot, a
    /// runner's feels both.
    private static func hidesOtherFoot(_ normCurve: LagCurve, stepLag: Float) -> Bool {
        let isFast = stepLag * Tick.seconds * StepThresholds.walkingRates.upperBound < 1
        return isFast && normCurve.value(at: stepLag) < 0
            && normCurve.value(at: 2 * stepLag) > ArmThresholds.strokeRepetition
    }

    /// The similarity of the movement alone at its highest about a lag, at the top of a parabola.
    private static func movementSimilarity(_ curve: LagCurve, _ normCurve: LagCurve, near lag: Float) -> Float {
        func similarity(_ lag: Int) -> Float {
            (curve[lag] - StepThresholds.normWeight * normCurve[lag]) / (1 - StepThresholds.normWeight)
        }
        var middle = min(max(Int(lag), 1), LagProducts.lagCount - 3)
        if similarity(middle + 1) > similarity(middle) { middle += 1 }
        if similarity(middle - 1) > similarity(middle) { middle -= 1 }
        let (left, top, right) = (similarity(middle - 1), similarity(middle), similarity(middle + 1))
        let curvature = left - 2 * top + right
        return curvature < 0 && top >= max(left, right) ? top - (left - right) * (left - right) / (8 * curvature) : top
    }

    private static let leastWhole: Float = 0.05
}

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
