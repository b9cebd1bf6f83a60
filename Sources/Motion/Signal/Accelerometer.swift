/// A device's accelerometer, in m/s² and with gravity in |a|, whichever unit and part of it the device sends.
struct Accelerometer {
    /// The gain of the slow mean: 1 − exp(−2π · 0.4 Hz / 25 Hz).
    private static let gravityGain: Float = 0.0956

    private var unit = UnitDetector()
    private var joltAxis = VerticalAxisEstimator()
    /// The slow mean of the acceleration, m/s².
    private(set) var gravity = SIMD4<Float>.zero
    private var isLive = false

    var isInG: Bool { unit.isInG }
    /// What its numbers are multiplied by to be in m/s².
    var scale: Float { unit.scale }
    var isWithoutGravity: Bool { unit.isWithoutGravity }
    /// Whether ticks are converted one by one, because the unit may change at any of them.
    var isSettling: Bool { unit.isSettling }

    /// Converts the acceleration of ticks of the same sensors; of one while it is settling. True where earlier ticks were
    /// taken for another unit or part: what was made of them is wrong.
    mutating func convert(_ ticks: UnsafeMutableBufferPointer<Tick>) -> Bool {
        guard let first = ticks.first, first.sensors.contains(.acceleration) else {
            isLive = false
            return false
        }
        let wasWrong = unit.isSettling && unit.push(first.acceleration)
        if wasWrong { reset() }
        let (scale, isWithoutGravity) = (unit.scale, unit.isWithoutGravity)
        // A copy, which stays in a register.
        var mean = gravity
        for index in ticks.indices {
            var moved = ticks[index].acceleration * scale
            if isWithoutGravity { moved = joltAxis.raise(moved) }
            ticks[index].acceleration = moved
            if !isLive { (mean, isLive) = (moved, true) }
            mean += (moved - mean) * Self.gravityGain
        }
        gravity = mean
        return wasWrong
    }

    /// Doubts the unit and the part, once an evaluation.
    /// - Parameter turnsOver: Whether the sensor may turn through gravity, as on a crank.
    mutating func doubt(turnsOver: Bool) {
        if isLive { unit.doubt(gravity, turnsOver: turnsOver) }
    }

    /// Takes the device's statement that its acceleration is in m/s² and without gravity. True where it was taken for
    /// another.
    mutating func markWithoutGravity() -> Bool {
        let wasWrong = unit.markWithoutGravity()
        if wasWrong { reset() }
        return wasWrong
    }

    /// Forgets the signal, and keeps its unit.
    mutating func reset() {
        let known = unit
        self = Accelerometer()
        unit = known
    }
}
