/// How fast steps follow one another, by their own times, so that the first steps of a bout have a rate too.
struct StepRateGauge: Sendable, Equatable {
    /// A longer pause begins a new bout, whose rate is not known yet, in microseconds.
    static let pauseMicroseconds: Int64 = 2_500_000
    /// The share of the newest interval in the rate.
    private static let newestShare: Float = 0.25

    /// The time of the newest step.
    private var time = Int64.min
    /// Steps a second; 0 where it is not known.
    private var rateHz: Float = 0

    /// Takes steps, the last of which was made at a time.
    ///
    /// - Returns: the steps a second; `nil` where it is not known.
    mutating func take(_ count: Int64, at microseconds: Int64) -> Double? {
        let (gap, overflow) = microseconds.subtractingReportingOverflow(time)
        if overflow || gap > Self.pauseMicroseconds || gap < -Self.pauseMicroseconds {
            rateHz = 0
        } else if gap > 0, count > 0 {
            let rate = Float(count) * 1_000_000 / Float(gap)
            rateHz += (rate - rateHz) * (rateHz > 0 ? Self.newestShare : 1)
        }
        time = overflow || rateHz == 0 ? microseconds : max(time, microseconds)
        return rateHz > 0 ? Double(rateHz) : nil
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&time, orNone: .min)
        coder.code(&rateHz)
        if rateHz < 0 { coder.reject() }
    }
}
