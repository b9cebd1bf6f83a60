/// What goes wrong between a device's sensor and the broker, and how often.
public struct FaultPlan: Sendable, Hashable {
    /// Standard deviation of the error of each sample's time stamp, in microseconds; 0 keeps the even spacing.
    public var jitterMicroseconds: Double
    /// How often a frame is lost, `0...1`.
    public var lossProbability: Double
    /// Frames lost in one go when one is lost: the mean of a geometric distribution, at least 1.
    public var meanLossBurst: Double
    /// How often a frame is sent twice, `0...1`.
    public var duplicateProbability: Double
    /// How often a frame is overtaken by the one after it, `0...1`.
    public var reorderProbability: Double
    /// How often the device starts anew after a frame, `0...1`; the frame that was being filled is lost with it.
    public var rebootProbability: Double
    /// By how much the device's clock is ahead, in microseconds.
    public var clockOffsetMicroseconds: Int64
    /// By how much the device's clock is fast, in parts per million.
    public var clockDriftPPM: Double

    /// A plan from its parts; the defaults are no faults at all.
    public init(
        jitterMicroseconds: Double = 0, lossProbability: Double = 0, meanLossBurst: Double = 1,
        duplicateProbability: Double = 0, reorderProbability: Double = 0, rebootProbability: Double = 0,
        clockOffsetMicroseconds: Int64 = 0, clockDriftPPM: Double = 0
    ) {
        self.jitterMicroseconds = jitterMicroseconds
        self.lossProbability = lossProbability
        self.meanLossBurst = meanLossBurst
        self.duplicateProbability = duplicateProbability
        self.reorderProbability = reorderProbability
        self.rebootProbability = rebootProbability
        self.clockOffsetMicroseconds = clockOffsetMicroseconds
        self.clockDriftPPM = clockDriftPPM
    }
}
