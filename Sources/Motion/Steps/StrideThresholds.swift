/// The thresholds by which the period of a step is found, and told from that of a stride.
enum StrideThresholds {
    /// A peak this share of the highest one is the fundamental.
    static let peakShare: Float = 0.8
    /// A tracked cadence is given up when |a| is this many times as strong as steps so slow can be, or as a body's that
    /// flies.
    static let trackedNormShare: Float = 1.5
    /// Periods above this, s, may be two strides.
    static let twoStridesPeriod: Float = 1.5
    /// Lags above this may span two strides; then the peak at half the lag is taken when it is this share.
    static let longLag: Float = 32
    static let halfShare: Float = 0.45
    /// Periods searched, in ticks: 0.28…2.5 s.
    static let lags = 7...62
    /// The same on a leg, which feels one foot alone: to 3.1 s.
    static let legLags = 7...77
    /// Where in a stride the other foot lands, and how similar |a| is to itself then, at least.
    static let otherFoot: ClosedRange<Float> = 0.35...0.65
    static let otherFootSimilarity: Float = 0
    /// The similarity of |a| from which a hard jolt that comes so slowly is one step.
    static let sureStepSimilarity: Float = 0.7
}
