/// From a device's uptime to UTC: the smallest difference between arrival and uptime, which is the one of the message
/// that travelled fastest.
///
/// The minimum is taken over the running and the previous window, so that it follows a device's oscillator (100 ppm
/// are 9 s a day). The applied offset stays as it is until it is wrong by more than a tolerance: a steady time base
/// counts better than a slightly truer one.
///
/// Source: the minimum filter of D. Mills, "Internet Time Synchronization: the Network Time Protocol", IEEE
/// Transactions on Communications 39 (1991), section V.
struct UptimeOffset: Sendable, Equatable {
    /// How long a minimum is kept, in microseconds.
    static let windowMicroseconds: Int64 = 600_000_000
    /// How wrong the applied offset may become, in microseconds.
    static let toleranceMicroseconds: Int64 = 2_000_000
    /// Without a boot, an uptime that falls by more than this has started again, in microseconds.
    static let restartMicroseconds: Int64 = 60_000_000
    /// Within a boot only a wrap is such a fall, of 32-bit milliseconds after 49.7 days; a smaller one is a late frame.
    static let wrapMicroseconds: Int64 = 2_147_483_648_000

    private var applied: Int64?
    private var currentMinimum: Int64 = 0
    private var previousMinimum: Int64 = .max
    private var windowStart: Int64 = 0
    private var newest: Int64 = 0

    /// The UTC of an uptime, both in microseconds, given when the message arrived and how long its samples span.
    mutating func utc(of uptime: Int64, duration: Int64, arrival: Int64, hasBoot: Bool) -> Int64 {
        let sentAt = uptime.addingReportingOverflow(duration).partialValue
        let difference = arrival.subtractingReportingOverflow(sentAt).partialValue
        let fall = newest.subtractingReportingOverflow(uptime).partialValue
        if fall > (hasBoot ? Self.wrapMicroseconds : Self.restartMicroseconds) { applied = nil }
        newest = applied == nil ? uptime : max(newest, uptime)
        observe(difference, arrival: arrival)
        return uptime.addingReportingOverflow(applied ?? difference).partialValue
    }

    private mutating func observe(_ difference: Int64, arrival: Int64) {
        guard let offset = applied else {
            applied = difference
            currentMinimum = difference
            previousMinimum = .max
            windowStart = arrival
            return
        }
        if arrival.subtractingReportingOverflow(windowStart).partialValue > Self.windowMicroseconds {
            previousMinimum = currentMinimum
            currentMinimum = difference
            windowStart = arrival
        }
        currentMinimum = min(currentMinimum, difference)
        let best = min(currentMinimum, previousMinimum)
        let error = best.subtractingReportingOverflow(offset).partialValue
        if error.magnitude > Self.toleranceMicroseconds.magnitude { applied = best }
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&applied)
        coder.code(&currentMinimum)
        coder.code(&previousMinimum, orNone: .max)
        coder.code(&windowStart)
        coder.code(&newest)
    }
}
