/// Settles whether acceleration arrives in m/s² or in g, and whether gravity is in it: the mean of two seconds is
/// gravity, about 9.8 or about 1, or nothing. It is settled anew when six seconds speak against it.
struct UnitDetector {
    /// Of the ticks that are weighed, and then of the means that may speak against what is settled.
    private var sum = SIMD4<Float>.zero
    private var count = 0
    /// Of such means in the sum.
    private var evaluations = 0
    /// Whether the device has said that gravity is not in it.
    private var isTold = false
    private(set) var isInG = false
    private(set) var isWithoutGravity = false

    var scale: Float { isInG ? Self.standardGravity : 1 }

    /// Whether ticks are still weighed.
    var isSettling: Bool { count < Self.settlingTicks }

    /// Weighs a tick in the unit that arrives. True when what was believed so far turned out wrong.
    mutating func weigh(_ acceleration: SIMD4<Float>) -> Bool {
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

    /// Takes the device's word that its acceleration is in m/s² and without gravity; once, because what it sends may tell
    /// better later. True when something else was believed so far.
    mutating func tellWithoutGravity() -> Bool {
        guard !isTold else { return false }
        let isNew = isInG || !isWithoutGravity
        (isTold, isInG, isWithoutGravity) = (true, false, true)
        (sum, count, evaluations) = (.zero, Self.settlingTicks, 0)
        return isNew
    }

    /// Takes the slow mean of the acceleration as it is counted, m/s², once an evaluation.
    ///
    /// - Parameter turnsOver: Whether what carries the sensor may turn it round and round, as a crank does, so that
    ///   gravity adds up to nothing.
    mutating func doubt(_ mean: SIMD4<Float>, turnsOver: Bool) {
        guard !isSettling else { return }
        // What is left of gravity where a hand turns a sensor is soon gone, and what is none adds up to little: one mean
        // is enough to keep the one belief, and all together must hold up the other.
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

    /// Whether a mean is what it would be if all were as it is settled.
    private func isPlausible(_ mean: SIMD4<Float>) -> Bool {
        let gravity = mean.axesSquareSum.squareRoot()
        return isWithoutGravity
            ? gravity < Self.leastGravity && !Self.gravityRange.contains(gravity)
            : gravity > Self.leastGravity && gravity < Self.standardRange.upperBound * Self.standardGravity
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&sum)
        coder.code(&count, in: 0...Self.settlingTicks)
        coder.code(&evaluations, in: 0...Self.doubtEvaluations)
        coder.code(&isTold)
        coder.code(&isInG)
        coder.code(&isWithoutGravity)
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
