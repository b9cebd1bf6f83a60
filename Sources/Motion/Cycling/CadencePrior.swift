#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How often riders turn how fast, before anything is heard of this one: lognormal about 75 rpm, and about what this
/// one turned of late.
///
/// Riders choose 80 to 95 rpm (A. P. Marsh, P. E. Martin, "Effect of cycling experience, aerobic power, and power
/// output on preferred and most economical cycling cadences", Med. Sci. Sports Exerc. 29 (1997) 1225), in classes and
/// in therapy less.
struct CadencePrior {
    private static let middle: Float = 75
    private static let spread: Float = 0.35
    private static let recentSpread: Float = 0.3
    /// Any cadence is at least this likely beside the likeliest.
    private static let least: Float = 0.01
    /// By what share a recent cadence follows the cadence of now, an evaluation.
    private static let following: Float = 0.03

    /// The cadence of late, rpm; 0 before there was one.
    private var recentRPM: Float = 0

    mutating func learn(_ rpm: Float) {
        recentRPM = recentRPM > 0 ? recentRPM + (rpm - recentRPM) * Self.following : rpm
    }

    /// The natural logarithm of how likely a period is, as a whole revolution or as half of one, beside the likeliest;
    /// of a rider of whom nothing is known.
    static func likelihood(ofPeriodTicks lag: Float) -> Float {
        let rpm = 60 / (max(lag, 1) * Tick.seconds)
        return log(
            max(lognormal(rpm, about: middle, spread: spread), lognormal(rpm / 2, about: middle, spread: spread))
                + least)
    }

    /// The natural logarithm of the odds that a period is half a revolution.
    func oddsOfHalf(periodTicks: Float) -> Float {
        let rpm = 60 / (max(periodTicks, 1) * Tick.seconds)
        return log(likelihood(rpm / 2)) - log(likelihood(rpm))
    }

    private func likelihood(_ rpm: Float) -> Float {
        let general = Self.lognormal(rpm, about: Self.middle, spread: Self.spread)
        guard recentRPM > 0 else { return general + Self.least }
        return 0.5 * (general + Self.lognormal(rpm, about: recentRPM, spread: Self.recentSpread)) + Self.least
    }

    private static func lognormal(_ rpm: Float, about middle: Float, spread: Float) -> Float {
        let distance = log(rpm / middle) / spread
        return exp(-0.5 * distance * distance)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&recentRPM, in: 0...1_000)
    }
}

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
