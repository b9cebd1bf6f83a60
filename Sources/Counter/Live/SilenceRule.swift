/// When silence means that a rider has stopped: after max(3 s, 2.5 × the last period), where the period is that of the
/// cadence or of the device's messages, whichever is longer. One lost message is a silence of two of its periods.
enum SilenceRule {
    /// The shortest silence that means a stop, in microseconds.
    static let minimumMicroseconds: Int64 = 3_000_000
    /// The silence after which what the signal holds back stands in its minute, in microseconds: soon, so that totals are
    /// whole seconds after a stop; it is taken off again where the signal goes on.
    static let standInMicroseconds: Int64 = 5_000_000
    /// The longest period that is waited for, in microseconds.
    static let maximumPeriodMicroseconds: Int64 = 60_000_000

    /// The silence after which a rider with this period has stopped, in microseconds.
    static func timeout(period: Int64) -> Int64 {
        max(minimumMicroseconds, min(period, maximumPeriodMicroseconds) * 5 / 2)
    }

    /// The period of a cadence a minute, in microseconds; 0 without one.
    static func period(cadence: Float) -> Int64 {
        guard cadence >= 1, cadence.isFinite else { return 0 }
        return Int64(60_000_000 / Double(cadence))
    }
}
