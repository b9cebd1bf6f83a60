internal import CMotion

/// A normalised autocorrelation (similarity) by lag in ticks.
struct LagCurve {
    /// Below this all values are set to 0.
    private static let forgotten: Float = 1e-9

    private var values: [Float] = Array(repeating: 0, count: BikeWindow.lagCount)

    subscript(lag: Int) -> Float { values[lag] }

    /// Lends the values.
    @inline(__always)
    func withValues<Result>(_ body: (UnsafeBufferPointer<Float>) -> Result) -> Result {
        values.withUnsafeBufferPointer(body)
    }

    /// Sets every value to zero and keeps the memory.
    mutating func clear() {
        values.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    }

    /// Lends the values to be changed.
    @inline(__always)
    mutating func withMutableValues(_ body: (UnsafeMutableBufferPointer<Float>) -> Void) {
        values.withUnsafeMutableBufferPointer { body($0) }
    }

    /// Adds another curve, times a weight.
    mutating func add(_ other: LagCurve, weight: Float) {
        for lag in values.indices { values[lag] += other[lag] * weight }
    }

    /// Moves every value towards another curve's.
    mutating func approach(_ other: LagCurve, gain: Float) {
        // No value is much greater than that at lag 0. Subnormal numbers would be slow.
        guard other[0] > 0 || values[0] > Self.forgotten else {
            if values[0] != 0 { clear() }
            return
        }
        other.values.withUnsafeBufferPointer { other in
            values.withUnsafeMutableBufferPointer { values in
                for lag in 0..<min(values.count, other.count) {
                    values[lag] += (other[lag] - values[lag]) * gain
                }
            }
        }
    }

    /// A peak of the curve.
    struct Peak {
        /// The lag in ticks, refined between lags.
        var lag: Float
        /// The height there.
        var height: Float
    }

    /// The first local maximum of at least a share of the highest one: the fundamental rather than a multiple
    /// (McLeod & Wyvill 2005, who call the share `k`).
    func firstStrongPeak(in lags: ClosedRange<Int>, share: Float) -> Peak? {
        let lags = lags.clamped(to: Self.innerLags)
        return values.withUnsafeBufferPointer { values in
            var highest: Float = 0
            for lag in lags where values[lag] > highest && Self.isMaximum(lag, values) { highest = values[lag] }
            guard highest > 0 else { return nil }
            return lags.first { values[$0] >= share * highest && Self.isMaximum($0, values) }.map(refined)
        }
    }

    /// The value between two lags, by linear interpolation.
    func value(at lag: Float) -> Float {
        let limit = Float(BikeWindow.lagCount - 2)
        let lag = lag >= 0 ? min(lag, limit) : 0
        let whole = Int(lag)
        let fraction = lag - Float(whole)
        return self[whole] + (self[whole + 1] - self[whole]) * fraction
    }

    /// The lags with a neighbour on both sides.
    private static let innerLags = 1...(BikeWindow.lagCount - 2)

    @inline(__always)
    private static func isMaximum(_ lag: Int, _ values: UnsafeBufferPointer<Float>) -> Bool {
        values[lag] > values[lag &- 1] && values[lag] >= values[lag &+ 1]
    }

    /// The vertex of the parabola through a maximum and its neighbours.
    private func refined(_ lag: Int) -> Peak {
        let (left, middle, right) = (self[lag - 1], self[lag], self[lag + 1])
        let shift = Parabola.shift(left, middle, right)
        guard abs(shift) <= 1 else { return Peak(lag: Float(lag), height: middle) }
        return Peak(lag: Float(lag) + shift, height: middle - 0.25 * (left - right) * shift)
    }

    mutating func copyValues(_ state: inout StateCopy) {
        state.elements(&values, values.indices)
    }
}

