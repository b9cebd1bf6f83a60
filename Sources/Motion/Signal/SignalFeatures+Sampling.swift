#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
