#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A gyroscope on a crank or pedal turns with it: its mean is a steady axis, and its length the cadence.
struct RotationRateEstimator {
    /// 1 − exp(−0.04 s / 0.6 s).
    private static let gain: Float = 0.064_5
    /// Slowest spin believed, rad/s: 13 rpm.
    private static let leastRate: Float = 1.4
    /// Least share of the mean in the energy.
    private static let leastShare: Float = 0.6

    private var mean = SIMD4<Float>.zero
    private var energy: Float = 0

    @inline(__always)
    mutating func push(_ angularVelocity: SIMD4<Float>) {
        mean += (angularVelocity - mean) * Self.gain
        energy += (angularVelocity.axesSquareSum - energy) * Self.gain
    }

    /// Revolutions a second and how steady the axis is, or nil when nothing spins.
    var spin: (rate: Float, strength: Float)? {
        let square = mean.axesSquareSum
        guard square > Self.leastRate * Self.leastRate, square > Self.leastShare * energy else { return nil }
        return (square.squareRoot() / (2 * .pi), min(square / energy, 1))
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&mean)
        coder.code(&energy)
    }
}
