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
    var isWithoutGravity: Bool { unit.isWithoutGravity }
    /// Whether ticks are converted one by one, because the unit may change at any of them.
    var isSettling: Bool { unit.isSettling }

    /// Converts a tick's acceleration. True where earlier ticks were taken for another unit or part: what was made of
    /// them is wrong.
    @inline(__always)
    mutating func convert(_ tick: inout Tick) -> Bool {
        guard tick.sensors.contains(.acceleration) else {
            isLive = false
            return false
        }
        let wasWrong = unit.isSettling && unit.push(tick.acceleration)
        if wasWrong { reset() }
        tick.acceleration *= unit.scale
        if unit.isWithoutGravity { tick.acceleration = joltAxis.raise(tick.acceleration) }
        if !isLive { gravity = tick.acceleration }
        isLive = true
        gravity += (tick.acceleration - gravity) * Self.gravityGain
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
