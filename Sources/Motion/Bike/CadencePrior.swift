#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The prior of a rider's cadence: lognormal about 75 rpm, mixed with a lognormal about this rider's recent cadence.
///
/// Riders choose 80 to 95 rpm (A. P. Marsh, P. E. Martin, "Effect of cycling experience, aerobic power, and power output on
/// preferred and most economical cycling cadences", Med. Sci. Sports Exerc. 29 (1997) 1225), in classes and in therapy less.
struct CadencePrior {
    private static let middle: Float = 75
    private static let spread: Float = 0.35
    private static let recentSpread: Float = 0.3
    /// The least likelihood of any cadence, relative to the highest.
    private static let least: Float = 0.01
    /// The gain of the recent cadence, an evaluation.
    private static let following: Float = 0.03

    /// The recent cadence, rpm; 0 before the first one.
    private var recentRPM: Float = 0

    mutating func learn(_ rpm: Float) {
        recentRPM = recentRPM > 0 ? recentRPM + (rpm - recentRPM) * Self.following : rpm
    }

    /// The log prior of a period, as a whole revolution or half of one, without a recent cadence.
    static func likelihood(ofPeriodTicks lag: Float) -> Float {
        let rpm = 60 / (max(lag, 1) * Tick.seconds)
        return log(
            max(lognormal(rpm, about: middle, spread: spread), lognormal(rpm / 2, about: middle, spread: spread))
                + least)
    }

    /// The prior log odds that a period is half a revolution.
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
}
