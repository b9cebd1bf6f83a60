/// Running mean squares of the signal, over a few seconds and over half a second.
struct SignalEnergies {
    /// Which square sits in which lane: sums over axes, and squares of |a|.
    enum Lane: Int {
        /// Filtered acceleration, all axes.
        case vector
        /// Filtered angular velocity.
        case turning
        /// Filtered |a|.
        case norm
        /// Magnetic field without its mean.
        case field
    }

    /// The squares of a tick: of filtered acceleration with |a|, of filtered angular velocity and of the field.
    @inline(__always)
    static func squares(_ moved: SIMD4<Float>, turned: SIMD4<Float>, field: Float) -> SIMD4<Float> {
        SIMD4(moved.axesSquareSum, turned.axesSquareSum, moved.w * moved.w, field)
    }

    /// 1 − exp(−0.04 s / 2.5 s).
    private static let slowGain: Float = 0.015_87
    /// 1 − exp(−0.04 s / 0.4 s).
    private static let shortGain: Float = 0.095_16

    /// The first ticks are averaged evenly until the slow average has its gain.
    private static let startTicks: Float = 64

    private var slow = SIMD4<Float>.zero
    private var short = SIMD4<Float>.zero
    private var tickCount: Float = 0

    mutating func reset() {
        self = SignalEnergies()
    }

    /// Takes the squares of ticks.
    @inline(__always)
    mutating func push(_ ticks: UnsafeMutableBufferPointer<FilteredTick>) {
        for tick in ticks { push(tick.squares) }
    }

    @inline(__always)
    private mutating func push(_ squares: SIMD4<Float>) {
        var (slowGain, shortGain) = (Self.slowGain, Self.shortGain)
        if tickCount < Self.startTicks {
            tickCount += 1
            slowGain = max(slowGain, 1 / tickCount)
            shortGain = max(shortGain, 1 / tickCount)
        }
        slow += (squares - slow) * slowGain
        short += (squares - short) * shortGain
    }

    /// Mean square over the last seconds (time constant 2.5 s).
    func slowSquare(_ lane: Lane) -> Float {
        max(slow[lane.rawValue], 0)
    }

    /// Root mean square over the last seconds (time constant 2.5 s).
    func slowDeviation(_ lane: Lane) -> Float {
        max(slow[lane.rawValue], 0).squareRoot()
    }

    /// Root mean square over the last moments (time constant 0.4 s).
    func shortDeviation(_ lane: Lane) -> Float {
        max(short[lane.rawValue], 0).squareRoot()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&slow)
        coder.code(&short)
        coder.code(&tickCount)
    }
}
