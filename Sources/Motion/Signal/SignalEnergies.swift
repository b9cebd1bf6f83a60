/// Running mean squares of the signal, over a few seconds and over half a second.
struct SignalEnergies {
    /// Which square sits in which lane: sums over axes, and squares of |a|.
    enum Lane: Int {
        /// Filtered acceleration, all axes.
        case vector
        /// Acceleration without its mean, unfiltered.
        case wide
        /// Change of that from tick to tick.
        case change
        /// Filtered angular velocity.
        case turning
        /// Filtered |a|.
        case norm
        /// |a| without its mean, unfiltered.
        case normWide
        /// Change of that from tick to tick.
        case normChange
        /// Magnetic field without its mean.
        case field
    }

    /// The squares of a tick: of filtered acceleration, of unfiltered, of its change, of filtered angular velocity and
    /// of the field.
    @inline(__always)
    static func squares(
        _ moved: SIMD4<Float>, wide: SIMD4<Float>, change: SIMD4<Float>, turned: SIMD4<Float>, field: Float
    ) -> SIMD8<Float> {
        let x = SIMD4(moved.x, wide.x, change.x, turned.x)
        let y = SIMD4(moved.y, wide.y, change.y, turned.y)
        let z = SIMD4(moved.z, wide.z, change.z, turned.z)
        let norms = SIMD4(moved.w, wide.w, change.w, 0)
        var high = norms * norms
        high.w = field
        return SIMD8(lowHalf: x * x + y * y + z * z, highHalf: high)
    }

    /// 1 − exp(−0.04 s / 2.5 s).
    private static let slowGain: Float = 0.015_87
    /// 1 − exp(−0.04 s / 0.4 s).
    private static let shortGain: Float = 0.095_16

    /// The first ticks are averaged evenly until the slow average has its gain.
    private static let startTicks: Float = 64

    private var slowAverages = EightFloats()
    private var shortAverages = EightFloats()
    private var tickCount: Float = 0

    private var slow: SIMD8<Float> {
        get { slowAverages.vector }
        set { slowAverages.vector = newValue }
    }

    private var short: SIMD8<Float> {
        get { shortAverages.vector }
        set { shortAverages.vector = newValue }
    }

    mutating func reset() {
        self = SignalEnergies()
    }

    /// Takes the squares of ticks.
    @inline(__always)
    mutating func push(_ ticks: UnsafeMutableBufferPointer<FilteredTick>, _ range: Range<Int>) {
        guard tickCount >= Self.startTicks else {
            for index in range { push(ticks[index].squares.vector) }
            return
        }
        var (slow, short) = (slow, short)
        for index in range {
            let squares = ticks[index].squares.vector
            slow += (squares - slow) * Self.slowGain
            short += (squares - short) * Self.shortGain
        }
        (self.slow, self.short) = (slow, short)
    }

    @inline(__always)
    mutating func push(_ squares: SIMD8<Float>) {
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

    /// Energy of the change from tick to tick over energy: high for footfalls, low for smooth pedalling.
    var roughness: Float {
        slow[Lane.change.rawValue] / max(slow[Lane.wide.rawValue], 1e-9)
    }

    /// The same of |a|: arm swing turns gravity smoothly and hardly touches it.
    var normRoughness: Float {
        slow[Lane.normChange.rawValue] / max(slow[Lane.normWide.rawValue], 1e-9)
    }

    /// The same over the last moments.
    var shortNormRoughness: Float {
        short[Lane.normChange.rawValue] / max(short[Lane.normWide.rawValue], 1e-9)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for lane in 0..<8 {
            coder.code(&slow[lane])
            coder.code(&short[lane])
        }
        coder.code(&tickCount)
    }
}
