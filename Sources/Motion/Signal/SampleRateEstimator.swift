/// Measures the sample rate, to say when it is too low to count.
struct SampleRateEstimator {
    static let leastBikeRateHz: Float = 8
    static let leastWearableRateHz: Float = 9
    /// Weight of the newest interval.
    private static let gain: Float = 0.02
    private static let settlingCount = 8
    /// So many intervals are averaged evenly at first; from then on the newest has its weight.
    private static let averagedCount = 50

    /// The mean time from one sample to the next, s; 0 before there were two.
    private(set) var meanSeconds: Float = 0
    private var count = 0
    private var last: Int64 = -1

    @inline(__always)
    mutating func push(_ timeMicroseconds: Int64) {
        let interval = timeMicroseconds &- last
        if last >= 0, Resampler.isShort(interval) { push(interval: interval) }
        last = timeMicroseconds
    }

    /// Takes the time from one sample of a signal to the next, µs.
    @inline(__always)
    mutating func push(interval: Int64) {
        let seconds = Float(interval) * 1e-6
        var gain = Self.gain
        if count < Self.averagedCount {
            count &+= 1
            if count < Self.averagedCount { gain = 1 / Float(count) }
        }
        meanSeconds += (seconds - meanSeconds) * gain
        last &+= interval
    }

    func isTooSlow(isOnBike: Bool) -> Bool {
        guard count >= Self.settlingCount else { return false }
        let least = isOnBike ? Self.leastBikeRateHz : Self.leastWearableRateHz
        return meanSeconds * least > 1
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&meanSeconds)
        coder.code(&count, in: 0...Self.averagedCount)
        coder.code(time: &last)
    }
}

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
