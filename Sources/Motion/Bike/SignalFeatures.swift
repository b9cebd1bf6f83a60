/// The movement of a bike's or an undescribed sensor, every 0.4 s.
struct SignalFeatures {
    /// Root mean square of the filtered acceleration over 2.5 s, m/s².
    var vectorDeviation: Float
    /// The same of |a|.
    var normDeviation: Float
    /// Root mean square of the filtered acceleration over 0.4 s, m/s².
    var shortVectorDeviation: Float
    /// Root mean square of the angular velocity, rad/s.
    var turningDeviation: Float
    var shortTurningDeviation: Float
    /// Root mean square of the magnetic field's change, µT.
    var fieldDeviation: Float
    var shortFieldDeviation: Float
    /// The factor by which slow sampling lowers the similarity.
    var similarityShare: Float = 1
    var sensors: SensorSet
    /// Whether the sensor turns with the crank, so that the Earth's field in it turns.
    var isOnCrank: Bool
    /// The end of the tick, UTC µs.
    var timeMicroseconds: Int64

    /// The loss of deviations to slow sampling, as a share of that of roughness.
    private static let deviationLoss: Float = 0.33
    /// The loss of similarity, likewise: jitter matters more where there are few samples.
    private static let similarityLoss: Float = 0.4

    /// Corrected to the deviations of a signal sampled at 25 Hz.
    // Inlined: a call would copy the features twice.
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

    /// The movement over 0.4 s by the first sensor there is: acceleration, m/s², angular velocity, rad/s, or field, µT.
    var shortMovement: Float {
        if sensors.contains(.acceleration) { return shortVectorDeviation }
        return sensors.contains(.angularVelocity) ? shortTurningDeviation : shortFieldDeviation
    }

    /// Whether there is movement that may be pedalling.
    var mayBePedalling: Bool {
        hasAcceleration || hasTurning || isOnCrank && fieldDeviation > MagnetometerEvidence.floor
    }

    /// Whether there is acceleration, or angular velocity, that exceeds its noise.
    var hasAcceleration: Bool {
        sensors.contains(.acceleration) && vectorDeviation > RevolutionThresholds.accelerationFloor
    }
    var hasTurning: Bool {
        sensors.contains(.angularVelocity) && turningDeviation > RevolutionThresholds.turningFloor
    }
}

/// The least movement of a crank that turns.
enum RevolutionThresholds {
    /// Ticks between evaluations.
    static let evaluationTicks = Tick.mostAtOnce
    static let evaluationMicroseconds = Int64(evaluationTicks) * Tick.microseconds
    /// Noise of sensors, m/s² and rad/s.
    static let accelerationFloor: Float = 0.02
    static let turningFloor: Float = 0.006
}

/// Running mean squares of the signal, over a few seconds and over half a second.
struct SignalEnergies {
    /// The lanes: squares summed over axes, or of |a|.
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

    private var slow = SIMD4<Float>.zero
    private var short = SIMD4<Float>.zero
    private var tickCount: Float = 0

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
}
