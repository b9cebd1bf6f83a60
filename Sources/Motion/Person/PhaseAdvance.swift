internal import CMotion

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
    private static func turn(_ window: EvaluatedWindow, row: Int, period: Float) -> (sum: Float, weight: Float) {
        let deviation = min(max(periodsOfDeviation * period, leastDeviation), mostDeviation)
        let reach = Int(windowWidth * deviation)
        let half = SignalWindow.blockTicks / 2
        let first = max(row - half - reach, 0)
        let last = min(row + half + reach, SignalWindow.tickCount - 1)
        let windows = motion_gaussians(
            early: Float(first - row + half), late: Float(first - row - half), deviation: deviation)
        let wave = Phasor(angle: -2 * Float.pi / period)
        var turn: (real: Float, imaginary: Float) = (0, 0)
        withUnsafeMutableBytes(of: &turn) { turn in
            withUnsafePointer(to: windows) {
                motion_gabor(
                    window.rows + first * EvaluatedWindow.rowFloats, last - first + 1, wave.real, wave.imaginary, $0,
                    turn.baseAddress?.assumingMemoryBound(to: Float.self))
            }
        }
        let power = (turn.real * turn.real + turn.imaginary * turn.imaginary).squareRoot()
        return (atan2(turn.imaginary, turn.real) / (2 * Float.pi) * power, power)
    }
}

extension motion_gaussians {
    /// exp(−t²/2σ²) half a block before a moment and half a block after it: the ratio of successive values changes by a
    /// constant factor.
    /// - Parameter early: The first tick after the middle of the early window.
    fileprivate init(early: Float, late: Float, deviation: Float) {
        let precision = 1 / (deviation * deviation)
        func value(_ tick: Float) -> Float { exp(-0.5 * tick * tick * precision) }
        func ratio(_ tick: Float) -> Float { exp(-(tick + 0.5) * precision) }
        self.init(value: (value(early), value(late)), ratio: (ratio(early), ratio(late)), factor: exp(-precision))
    }
}
