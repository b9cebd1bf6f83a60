/// What the counters and the classifier look at, every 0.4 s.
struct SignalFeatures {
    /// Root mean square over seconds of the filtered acceleration, m/s².
    var vectorDeviation: Float
    /// The same of |a|.
    var normDeviation: Float
    /// The same over the last moments.
    var shortVectorDeviation: Float
    var shortNormDeviation: Float
    /// The same of the unfiltered acceleration, and of how much it changes from tick to tick.
    var shortWideDeviation: Float
    var shortTremor: Float
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
    /// Whether the sensor took gravity away, and |a| is that of gravity put back.
    var isWithoutGravity: Bool
    /// On a leg: how far the movement turns into its opposite between two repetitions, as a share of their similarity.
    /// 1 for a limb that goes round or to and fro, little where each swing ends in a jolt and a rest.
    var opposition: Float = 1
    /// Whether a walking body may carry the sensor: see ``StepHypothesis/mayBeCarried(_:)`` and
    /// ``StepHypothesis/mayBeJolted(_:)``.
    var mayBeCarried = false
    /// Whether it is on a leg of which it is not known yet whether it pedals.
    var isUndecidedLeg = false
    /// How similar to itself a signal sampled so slowly is a period later, as a share of what it would be.
    var similarityShare: Float = 1
    /// What shakes the person without end.
    var vibration = VibrationTrail.Source.none
    /// Whether something may, which is known sooner.
    var mayBeShaken = false
    /// Whether it is known that nothing does.
    var isUnshaken = false
    /// Roughness of |a| as sampling left it, and the share of it that is made good in ``normRoughness``.
    var sampledNormRoughness: Float = 0
    var roughnessShare: Float = 1
    /// The mean time from one sample to the next, s.
    var sampleSeconds: Float = 0
    var sensors: SensorSet
    /// Whether the field alone is a movement: the sensor turns with the crank in the Earth's field.
    var isOnCrank: Bool
    /// The rate that has been pedalled for a while, a second; 0 where none has.
    var pedalledRate: Float = 0
    /// Whether it is known that the sensor turns with a leg on a pedal.
    var turnsWithLeg = false
    /// The end of the tick, UTC µs.
    var timeMicroseconds: Int64
    var tick: Int64
}
