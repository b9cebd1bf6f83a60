/// Stands in for gravity where a sensor sends acceleration without it.
///
/// With gravity |a| says how a body rises and falls, however the sensor is turned. Without it |a| is the same up and
/// down, and a step is two bumps. Feet jolt a body along the vertical more than along any other axis, and arms and
/// thighs swing smoothly: so gravity is put back along the axis of the sensor along which acceleration changes most,
/// the first principal component of its changes of late (I. T. Jolliffe, "Principal Component Analysis"), found by
/// power iteration, a step a tick. Whether up or down does not matter.
struct JoltAxis {
    /// 1 − exp(−0.04 s / 4 s).
    private static let gain: Float = 0.009_95
    /// The first ticks are averaged evenly until the average has its gain.
    private static let startTicks: Float = 100
    /// Changes of less than this, (m/s²)², have no axis.
    private static let leastSquare: Float = 1e-6

    /// The acceleration of the last tick and of the one before.
    private var last = SIMD4<Float>.zero
    private var earlier = SIMD4<Float>.zero
    /// The mean products of changes along x, y and z: those along one axis, and xy, yz, zx.
    private var squares = SIMD4<Float>.zero
    private var products = SIMD4<Float>.zero
    private var axis = SIMD4<Float>(0, 0, 1, 0)
    private var tickCount: Float = 0

    /// Takes the next acceleration, x, y, z and |a|, and puts what |a| would be with gravity in the place of that.
    mutating func raise(_ input: SIMD4<Float>) -> SIMD4<Float> {
        tickCount += tickCount < Self.startTicks ? 1 : 0
        // Over two ticks, because from one to the next noise and slow sampling change most.
        if tickCount > 2 { learn(input - earlier) }
        (earlier, last) = (last, input)
        var raised = input
        raised.w = (input + axis * UnitGauge.standardGravity).axesSquareSum.squareRoot()
        return raised
    }

    private mutating func learn(_ change: SIMD4<Float>) {
        let gain = max(Self.gain, 1 / tickCount)
        let next = SIMD4(change.y, change.z, change.x, 0)
        squares += (change * change - squares) * gain
        products += (change * next - products) * gain
        let turned = SIMD4(
            squares.x * axis.x + products.x * axis.y + products.z * axis.z,
            products.x * axis.x + squares.y * axis.y + products.y * axis.z,
            products.z * axis.x + products.y * axis.y + squares.z * axis.z, 0)
        let length = turned.axesSquareSum.squareRoot()
        if length > Self.leastSquare { axis = turned / length }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&last)
        coder.code(&earlier)
        coder.code(&squares)
        coder.code(&products)
        coder.code(&axis)
        coder.code(&tickCount)
    }
}
