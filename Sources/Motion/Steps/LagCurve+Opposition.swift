extension LagCurve {
    /// How far the signal turns into its opposite, as a share of the similarity of its repetitions; 1 where nothing
    /// repeats.
    var opposition: Float {
        guard let peak = highestPeak(in: LegThresholds.repetitionLags), peak.height > 0 else { return 1 }
        var lowest: Float = 0
        for lag in LegThresholds.oppositionLags { lowest = min(lowest, self[lag]) }
        return min(-lowest / peak.height, 1)
    }
}
