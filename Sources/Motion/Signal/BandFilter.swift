/// Removes gravity and slow turning (one-pole high-pass at 0.4 Hz) and what is faster than any limb (second-order
/// Butterworth low-pass at 5 Hz by the bilinear transform), on four channels at 25 Hz.
struct BandFilter {
    /// 1 − exp(−2π · 0.4 Hz / 25 Hz).
    private static let meanGain: Float = 0.0956
    // With K = tan(π · 5 Hz / 25 Hz) and g = 1 / (1 + √2·K + K²): b = g·K²·(1, 2, 1), a = (1, 2g(K² − 1), g(1 − √2·K + K²)).
    private static let b0: Float = 0.206_572
    private static let b1: Float = 0.413_144
    private static let a1: Float = -0.369_527
    private static let a2: Float = 0.195_816

    private var isPrimed = false
    private var mean = SIMD4<Float>.zero
    private var state1 = SIMD4<Float>.zero
    private var state2 = SIMD4<Float>.zero
    /// The input without its slow mean, before the low-pass.
    private(set) var detrended = SIMD4<Float>.zero
    /// How much ``detrended`` changed since the tick before.
    private(set) var difference = SIMD4<Float>.zero

    /// The slow mean: gravity, for acceleration.
    var slowMean: SIMD4<Float> { mean }

    @inline(__always)
    mutating func filter(_ input: SIMD4<Float>) -> SIMD4<Float> {
        if !isPrimed {
            isPrimed = true
            mean = input
        }
        mean += (input - mean) * Self.meanGain
        let high = input - mean
        difference = high - detrended
        detrended = high
        let output = high * Self.b0 + state1
        state1 = high * Self.b1 - output * Self.a1 + state2
        state2 = high * Self.b0 - output * Self.a2
        return output
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isPrimed)
        coder.code(&mean)
        coder.code(&state1)
        coder.code(&state2)
        coder.code(&detrended)
        coder.code(&difference)
    }
}
