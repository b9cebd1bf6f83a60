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
