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
