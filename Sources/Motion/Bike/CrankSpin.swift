#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts by a gyroscope that turns with the crank. Where there is an accelerometer too, gravity tells the rate of
/// cranks without the gyroscope's error of scale, and this counts faster rotations alone.
extension CrankCounter {
    /// Evaluations (0.4 s) that must agree.
    private static let neededEvaluations = 3
    /// The delay of the start, µs: the time constant of the mean, half an evaluation, and those that must agree.
    private static let openingMicroseconds: Int64 = 1_600_000
    /// Faster than any crank, revolutions a second.
    private static let wheelRate: Float = 4.5

    /// Counts by a steady axis of rotation. False where there is none.
    mutating func followsSpin(_ features: SignalFeatures, into events: inout MotionEvents) -> Bool {
        let now = features.timeMicroseconds
        guard let spin = spin.spin, !features.sensors.contains(.acceleration) || spin.rate > Self.wheelRate else {
            if isSpinning { close(at: now, into: &events) }
            return false
        }
        if !isSpinning { close(at: now, into: &events) }
        isSpinning = true
        spinRate = spin.rate
        strength = spin.strength
        spinEvaluations = min(spinEvaluations + 1, Self.neededEvaluations)
        guard spinEvaluations >= Self.neededEvaluations else { return true }
        if !isOpen {
            isOpen = true
            integrator.start(at: now - Self.openingMicroseconds)
        }
        integrator.advance(to: now, ratePerSecond: spinRate, into: &events)
        return true
    }
}

/// The rate of a gyroscope on a crank or pedal: the length of its mean vector, where that is steady.
struct RotationRateEstimator {
    /// 1 − exp(−0.04 s / 0.6 s).
    private static let gain: Float = 0.064_5
    /// The slowest rate, rad/s: 13 rpm.
    private static let leastRate: Float = 1.4
    /// The least share of the mean's square in the mean square.
    private static let leastShare: Float = 0.6

    private var mean = SIMD4<Float>.zero
    private var energy: Float = 0

    mutating func push(_ ticks: UnsafeMutableBufferPointer<Tick>) {
        // A copy, which stays in registers.
        var (mean, energy) = (mean, energy)
        for tick in ticks {
            mean += (tick.angularVelocity - mean) * Self.gain
            energy += (tick.angularVelocity.axesSquareSum - energy) * Self.gain
        }
        (self.mean, self.energy) = (mean, energy)
    }

    /// Revolutions a second, and the share of the mean, 0…1; nil without a steady rotation.
    var spin: (rate: Float, strength: Float)? {
        let square = mean.axesSquareSum
        guard square > Self.leastRate * Self.leastRate, square > Self.leastShare * energy else { return nil }
        return (square.squareRoot() / (2 * .pi), min(square / energy, 1))
    }
}
