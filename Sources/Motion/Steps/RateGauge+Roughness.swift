extension RateGauge {
    /// What is left of the roughness of a walk when it is sampled this slowly, as a share of that at 25 Hz and above: the
    /// mean of a sample's time and the line to the next one take the high notes away. By walks at the wrist resampled to
    /// 12.5, 15 and 20 Hz.
    var roughnessShare: Float {
        min(max(1 - Self.lostShare * (Float(Tick.rateHz) - 1 / max(meanSeconds, 0.001)), Self.leastShare), 1)
    }

    /// What is left of a jolt's energy above the notes of a step, as a share of what is left at 50 Hz; a sine at the step
    /// rate loses hardly anything. By simulated walks at 12.5, 25 and 50 Hz.
    var joltShare: Float { min(Self.fullSeconds / max(meanSeconds, 0.001), 1) }

    /// The time from one sample to the next at 50 Hz.
    private static let fullSeconds: Float = 0.02

    /// The share that is lost a hertz below the rate of the ticks, and what is left at least.
    private static let lostShare: Float = 0.024
    private static let leastShare: Float = 0.6
}
