extension SignalFeatures {
    /// What |a| changes by beside its jolts, m/s².
    var smoothNormDeviation: Float { normDeviation * max(1 - normRoughness, 0).squareRoot() }

    /// Whether a body goes up and down by more than in slow steps at a rate, a second, beside what jolts make of |a|:
    /// somebody squats, sits down or bends. No foot tells that.
    func isSquat(rate: Float, _ placement: Placement) -> Bool {
        guard rate < StepGate.walkingRates.lowerBound, !placement.isBelowKnee else { return false }
        let rise = smoothNormDeviation / (rate * rate)
        if normRoughness < StepGate.slowRoughness { return rise > StepGate.smoothRise }
        return rise > (placement.mayBeOnThigh ? StepGate.slowThighRise : LegGate.highestRise)
    }

    /// The same where no rate is known, but the roughness: that of a sine of the frequency f is (2π·f·Δt)².
    func isSquat(_ placement: Placement) -> Bool {
        let square = 2 * Float.pi * Tick.seconds
        return !placement.isLeg && normDeviation * square * square > StepGate.squatRise * normRoughness
    }
}
