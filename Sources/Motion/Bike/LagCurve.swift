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
