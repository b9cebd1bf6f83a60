/// The step rate that a curve of similarities speaks for.
struct StepHypothesis {
    /// Steps a second.
    let rate: Float
    /// Similarity at the period, 0…1.
    let strength: Float

    /// Nil when no lag stands out.
    init?(curve: LagCurve, normCurve: LagCurve, features: SignalFeatures, trackedRate: Float) {
        guard let peak = curve.firstStrongPeak(in: StepGate.lags, share: 0.8) else { return nil }
        let period = peak.lag * Tick.seconds
        let isStride = Self.isStride(period, peak.lag, normCurve, features, trackedRate)
        rate = (isStride ? 2 : 1) / period
        strength = min(max(peak.height, 0.8 * normCurve.value(at: peak.lag)), 1)
    }

    /// Whether a period is that of a stride (two steps) and not of a step: the one ambiguity of gait autocorrelation,
    /// van Oeveren et al. 2018.
    private static func isStride(
        _ period: Float, _ lag: Float, _ normCurve: LagCurve, _ features: SignalFeatures, _ trackedRate: Float
    ) -> Bool {
        if period < 0.45 { return false }
        if period > 1.05 { return true }
        if trackedRate > 0 {
            if abs(1 / period - trackedRate) < 0.14 * trackedRate { return false }
            if abs(2 / period - trackedRate) < 0.14 * trackedRate { return true }
        }
        let limit: Float =
            switch period {
            case ..<0.62: 6.0
            case ..<0.75: 4.0
            case ..<0.90: 1.5
            default: 0.9
            }
        if features.normDeviation > limit { return true }
        let half = Int(lag / 2)
        guard let between = normCurve.highestPeak(in: max(half - 2, 4)...(half + 2)) else { return false }
        return between.height > 0.3
    }
}
