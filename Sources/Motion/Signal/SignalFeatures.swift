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
    var sensors: SensorSet
    /// Whether the field alone is a movement: the sensor turns with the crank in the Earth's field.
    var isOnCrank: Bool
    /// The end of the tick, UTC µs.
    var timeMicroseconds: Int64
    var tick: Int64
}
