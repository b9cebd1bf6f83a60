/// What a pipeline did not use, and why. Counters saturate, they do not wrap.
public struct MotionDiagnostics: Sendable, Equatable {
    /// Samples left out: not finite, out of range, no sensor, or a time that is equal, earlier or absurd.
    public internal(set) var ignoredSamples: UInt64 = 0
    /// Samples with a value beyond any sensor's range that was clipped: 32 g, 70 rad/s, 20 mT.
    public internal(set) var saturatedSamples: UInt64 = 0
    /// Gaps of more than a second, after which the signal was taken up anew.
    public internal(set) var gaps: UInt64 = 0
    /// The rate is too low to count: under 8 Hz for a bike, under 9 Hz for a wearable.
    public internal(set) var isTooSlow = false
    /// Acceleration arrives in g and is converted.
    public internal(set) var isInStandardGravities = false
    /// Acceleration arrives without gravity.
    public internal(set) var isWithoutGravity = false

    /// Diagnostics of a pipeline that has seen nothing.
    public init() {}

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&ignoredSamples)
        coder.code(&saturatedSamples)
        coder.code(&gaps)
        coder.code(&isTooSlow)
        coder.code(&isInStandardGravities)
        coder.code(&isWithoutGravity)
    }
}
