extension StepCounter {
    /// Whether the open bout goes on though no period is found: feet are heard as before, and nothing else has changed.
    mutating func goesOnUnevenly(_ features: SignalFeatures, _ placement: Placement) -> Bool {
        guard features.isUnshaken, !BoutThresholds.hasFaded(features, rate: placement.heardRate(rate)),
            !features.isSquat(rate: rate, placement)
        else { return false }
        if let impacts = softImpacts(features, placement),
            features.timeMicroseconds - impacts.upperBound > Int64(1e6 * FootThresholds.impactGaps.upperBound / rate)
        {
            return false
        }
        let least = placement.mayTurn ? FootThresholds.armJolts : FootThresholds.jolts
        return features.jolts(rateHz: rate) > least && uneven.goesOn(features, isOnArm: placement.mayTurn)
    }

    /// Counts on at the last rate.
    mutating func advanceUnevenly(_ features: SignalFeatures, _ placement: Placement, into events: inout MotionEvents) {
        let settled = min(fall(features, placement), features.timeMicroseconds - BoutThresholds.delayMicroseconds)
        integrator.advance(to: settled, ratePerSecond: rate, unit: .steps, into: &events)
    }

    /// When the movement of the open bout fell from what it was while its period was found; now, if it has not.
    func fall(_ features: SignalFeatures, _ placement: Placement) -> Int64 {
        let usual = max(features.normDeviation, uneven.usualNormDeviation)
        let fallen = ending(usual, placement, before: features.timeMicroseconds)
        return min(fallen, softImpacts(features, placement)?.upperBound ?? fallen)
    }

    /// From half a step before the first of the impacts that follow one another to as long after the last one, where
    /// steps are so soft that who stands moves nearly as much.
    func softImpacts(_ features: SignalFeatures, _ placement: Placement) -> ClosedRange<Int64>? {
        guard !placement.mayTurn, !placement.isBelowKnee, rate > StepThresholds.rates.lowerBound,
            rate < StepThresholds.slowRate,
            features.normDeviation < FootThresholds.softNormDeviation
        else { return nil }
        let step = 1e6 / rate
        let gaps =
            Int64(FootThresholds.impactGaps.lowerBound * step)...Int64(FootThresholds.impactGaps.upperBound * step)
        return feet.impacts.trail.bout(gaps: gaps, least: FootThresholds.impactShare * feet.impacts.usual).map {
            ($0.lowerBound - Int64(0.5 * step))...($0.upperBound + Int64(0.5 * step))
        }
    }
}
