/// Removes gravity and slow turning (one-pole high-pass at 0.4 Hz) and what is faster than any limb (second-order
/// Butterworth low-pass at 5 Hz by the bilinear transform), on four channels at 25 Hz.
struct BandFilter {
    /// 1 − exp(−2π · 0.4 Hz / 25 Hz).
    private static let meanGain: Float = 0.0956
    // With K = tan(π · 5 Hz / 25 Hz) and g = 1 / (1 + √2·K + K²): b = g·K²·(1, 2, 1), a = (1, 2g(K² − 1), g(1 − √2·K +
    // K²)).
    private static let b0: Float = 0.206_572
    private static let b1: Float = 0.413_144
    private static let a1: Float = -0.369_527
    private static let a2: Float = 0.195_816

    private var isPrimed = false
    /// The slow mean: gravity, and how the sensor is turned.
    private(set) var mean = SIMD4<Float>.zero
    private var state1 = SIMD4<Float>.zero
    private var state2 = SIMD4<Float>.zero

    /// Begins with the first input's mean, unless it has begun.
    @inline(__always)
    mutating func prime(_ input: SIMD4<Float>) {
        guard !isPrimed else { return }
        isPrimed = true
        mean = input
    }

    /// Takes the next input; ``prime(_:)`` with the first one before.
    @inline(__always)
    mutating func filter(_ input: SIMD4<Float>) -> SIMD4<Float> {
        mean += (input - mean) * Self.meanGain
        let high = input - mean
        let output = high * Self.b0 + state1
        state1 = high * Self.b1 - output * Self.a1 + state2
        state2 = high * Self.b0 - output * Self.a2
        return output
    }

    /// Takes over what a copy of this filter has become: part by part, because a copy that is put back as a whole is
    /// worked on where it came from, and then stored at each input.
    @inline(__always)
    mutating func resume(_ copy: BandFilter) {
        mean = copy.mean
        state1 = copy.state1
        state2 = copy.state2
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isPrimed)
        coder.code(&mean)
        coder.code(&state1)
        coder.code(&state2)
    }
}
