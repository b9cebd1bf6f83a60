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

/// How coarsely a device rounds its acceleration: the sums of the axes of any two samples differ by whole grains. The least
/// difference of many is one grain, or less than it where the device is fine.
struct Grain {
    /// Differences below this are those of binary fractions, m/s² or g.
    private static let leastDifference: Float = 0.01
    /// So many are looked at: those of a runner are seldom small.
    private static let needed: Float = 120
    /// The largest grain that tells steps, m/s².
    private static let most: Float = 3

    private var last: Float = 0
    private var least: Float = 1000
    private var count: Float = 0

    /// Whether a step changes the acceleration by little more than one grain.
    /// - Parameter scale: What the device's unit is multiplied by to be m/s².
    func isCoarse(scale: Float) -> Bool { count == Self.needed && least * scale > Self.most }

    /// Takes a sample's acceleration, once an evaluation.
    mutating func take(_ acceleration: SIMD3<Float>) {
        let sum = acceleration.sum()
        let difference = abs(sum - last)
        last = sum
        guard difference > Self.leastDifference else { return }
        (least, count) = (min(least, difference), min(count + 1, Self.needed))
    }
}
