/// What the counters and the classifier look at, every 0.4 s.
struct SignalFeatures {
    /// Root mean square over seconds of the filtered acceleration, m/s².
    var vectorDeviation: Float
    /// The same of |a|.
    var normDeviation: Float
    /// The same over the last moments.
    var shortVectorDeviation: Float
    var shortNormDeviation: Float
    /// Root mean square of the angular velocity, rad/s.
    var turningDeviation: Float
    var shortTurningDeviation: Float
    /// Root mean square of the magnetic field's change, µT.
    var fieldDeviation: Float
    var shortFieldDeviation: Float
    /// Energy of change over energy.
    var roughness: Float
    /// The same of |a| alone.
    var normRoughness: Float
    /// On a leg: how far the movement turns into its opposite between two repetitions, as a share of their similarity. 1 for
    /// a limb that goes round or to and fro, little where each swing ends in a jolt and a rest.
    var opposition: Float = 1
    /// How similar to itself a signal sampled so slowly is a period later, as a share of what it would be.
    var similarityShare: Float = 1
    /// Roughness of |a| as sampling left it, and the share that it left of a jolt's energy.
    var sampledNormRoughness: Float = 0
    var joltShare: Float = 1
    var sensors: SensorSet
    /// Whether the field alone is a movement: the sensor turns with the crank in the Earth's field.
    var isOnCrank: Bool
    /// The end of the tick, UTC µs.
    var timeMicroseconds: Int64
    var tick: Int64
}

extension SignalFeatures {
    /// Of the share of roughness that slow sampling takes away, the deviations lose so much.
    private static let deviationLoss: Float = 0.33
    /// And so much of it is lost of the similarity: instants that waver count for more where there are few.
    private static let similarityLoss: Float = 0.4

    /// The same with the roughness that a signal sampled at 25 Hz would have, and with the deviations of such a signal.
    func asSampled(_ rate: RateGauge) -> SignalFeatures {
        let roughnessShare = rate.roughnessShare
        let deviationShare = 1 - Self.deviationLoss * (1 - roughnessShare)
        var features = self
        features.similarityShare = 1 - Self.similarityLoss * (1 - roughnessShare)
        features.sampledNormRoughness = normRoughness
        features.joltShare = rate.joltShare
        features.roughness /= roughnessShare
        features.normRoughness /= roughnessShare
        features.vectorDeviation /= deviationShare
        features.normDeviation /= deviationShare
        features.shortVectorDeviation /= deviationShare
        features.shortNormDeviation /= deviationShare
        return features
    }
}
