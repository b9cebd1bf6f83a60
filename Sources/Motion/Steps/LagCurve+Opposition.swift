extension LagCurve {
    /// How far the signal turns into its opposite, as a share of the similarity of its repetitions; 1 where nothing repeats.
    var opposition: Float {
        guard let peak = highestPeak(in: StepGate.repetitionLags), peak.height > 0 else { return 1 }
        var lowest: Float = 0
        for lag in StepGate.oppositionLags { lowest = min(lowest, self[lag]) }
        return min(-lowest / peak.height, 1)
    }

    /// Whether an angular velocity that repeats itself clearly is half a period later the opposite of itself: a pure line, as
    /// of a leg on a turning pedal. A walker's leg swings forward faster than it goes back, and stops where the foot lands.
    var turnsRound: Bool {
        guard let peak = highestPeak(in: StepGate.repetitionLags) else { return false }
        return peak.height > StepGate.turningStrength && opposition > StepGate.turningOpposition
    }
}