/// Cubic convolution with a = −½ (R. G. Keys, "Cubic convolution interpolation for digital image processing", IEEE Trans.
/// ASSP 29 (1981) 1153).
enum Cubic {
    /// The weights of four neighbouring values at a fraction of the way from the second to the third.
    static func weights(_ f: Float) -> SIMD4<Float> {
        let (square, cube) = (f * f, f * f * f)
        return SIMD4(
            0.5 * (-f + 2 * square - cube), 0.5 * (2 - 5 * square + 3 * cube), 0.5 * (f + 4 * square - 3 * cube),
            0.5 * (cube - square))
    }
}

/// Parabolic interpolation of a maximum.
enum Parabola {
    /// The offset of the vertex from the middle of three values, in steps; 0 where they have no maximum.
    @inline(__always)
    static func shift(_ left: Float, _ middle: Float, _ right: Float) -> Float {
        let curvature = left - 2 * middle + right
        return curvature < 0 ? 0.5 * (left - right) / curvature : 0
    }
}

/// The comb score of each period of a ``PeriodGrid``: the mean of a bike's normalised autocorrelation (similarity) at
/// one, two, three, four, six and eight periods, less the drift, −½…1.
///
/// Between two repetitions the autocorrelation of a periodic signal without a mean averages to less than 0. That of a
/// slow drift is high at every lag: its mean over the lags within a period is taken off.
struct PeriodSimilarity {
    /// The lowest score, so that a knock on the machine counts no more against a period than this.
    private static let least: Float = -0.5
    /// A mean similarity within a period up to this may be noise; above it is drift.
    private static let ordinaryMean: Float = 0.35
    /// Gain an evaluation of the smoothed scores: a time constant of 0.6 s.
    private static let smoothing: Float = 0.5

    /// The half period is not compared with a whole period of less similarity than this.
    private static let leastWhole: Float = 0.15

    private(set) var values = [Float](repeating: 0, count: PeriodGrid.paddedCount)
    private var smoothed = [Float](repeating: 0, count: PeriodGrid.paddedCount)

    /// Takes the autocorrelation of the last moments.
    mutating func push(_ curve: LagCurve) {
        curve.withValues { curve in
            PeriodGrid.shared.lend { grid in
                motion_comb(
                    curve.baseAddress, grid, Self.ordinaryMean, Self.least, Self.smoothing, &values, &smoothed)
            }
        }
    }

    /// Takes an evaluation without a similarity.
    mutating func pushNothing() {
        for step in values.indices {
            values[step] = 0
            smoothed[step] *= 1 - Self.smoothing
        }
    }

    /// The smoothed score of a period, and the period in ticks at the top of the parabola through it and its
    /// neighbours.
    func reading(at step: Int) -> (lag: Float, strength: Float) {
        guard step > 0, step < PeriodGrid.count - 1 else {
            return (PeriodGrid.shared.lags[step], smoothed[step])
        }
        let (left, middle, right) = (smoothed[step - 1], smoothed[step], smoothed[step + 1])
        let shift = min(max(Parabola.shift(left, middle, right), -1), 1)
        return (PeriodGrid.shared.lag(at: step, shift: shift), max(middle, 0))
    }

    /// The similarity at half a period, as a share of that at the whole one: −1 for a single line, above 0 where the
    /// second harmonic is stronger. Nil where half the period lies outside the grid, or the similarity is too low.
    func halfPeriodShare(at step: Int) -> Float? {
        guard step >= PeriodGrid.octave, step < PeriodGrid.count, smoothed[step] > Self.leastWhole else { return nil }
        // Even multiples of half a period are whole periods: the mean of the odd ones is left.
        let all = PeriodGrid.shared.multipleCounts[step - PeriodGrid.octave]
        let odd: Float = all > 2 ? 2 : 1
        return (all * smoothed[step - PeriodGrid.octave] / smoothed[step] - (all - odd)) / odd
    }

    mutating func reset() {
        for step in values.indices {
            values[step] = 0
            smoothed[step] = 0
        }
    }

    mutating func copyValues(_ state: inout StateCopy) {
        state.elements(&smoothed, smoothed.indices)
    }
}
