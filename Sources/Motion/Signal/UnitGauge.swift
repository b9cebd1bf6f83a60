/// Settles whether acceleration arrives in m/s² or in g, and whether gravity is in it: the mean of two seconds is
/// gravity, about 9.8 or about 1, or nothing. It is settled anew when six seconds speak against it.
struct UnitGauge {
    /// Standard gravity, m/s² (BIPM, CGPM 1901).
    static let standardGravity: Float = 9.806_65
    /// Samples are weighed for this many ticks: 2 s.
    static let settlingTicks = 50

    /// What the mean of gravity in g may be, and how much of |a| it is at least: what moves without gravity has a mean
    /// of |a| too, but hardly one along any axis.
    private static let standardRange: ClosedRange<Float> = 0.5...2.2
    private static let leastGravityShare: Float = 0.5
    /// What stays in this range, m/s², is gravity in g after all.
    private static let steadyRange: ClosedRange<Float> = 0.8...1.25
    /// A first tick without gravity is less than this, m/s², unless it moves, as one with gravity may be that falls.
    private static let restingLimit: Float = 1
    /// Less than this, m/s², is not gravity.
    private static let leastGravity: Float = 4
    /// Evaluations (0.4 s) that must speak against what is settled.
    private static let mostDoubts = 15

    private var sum = SIMD4<Float>.zero
    private var count = 0
    private var doubts = 0
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
        let gravity = (mean * SIMD4(1, 1, 1, 0)).squareSum.squareRoot()
        let before = (isInG, isWithoutGravity)
        isInG =
            Self.standardRange.contains(mean.w) && gravity > Self.standardRange.lowerBound
            && gravity > Self.leastGravityShare * mean.w
        isWithoutGravity = !isInG && gravity < (count > 1 ? Self.leastGravity : Self.restingLimit)
        return count > 1 && before != (isInG, isWithoutGravity)
    }

    /// Takes the slow mean of the acceleration as it is counted, m/s², once an evaluation.
    mutating func doubt(_ mean: SIMD4<Float>) {
        guard !isSettling else { return }
        let gravity = mean.axesSquareSum.squareRoot()
        let isLikely =
            isWithoutGravity
            ? gravity < Self.leastGravity && !Self.steadyRange.contains(gravity)
            : gravity > Self.leastGravity && gravity < Self.standardRange.upperBound * Self.standardGravity
        doubts = isLikely ? 0 : doubts + 1
        guard doubts >= Self.mostDoubts else { return }
        (sum, count, doubts) = (.zero, 0, 0)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&sum)
        coder.code(&count, in: 0...Self.settlingTicks)
        coder.code(&doubts, in: 0...Self.mostDoubts)
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
    /// The sum of the squares of all lanes.
    @inline(__always)
    var squareSum: Float { (self * self).sum() }
    /// The sum of the squares of x, y and z.
    @inline(__always)
    var axesSquareSum: Float { x * x + y * y + z * z }
}
