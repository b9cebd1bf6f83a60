/// How a sensor moves, of a bike or of what nobody described: asked every 0.4 s.
struct SignalFeatures {
    /// Root mean square over seconds of the filtered acceleration, m/s².
    var vectorDeviation: Float
    /// The same of |a|.
    var normDeviation: Float
    /// The same over the last moments.
    var shortVectorDeviation: Float
    /// Root mean square of the angular velocity, rad/s.
    var turningDeviation: Float
    var shortTurningDeviation: Float
    /// Root mean square of the magnetic field's change, µT.
    var fieldDeviation: Float
    var shortFieldDeviation: Float
    /// How similar to itself a signal sampled so slowly is a period later, as a share of what it would be.
    var similarityShare: Float = 1
    var sensors: SensorSet
    /// Whether the field alone is a movement: the sensor turns with the crank in the Earth's field.
    var isOnCrank: Bool
    /// The end of the tick, UTC µs.
    var timeMicroseconds: Int64
    var tick: Int64

    /// Of the share of roughness that slow sampling takes away, the deviations lose so much.
    private static let deviationLoss: Float = 0.33
    /// And so much of it is lost of the similarity: instants that waver count for more where there are few.
    private static let similarityLoss: Float = 0.4

    /// The same with the deviations that a signal sampled at 25 Hz would have.
    // Inlined, because a call would copy the features twice.
    @inline(__always)
    func asSampled(_ rate: SampleRateEstimator) -> SignalFeatures {
        let lost = 1 - rate.roughnessShare
        let deviationShare = 1 - Self.deviationLoss * lost
        var features = self
        features.similarityShare = 1 - Self.similarityLoss * lost
        features.vectorDeviation /= deviationShare
        features.normDeviation /= deviationShare
        features.shortVectorDeviation /= deviationShare
        return features
    }

    /// The movement of the last moments, by acceleration where there is one, else by turning, else by the field that a
    /// turning sensor sees turn: in m/s², rad/s or µT.
    var shortMovement: Float {
        if sensors.contains(.acceleration) { return shortVectorDeviation }
        return sensors.contains(.angularVelocity) ? shortTurningDeviation : shortFieldDeviation
    }

    /// Whether anything moves that could be pedalling.
    var mayBePedalling: Bool {
        hasAcceleration || hasTurning || isOnCrank && fieldDeviation > MagnetometerEvidence.floor
    }

    /// Whether acceleration, or angular velocity, moves more than its noise.
    var hasAcceleration: Bool { vectorDeviation > RevolutionThresholds.accelerationFloor }
    var hasTurning: Bool { turningDeviation > RevolutionThresholds.turningFloor }
}

/// What the sensors of a bike must move for its crank to turn.
enum RevolutionThresholds {
    /// Ticks between evaluations.
    static let evaluationTicks = Tick.mostAtOnce
    /// Sensor noise: less movement than this is none, m/s² and rad/s.
    static let accelerationFloor: Float = 0.02
    static let turningFloor: Float = 0.006
}

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
