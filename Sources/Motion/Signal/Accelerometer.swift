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

/// Finds whether acceleration is in m/s² or in g, and whether it includes gravity: its mean over two seconds is about
/// 9.8, about 1 or about 0. Six seconds of evidence to the contrary change the answer.
struct UnitDetector {
    /// Standard gravity, m/s² (BIPM, CGPM 1901).
    static let standardGravity: Float = 9.806_65
    /// Ticks before the first answer is final: 2 s.
    static let settlingTicks = 50
    /// The range of the mean of |a| of a sensor in g.
    static let standardRange: ClosedRange<Float> = 0.5...2.2
    /// The range of gravity in g, and its least share of the mean of |a|: movement without gravity has a mean of |a|,
    /// but hardly one along an axis.
    static let gravityRange: ClosedRange<Float> = 0.8...1.25
    static let leastGravityShare: Float = 0.5
    /// The highest first tick without gravity, m/s².
    static let restingLimit: Float = 1
    /// The least mean that is gravity, m/s².
    static let leastGravity: Float = 4
    /// Evaluations (0.4 s) of contrary evidence that change the answer: 6 s.
    static let doubtEvaluations = 15

    /// The sum of ticks while settling; after that, of means that contradict the answer.
    private var sum = SIMD4<Float>.zero
    private var count = 0
    /// The number of such means.
    private var evaluations = 0
    /// Whether the device has stated that gravity is not included.
    private var isTold = false
    private(set) var isInG = false
    private(set) var isWithoutGravity = false

    var scale: Float { isInG ? Self.standardGravity : 1 }

    /// Whether the answer is provisional.
    var isSettling: Bool { count < Self.settlingTicks }

    /// Takes a tick in the unit of the device. True where the provisional answer was wrong.
    mutating func push(_ acceleration: SIMD4<Float>) -> Bool {
        guard isSettling else { return false }
        count += 1
        sum += acceleration
        guard count == 1 || count == Self.settlingTicks else { return false }
        let mean = sum / Float(count)
        let gravity = mean.axesSquareSum.squareRoot()
        if count > 1 { sum = .zero }
        let before = (isInG, isWithoutGravity)
        isInG =
            Self.standardRange.contains(mean.w) && Self.gravityRange.contains(gravity)
            && gravity > Self.leastGravityShare * mean.w
        isWithoutGravity = !isInG && gravity < (count > 1 ? Self.leastGravity : Self.restingLimit)
        return count > 1 && before != (isInG, isWithoutGravity)
    }

    /// Takes the device's statement that its acceleration is in m/s² and without gravity; only the first time, because
    /// the signal may show otherwise later. True where the answer was another.
    mutating func markWithoutGravity() -> Bool {
        guard !isTold else { return false }
        let isNew = isInG || !isWithoutGravity
        (isTold, isInG, isWithoutGravity) = (true, false, true)
        (sum, count, evaluations) = (.zero, Self.settlingTicks, 0)
        return isNew
    }

    /// Takes the slow mean of the acceleration, m/s², once an evaluation.
    /// - Parameter turnsOver: Whether the sensor may rotate with a crank, so that gravity averages to 0.
    mutating func doubt(_ mean: SIMD4<Float>, turnsOver: Bool) {
        guard !isSettling else { return }
        // Without gravity, or on a crank, a single plausible mean keeps the answer. With gravity, which a hand may turn
        // away for a moment, the mean of all must be plausible.
        let isEnough = isWithoutGravity || turnsOver
        if isEnough, isPlausible(mean) {
            (sum, evaluations) = (.zero, 0)
            return
        }
        sum += mean
        evaluations += 1
        guard evaluations == Self.doubtEvaluations else { return }
        if isEnough || !isPlausible(sum / Float(evaluations)) { count = 0 }
        (sum, evaluations) = (.zero, 0)
    }

    /// Whether a mean agrees with the answer.
    private func isPlausible(_ mean: SIMD4<Float>) -> Bool {
        let gravity = mean.axesSquareSum.squareRoot()
        return isWithoutGravity
            ? gravity < Self.leastGravity && !Self.gravityRange.contains(gravity)
            : gravity > Self.leastGravity && gravity < Self.standardRange.upperBound * Self.standardGravity
    }
}

extension SIMD3<Float> {
    /// The sum of the squares.
    @inline(__always)
    var squareSum: Float { x * x + y * y + z * z }
}

extension SIMD4<Float> {
    /// The sum of the squares of x, y and z.
    @inline(__always)
    var axesSquareSum: Float { x * x + y * y + z * z }
}
