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
