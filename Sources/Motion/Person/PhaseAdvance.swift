#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The phase advance of a known rhythm in the 0.4 s around a moment: the phase difference between two Gabor transforms
/// at the rhythm's frequency, at both ends of that time (D. Gabor, "Theory of communication", 1946).
enum PhaseAdvance {
    /// The window's standard deviation, in periods, and its bounds in ticks.
    static let periodsOfDeviation: Float = 0.75
    static let leastDeviation: Float = 9
    static let mostDeviation: Float = 27
    /// The half width of the window, in standard deviations: there it has 9 % of its height.
    static let windowWidth: Float = 2.2
    /// The largest relative correction of the expected advance; beyond it the phase is another rhythm's.
    static let mostCorrection: Float = 0.15
    /// The weight of the stride relative to the step.
    static let strideWeight: Float = 0.5

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
        let sums = GaborSums(window, first...last, row: row, deviation: deviation, period: period)
        let (before, after) = (sums.before, sums.after)
        let real = (after.real * before.real + after.imaginary * before.imaginary).sum()
        let imaginary = (after.imaginary * before.real - after.real * before.imaginary).sum()
        let power = (real * real + imaginary * imaginary).squareRoot()
        return (atan2(imaginary, real) / (2 * Float.pi) * power, power)
    }
}

/// The Gabor transforms of acceleration half a block before a row and half a block after it.
private struct GaborSums {
    var before = (real: SIMD4<Float>.zero, imaginary: SIMD4<Float>.zero)
    var after = (real: SIMD4<Float>.zero, imaginary: SIMD4<Float>.zero)

    /// Not inlined: the compiler would otherwise work lane by lane.
    @inline(never)
    init(_ window: EvaluatedWindow, _ ticks: ClosedRange<Int>, row: Int, deviation: Float, period: Float) {
        let half = SignalWindow.blockTicks / 2
        var wave = Wave(step: Phasor(angle: -2 * Float.pi / period))
        var early = Gaussian(at: Float(ticks.lowerBound - row + half), deviation: deviation)
        var late = Gaussian(at: Float(ticks.lowerBound - row - half), deviation: deviation)
        for tick in ticks {
            let (real, imaginary) = (window.moved[tick] * wave.real, window.moved[tick] * wave.imaginary)
            before.real += real * early.value
            before.imaginary += imaginary * early.value
            after.real += real * late.value
            after.imaginary += imaginary * late.value
            wave.advance()
            early.advance()
            late.advance()
        }
    }
}

/// A complex wave tick by tick. Its parts fill vectors, and so do those of ``Gaussian``: where numbers stand in single
/// lanes, Swift 6.3 shuffles more than it computes.
private struct Wave {
    private(set) var real = SIMD4<Float>(repeating: 1)
    private(set) var imaginary = SIMD4<Float>.zero
    private let step: (real: SIMD4<Float>, imaginary: SIMD4<Float>)

    init(step: Phasor) {
        self.step = (SIMD4(repeating: step.real), SIMD4(repeating: step.imaginary))
    }

    @inline(__always)
    mutating func advance() {
        let turned = real * step.real - imaginary * step.imaginary
        imaginary = real * step.imaginary + imaginary * step.real
        real = turned
    }
}

/// exp(−t²/2σ²) tick by tick: the ratio of successive values changes by a constant factor.
private struct Gaussian {
    private(set) var value: SIMD4<Float>
    private var ratio: SIMD4<Float>
    private let factor: SIMD4<Float>

    init(at tick: Float, deviation: Float) {
        let precision = 1 / (deviation * deviation)
        value = SIMD4(repeating: exp(-0.5 * tick * tick * precision))
        ratio = SIMD4(repeating: exp(-(tick + 0.5) * precision))
        factor = SIMD4(repeating: exp(-precision))
    }

    @inline(__always)
    mutating func advance() {
        value *= ratio
        ratio *= factor
    }
}
