/// Restores gravity in |a| where a sensor sends acceleration without it.
///
/// With gravity, |a| tells how a body rises and falls, however the sensor is turned. Without it |a| is the same up and
/// down, and a step has two peaks. Footfalls shake a body along the vertical with each step, while arms and thighs
/// swing across it once in two. So gravity is added along the axis with the highest ratio of fast to slow movement: the
/// first eigenvector of a pencil of two covariances (B. N. Parlett, "The Symmetric Eigenvalue Problem", SIAM 1998,
/// chapter 15), by power iteration, one step a tick. Its sign does not matter.
///
/// For simulated and recorded walkers without gravity, the mean cosine between this axis and the vertical was 0.85 to 1
/// in nearly every group. For the axis of the greatest change of acceleration it was 0.2 to 0.5 on limbs.
struct VerticalAxisEstimator {
    /// 1 − exp(−2π · 1.2 Hz / 25 Hz). Two such low-passes leave strides, but not steps and impacts.
    static let slowGain: Float = 0.260_4
    /// 1 − exp(−0.04 s / 4 s).
    static let gain: Float = 0.009_95
    /// The first ticks are averaged evenly until the average has its gain.
    static let startTicks: Float = 100
    /// A regularisation: the least slow movement of an axis, as a share of all movement.
    static let leastSlowShare: Float = 0.03
    /// The least movement with an axis, (m/s²)².
    static let leastSquare: Float = 1e-6

    private var slow = SIMD4<Float>.zero
    private var slower = SIMD4<Float>.zero
    private var quickProducts = AxisProducts()
    private var slowProducts = AxisProducts()
    private var axis = SIMD4<Float>(0, 0, 1, 0)
    private var tickCount: Float = 0

    /// Takes the next acceleration, x, y, z and |a|, and returns it with |a| as it would be with gravity.
    mutating func raise(_ input: SIMD4<Float>) -> SIMD4<Float> {
        learn(input)
        turn()
        var raised = input
        raised.w = (input + axis * UnitDetector.standardGravity).axesSquareSum.squareRoot()
        return raised
    }

    private mutating func learn(_ input: SIMD4<Float>) {
        tickCount += tickCount < Self.startTicks ? 1 : 0
        let gain = max(Self.gain, 1 / tickCount)
        slow += (input - slow) * Self.slowGain
        slower += (slow - slower) * Self.slowGain
        quickProducts.learn(input - slower, gain: gain)
        slowProducts.learn(slower, gain: gain)
    }

    /// One step of the power iteration.
    private mutating func turn() {
        let movement = quickProducts.trace + slowProducts.trace
        guard movement > Self.leastSquare else { return }
        let slowly = slowProducts.scaled(1 / movement, plus: Self.leastSlowShare)
        let turned = slowly.adjugate.times(quickProducts.scaled(1 / movement).times(axis))
        let length = turned.axesSquareSum.squareRoot()
        if length > .leastNormalMagnitude { axis = turned / length }
    }
}

/// A running covariance of three axes: a symmetric 3 × 3 matrix.
struct AxisProducts {
    /// xx, yy and zz.
    private var squares = SIMD4<Float>.zero
    /// xy, yz and zx.
    private var mixed = SIMD4<Float>.zero

    /// The mean square of the vector.
    var trace: Float { squares.x + squares.y + squares.z }

    /// Adds the products of a vector's x, y and z to the exponential mean.
    mutating func learn(_ vector: SIMD4<Float>, gain: Float) {
        squares += (vector * vector - squares) * gain
        mixed += (vector * SIMD4(vector.y, vector.z, vector.x, 0) - mixed) * gain
    }

    /// The matrix times `factor`, plus `more` on the diagonal.
    func scaled(_ factor: Float, plus more: Float = 0) -> AxisProducts {
        var scaled = self
        scaled.squares = squares * factor + SIMD4(more, more, more, 0)
        scaled.mixed = mixed * factor
        return scaled
    }

    /// The product with a vector.
    func times(_ vector: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(
            squares.x * vector.x + mixed.x * vector.y + mixed.z * vector.z,
            mixed.x * vector.x + squares.y * vector.y + mixed.y * vector.z,
            mixed.z * vector.x + mixed.y * vector.y + squares.z * vector.z, 0)
    }

    /// The matrix of cofactors: the inverse, times the determinant.
    var adjugate: AxisProducts {
        var adjugate = AxisProducts()
        adjugate.squares = SIMD4(
            squares.y * squares.z - mixed.y * mixed.y, squares.x * squares.z - mixed.z * mixed.z,
            squares.x * squares.y - mixed.x * mixed.x, 0)
        adjugate.mixed = SIMD4(
            mixed.z * mixed.y - mixed.x * squares.z, mixed.x * mixed.z - squares.x * mixed.y,
            mixed.x * mixed.y - mixed.z * squares.y, 0)
        return adjugate
    }
}
