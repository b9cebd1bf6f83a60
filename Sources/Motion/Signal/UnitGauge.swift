/// Settles once whether acceleration arrives in m/s² or in g, and whether gravity is in it: the mean of two seconds is
/// gravity, about 9.8 or about 1, or nothing.
struct UnitGauge {
    /// Standard gravity, m/s² (BIPM, CGPM 1901).
    static let standardGravity: Float = 9.806_65
    /// Samples are weighed for this many ticks: 2 s.
    static let settlingTicks = 50

    private var sum = SIMD4<Float>.zero
    private var count = 0
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
        let before = isInG
        isInG = (0.5...2.2).contains(mean.w) && gravity > 0.5
        isWithoutGravity = !isInG && gravity < 4
        return count > 1 && before != isInG
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&sum)
        coder.code(&count, in: 0...Self.settlingTicks)
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
