#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The step rate that a curve of similarities speaks for.
struct StepHypothesis {
    /// Steps a second.
    let rate: Float
    /// Similarity at the period, 0…1.
    let strength: Float
    /// Similarity of |a| alone at the period of a step or stride, 0…1.
    let normStrength: Float

    /// The roughness of a pure sine at the step rate: 4·sin²(π·f·Δt).
    var sineRoughness: Float {
        let sine = sin(.pi * rate * Tick.seconds)
        return 4 * sine * sine
    }

    /// Whether these are steps although limbs move more than footfalls shake: the clearer |a| repeats, the smaller may be
    /// its share, as long as it has the high notes of feet that land, which smooth turning has not. A landing lasts as long in
    /// slow steps as in fast ones, so that those of a slow walk are far above the notes of a sine.
    func isClear(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        let isThigh = !placement.mayTurn && rate < StepGate.slowRate
        let least = isThigh ? StepGate.slowThighNormShare : StepGate.clearNormShare
        let clearness = (min(strength, normStrength) - StepGate.plainNormStrength) / StepGate.clearNormRange
        let share = StepGate.normShare + (least - StepGate.normShare) * min(max(clearness, 0), 1)
        return features.normDeviation > share * features.vectorDeviation
            && features.normRoughness > min(StepGate.clearSineRoughnessShare * sineRoughness, StepGate.clearRoughness)
    }

    /// Nil when no lag stands out.
    init?(curve: LagCurve, normCurve: LagCurve, features: SignalFeatures, trackedRate: Float) {
        guard let first = curve.firstStrongPeak(in: StepGate.lags, share: StepGate.peakShare) else { return nil }
        let peak = curve.fundamental(of: first, longLag: StepGate.longLag, share: StepGate.halfShare)
        let period = peak.lag * Tick.seconds
        let isStride = Self.isStride(period, peak.lag, normCurve, features, trackedRate)
        let isTwoStrides = isStride && Self.isTwoStrides(period, features, trackedRate)
        rate = (isTwoStrides ? 4 : isStride ? 2 : 1) / period
        normStrength = min(max(normCurve.value(at: peak.lag), 0), 1)
        strength = min(max(peak.height, 0.8 * normStrength), 1)
    }

    /// Whether a period is that of a stride (two steps) and not of a step: the one ambiguity of gait autocorrelation,
    /// van Oeveren et al. 2018.
    private static func isStride(
        _ period: Float, _ lag: Float, _ normCurve: LagCurve, _ features: SignalFeatures, _ trackedRate: Float
    ) -> Bool {
        if period < 0.45 { return false }
        if period > 1.05 { return !isSoftStep(period, lag, normCurve, features, trackedRate) }
        if features.vectorDeviation > StepGate.runningVectorDeviation, 2 / period < StepGate.fastestRate { return true }
        let limit = strongestNormDeviation(stepPeriod: period)
        if agrees(1 / period, trackedRate), features.normDeviation < StepGate.trackedNormShare * limit { return false }
        if agrees(2 / period, trackedRate) { return true }
        if features.normDeviation > limit { return true }
        if 2 / period > StepGate.fastRate, features.normDeviation < StepGate.fastNormDeviation { return false }
        return hasHalf(lag, normCurve)
    }

    /// Whether a long period is that of one slow step, because two in it would shake |a| more.
    private static func isSoftStep(
        _ period: Float, _ lag: Float, _ normCurve: LagCurve, _ features: SignalFeatures, _ trackedRate: Float
    ) -> Bool {
        guard !agrees(2 / period, trackedRate) else { return false }
        let rate = 2 / period
        return features.normDeviation < StepGate.armNormPerSquaredRate * rate * rate && !hasHalf(lag, normCurve)
    }

    /// Whether |a| repeats after half the lag, too.
    private static func hasHalf(_ lag: Float, _ normCurve: LagCurve) -> Bool {
        let half = Int(lag / 2)
        return (normCurve.highestPeak(in: max(half - 2, 4)...(half + 2))?.height ?? 0) > 0.3
    }

    /// Whether a long period is that of two strides: one stride fits the cadence known already, or steps so slow would not
    /// be so strong.
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
