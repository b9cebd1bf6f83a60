/// The thresholds by which it is known when a bout began and when it ended, and for how long it is remembered.
enum BoutThresholds {
    /// Movement over that of now, above which it belongs to the walk already, and to a run, which is stronger than what
    /// goes before it.
    static let onsetShare: Float = 0.4
    static let fastOnsetShare: Float = 0.5
    /// The most that is credited at a first onset, µs; on an arm, where more must agree before a bout opens; in steps
    /// where they are slow; and when slow steps are found that only the feet tell.
    static let creditMicroseconds: Int64 = 7_000_000
    static let armCreditMicroseconds: Int64 = 8_500_000
    static let creditSteps: Float = 14
    static let footCreditMicroseconds: Int64 = 40_000_000
    /// For so long after it began to move a thigh may begin to walk, µs: simulated ones are known within it.
    static let undecidedMicroseconds: Int64 = 8_000_000
    /// Steps are integrated this long after they happened, so that nothing must be taken back: 1.2 s.
    static let delayMicroseconds: Int64 = 1_200_000
    /// Movement over that of the bout, under which it has fallen; that of a run, which fades, is less of it. After a
    /// movement ends its deviation falls to half within 2 · 0.4 s · ln 2, half a step of which is the last footfall's
    /// own, s.
    static let fallShare: Float = 0.5
    static let fastFallShare: Float = 0.7
    static let fallSeconds: Float = 0.55
    static let fastFallSeconds: Float = 0.42
    /// Time constant of a person's lag products, s, and by how much the clearest similarity is forgotten an evaluation.
    static let memorySeconds: Float = 2.5
    static let clearestFall: Float = 0.01
    /// Movement of the last moments over that of the last seconds, under which the walk has stopped; and the same of
    /// |a|.
    static let stopShare: Float = 0.5
    static let stopNormShare: Float = 0.5
    /// After a pause shorter than this, µs, all that moved is credited.
    static let pauseMicroseconds: Int64 = 15_000_000
    /// For how long the last rate helps to tell steps from strides, µs.
    static let recallMicroseconds: Int64 = 60_000_000

    /// Whether the movement of the last moments is little beside that of the last seconds; between slow steps, `rate` a
    /// second, it is so for a moment.
    static func hasFaded(_ features: SignalFeatures, rate: Float = StepThresholds.slowRate) -> Bool {
        let slowness = min(rate / StepThresholds.slowRate, 1)
        return features.shortVectorDeviation <= slowness * stopShare * features.vectorDeviation
            && features.shortNormDeviation <= slowness * stopNormShare * features.normDeviation
    }
}
