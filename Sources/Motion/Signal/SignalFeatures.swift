#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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

extension SignalFeatures {
    /// Of the share of roughness that slow sampling takes away, the deviations lose so much.
    private static let deviationLoss: Float = 0.33
    /// And so much of it is lost of the similarity: instants that waver count for more where there are few.
    private static let similarityLoss: Float = 0.4
    /// The time from one sample to the next at 50 Hz, s: more often is no better.
    private static let fullSampleSeconds: Float = 0.02

    /// The same with the roughness that a signal sampled at 25 Hz would have, and with the deviations of such a signal.
    // Inlined, because a call would copy the features twice.
    @inline(__always)
    func asSampled(_ rate: SampleRateEstimator) -> SignalFeatures {
        let roughnessShare = rate.roughnessShare
        let deviationShare = 1 - Self.deviationLoss * (1 - roughnessShare)
        var features = self
        features.sampleSeconds = rate.meanSeconds
        features.roughnessShare = roughnessShare
        features.sampledNormRoughness = normRoughness
        features.similarityShare = 1 - Self.similarityLoss * (1 - roughnessShare)
        features.roughness /= roughnessShare
        features.normRoughness /= roughnessShare
        features.vectorDeviation /= deviationShare
        features.normDeviation /= deviationShare
        features.shortVectorDeviation /= deviationShare
        features.shortNormDeviation /= deviationShare
        features.shortWideDeviation /= deviationShare
        features.shortTremor /= deviationShare * roughnessShare.squareRoot()
        return features
    }

    /// What sampling leaves of a jolt's energy above the notes of a step, as a share of what is left at 50 Hz; a sine
    /// at the step rate loses hardly anything. By simulated walks at 12.5, 25 and 50 Hz.
    var joltShare: Float { Self.fullSampleSeconds / max(sampleSeconds, Self.fullSampleSeconds) }

    /// The roughness of a pure sine: 4·sin²(π·f·Δt).
    static func sineRoughness(rateHz: Float) -> Float {
        let sine = sin(.pi * rateHz * Tick.seconds)
        return 4 * sine * sine
    }

    /// The energy of the jolts of |a| above the notes of a sine at a step rate, in those of that sine, with what sampling
    /// has taken of it: a walk has as many at any sample rate.
    func jolts(rateHz: Float) -> Float {
        (sampledNormRoughness / Self.sineRoughness(rateHz: rateHz) - 1) / joltShare
    }

    /// What sampling at 25 Hz leaves of the roughness of |a| in a walk, as a share of that at 50 Hz: a tick is the mean
    /// of the line between two samples. By simulated walks at the wrist; slower samples are made good of as if they
    /// came so often.
    var lineShare: Float {
        let slowness = (sampleSeconds - Self.fullSampleSeconds) / (Tick.seconds - Self.fullSampleSeconds)
        return 1 - Self.lineLoss * min(max(slowness, 0), 1)
    }
    private static let lineLoss: Float = 0.17

    /// What a roughness, that of a quick sine at a rate, becomes by slow sampling and is made good of in
    /// ``normRoughness``.
    ///
    /// A mean over the time T from one sample to the next and a line through both leave sinc³(f·T) of an amplitude.
    /// Arms change |a| at half the rate f of the steps, too, so that the energy of change over energy becomes
    /// exp(−¾·(π·f·T)²) of what it was, to the second order.
    func sampled(_ roughness: Float, rateHz: Float) -> Float {
        let seconds = max(sampleSeconds, Self.fullSampleSeconds)
        let spread = seconds * seconds - Self.fullSampleSeconds * Self.fullSampleSeconds
        return roughness * min(exp(-0.75 * .pi * .pi * rateHz * rateHz * spread) / roughnessShare, 1)
    }
}

extension SignalFeatures {
    /// The movement of the last moments, by acceleration where there is one, else by turning, else by the field that a
    /// turning sensor sees turn: in m/s², rad/s or µT.
    var shortMovement: Float {
        if sensors.contains(.acceleration) { return shortVectorDeviation }
        return sensors.contains(.angularVelocity) ? shortTurningDeviation : shortFieldDeviation
    }

    /// The movement over some seconds, in the same unit.
    var slowMovement: Float {
        if sensors.contains(.acceleration) { return vectorDeviation }
        return sensors.contains(.angularVelocity) ? turningDeviation : fieldDeviation
    }

    /// Whether anything moves that could be pedalling.
    func mayBePedalling(isOnBike: Bool) -> Bool {
        if isOnCrank, fieldDeviation > MagnetometerEvidence.floor { return true }
        let floor = isOnBike ? RevolutionThresholds.accelerationFloor : RevolutionThresholds.personFloor
        return vectorDeviation > floor || turningDeviation > RevolutionThresholds.turningFloor * floor / 0.02
    }

    /// Whether acceleration, or angular velocity, moves more than its noise.
    var hasAcceleration: Bool { vectorDeviation > RevolutionThresholds.accelerationFloor }
    var hasTurning: Bool { turningDeviation > RevolutionThresholds.turningFloor }
}

extension SignalFeatures {
    /// The most that |a| changes in slow steps on a thigh beside the jolts, m/s², over the square of their rate; elsewhere
    /// it is ``LegThresholds/highestRise``. Simulated walkers have up to 0.54, who goes down stairs 0.82 at the hip, and who
    /// climbs them up to 1.7 mostly at a thigh.
    private static let slowThighRise: Float = 1.8
    /// The same where |a| is smoother than of slow walkers who move so much: they have more than 0.18.
    private static let smoothRise: Float = 0.75
    private static let smoothRoughness: Float = 0.15
    /// The same over the square of the frequency that the roughness tells: who climbs stairs has 0.3 mostly, at most 0.5.
    private static let squatRise: Float = 0.6

    /// What |a| changes by beside its jolts, m/s².
    var smoothNormDeviation: Float { normDeviation * max(1 - normRoughness, 0).squareRoot() }

    /// Whether a body goes up and down by more than in slow steps at a rate, a second, beside what jolts make of |a|:
    /// somebody squats, sits down or bends. No foot tells that.
    func isSquat(rate: Float, _ placement: Placement) -> Bool {
        guard rate < StepThresholds.walkingRates.lowerBound, !placement.isBelowKnee else { return false }
        let rise = smoothNormDeviation / (rate * rate)
        if normRoughness < Self.smoothRoughness { return rise > Self.smoothRise }
        return rise > (placement.mayBeOnThigh ? Self.slowThighRise : LegThresholds.highestRise)
    }

    /// The same where no rate is known, but the roughness: that of a sine of the frequency f is (2π·f·Δt)².
    func isSquat(_ placement: Placement) -> Bool {
        let square = 2 * Float.pi * Tick.seconds
        return !placement.isLeg && normDeviation * square * square > Self.squatRise * normRoughness
    }
}
