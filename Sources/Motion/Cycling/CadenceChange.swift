/// Notices that a person pedals at another cadence than a moment ago.
///
/// What the lag products remember fades within some seconds, so that the old period stays in them for as long. What
/// they remember less than their own mean of late is what the last second or so brought: of a first-order low-pass of
/// the time constant T, `C + (T/S − 1)·(C − mean of C over S)` is the low-pass of the time constant S.
struct CadenceChange {
    /// The weight of the newest evaluation in that mean: 1 − exp(−0.4 s / 1.2 s).
    private static let gain: Float = 0.28
    /// T/S − 1, for the 2.5 s and 4 s that acceleration and angular velocity are remembered.
    private static let sharpness: Float = 1.67
    /// The similarity that says something, and how far the period must be away, as a share.
    private static let leastStrength: Float = 0.5
    private static let leastShare: Float = 0.06
    /// Evaluations (0.4 s) that must agree on another period: a gesture has none for so long.
    private static let neededEvaluations = 3

    private var recentCurve = LagCurve()
    private var period: Float = 0
    private var evaluations = 0
    /// Memory for evaluations, not state.
    private var newest = LagCurve()

    /// What was found beside the period that is pedalled.
    enum Finding {
        case nothing
        /// The same period, as the last moments have it.
        case same(LagCurve.Peak)
        case changed(LagCurve.Peak)
    }

    /// Takes the similarity of now.
    mutating func learn(_ curve: LagCurve) {
        recentCurve.approach(curve, gain: Self.gain)
    }

    /// Looks for the period of the last moments beside that which is pedalled, ticks. A multiple of that, or a part, is
    /// none: that is decided over a longer time.
    mutating func find(
        _ curve: LagCurve, besides pedalled: Float, in lags: ClosedRange<Int>, over longer: LagCurve, isLeg: Bool,
        feigned: Float
    ) -> Finding {
        newest.clear()
        newest.add(curve, weight: 1 + Self.sharpness)
        newest.add(recentCurve, weight: -Self.sharpness)
        guard let peak = newest.personPeak(in: lags, recentPeriod: 0, over: longer, isLeg: isLeg),
            peak.height - feigned > Self.leastStrength, !RiderCounter.agrees(peak.lag, 2 * pedalled),
            !RiderCounter.agrees(peak.lag, pedalled / 2)
        else {
            evaluations = 0
            return .nothing
        }
        guard abs(peak.lag - pedalled) > Self.leastShare * pedalled else {
            evaluations = 0
            return .same(peak)
        }
        evaluations = RiderCounter.agrees(peak.lag, period) ? evaluations + 1 : 1
        period = peak.lag
        guard evaluations >= Self.neededEvaluations else { return .nothing }
        evaluations = 0
        return .changed(peak)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        recentCurve.transfer(&coder)
        coder.code(&period, in: 0...100)
        coder.code(&evaluations, in: 0...Self.neededEvaluations)
    }
}
