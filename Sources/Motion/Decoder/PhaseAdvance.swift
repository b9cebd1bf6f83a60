#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The phase advance of a known rhythm in the 0.4 s around a moment: the phase difference between two Gabor transforms
/// at the rhythm's frequency, at both ends of that time (D. Gabor, "Theory of communication", 1946).
enum PhaseAdvance {
    /// Cycles of a period, in ticks, around a row of the window. For steps the stride contributes, too.
    static func cycles(_ window: EvaluatedWindow, row: Int, period: Float, isStep: Bool) -> Float {
        let expected = Float(SignalWindow.blockTicks) / period
        var (sum, weights) = turn(window, row: row, period: period)
        if isStep {
            let stride = turn(window, row: row, period: 2 * period)
            sum += 2 * strideWeight * stride.sum
            weights += strideWeight * stride.weight
        }
        let correction = weights > 0 ? sum / weights : 0
        return abs(correction) < mostCorrection * expected ? expected + correction : expected
    }

    /// The phase advance beyond the expected one, in cycles, times its power, and the power.
    private static func turn(
        _ window: EvaluatedWindow, row: Int, period: Float
    ) -> (sum: Float, weight: Float) {
        let deviation = min(max(periodsOfDeviation * period, leastDeviation), mostDeviation)
        let reach = Int(windowWidth * deviation)
        let half = SignalWindow.blockTicks / 2
        let first = max(row - half - reach, 0)
        let last = min(row + half + reach, SignalWindow.tickCount - 1)
        let step = Phasor(angle: -2 * Float.pi / period)
        var wave = Phasor(real: 1, imaginary: 0)
        var early = Gaussian(at: Float(first - row + half), deviation: deviation)
        var late = Gaussian(at: Float(first - row - half), deviation: deviation)
        var before = (real: SIMD4<Float>.zero, imaginary: SIMD4<Float>.zero)
        var after = before
        for tick in first...last {
            let (real, imaginary) = (window.moved[tick] * wave.real, window.moved[tick] * wave.imaginary)
            before.real += real * early.value
            before.imaginary += imaginary * early.value
            after.real += real * late.value
            after.imaginary += imaginary * late.value
            wave = wave.times(step)
            early.advance()
            late.advance()
        }
        let real = (after.real * before.real + after.imaginary * before.imaginary).sum()
        let imaginary = (after.imaginary * before.real - after.real * before.imaginary).sum()
        let power = (real * real + imaginary * imaginary).squareRoot()
        return (atan2(imaginary, real) / (2 * Float.pi) * power, power)
    }
}

/// exp(−t²/2σ²) tick by tick: the ratio of successive values changes by a constant factor.
private struct Gaussian {
    private(set) var value: Float
    private var ratio: Float
    private let factor: Float

    init(at tick: Float, deviation: Float) {
        let precision = 1 / (deviation * deviation)
        value = exp(-0.5 * tick * tick * precision)
        ratio = exp(-(tick + 0.5) * precision)
        factor = exp(-precision)
    }

    mutating func advance() {
        value *= ratio
        ratio *= factor
    }
}
