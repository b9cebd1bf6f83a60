extension SignalFeatures {
    /// The most that |a| changes in slow steps on a thigh beside the jolts, m/s², over the square of their rate; elsewhere
    /// it is ``LegThresholds/highestRise``. Simulated walkers have up to 0.54, who goes down stairs 0.82 at the hip, and who
    /// climbs them up to 1.7 mostly at a thigh.
    private static let slowThighRise: Float = 1.8
    /// The same where |a| is smoother than of slow walkers who move so much: they have more than 0.18.
    private static let smoothRise: Float = 0.75
    private static let smoothRoughness: Float = 0.15
    /// The same over the square of the frequency that the roughness tells: who climbs stairs has 0.3 mostly, at most 0.5.
    private static let squatRise: Float = 0.6

    /// What |a| changes by beside its jolts, m/s².
    var smoothNormDeviation: Float { normDeviation * max(1 - normRoughness, 0).squareRoot() }

    /// Whether a body goes up and down by more than in slow steps at a rate, a second, beside what jolts make of |a|:
    /// somebody squats, sits down or bends. No foot tells that.
    func isSquat(rate: Float, _ placement: Placement) -> Bool {
        guard rate < StepThresholds.walkingRates.lowerBound, !placement.isBelowKnee else { return false }
        let rise = smoothNormDeviation / (rate * rate)
        if normRoughness < Self.smoothRoughness { return rise > Self.smoothRise }
        return rise > (placement.mayBeOnThigh ? Self.slowThighRise : LegThresholds.highestRise)
    }

    /// The same where no rate is known, but the roughness: that of a sine of the frequency f is (2π·f·Δt)².
    func isSquat(_ placement: Placement) -> Bool {
        let square = 2 * Float.pi * Tick.seconds
        return !placement.isLeg && normDeviation * square * square > Self.squatRise * normRoughness
    }
}
