extension SampleRateEstimator {
    /// What is left of the roughness of a walk when it is sampled this slowly, as a share of that at 25 Hz and above:
    /// the mean of a sample's time and the line to the next one take the high notes away. By walks at the wrist
    /// resampled to 12.5, 15 and 20 Hz.
    var roughnessShare: Float {
        min(max(1 - Self.lostShare * (Float(Tick.rateHz) - 1 / max(meanSeconds, 0.001)), Self.leastShare), 1)
    }

    /// The share that is lost a hertz below the rate of the ticks, and what is left at least.
    private static let lostShare: Float = 0.024
    private static let leastShare: Float = 0.6
}
