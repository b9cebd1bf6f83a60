import Wire

/// When the samples of a frame were taken.
struct FrameSpan: Sendable, Equatable {
    /// The time of the first sample: microseconds since 1970, UTC.
    var start: Int64
    /// From the first sample to one period after the last, in microseconds, as the device told it.
    var duration: Int64
    /// The same on our clock; it differs where the frame had to be squeezed.
    var span: Int64
    /// Where the time was taken from.
    var source: ClockSource
    /// Whether the time went back, so that the signal starts anew.
    var startsAnew = false

    /// The time after the last sample.
    var end: Int64 { start + span }

    /// The time at an offset into the frame, both in microseconds.
    func time(at offset: Int64) -> Int64 {
        guard span != duration, duration > 0 else { return start + offset }
        return start + Int64(Double(offset) * (Double(span) / Double(duration)))
    }
}

extension Frame {
    /// From the first sample to one period after the last, in microseconds.
    var durationMicroseconds: Int64 {
        switch timing {
        case .uniform(let period): Int64(sampleCount) * Int64(period) / 1000
        case .intervals: intervalsMicroseconds.reduce(0) { $0 + Int64($1) } + Int64(intervalsMicroseconds.last ?? 0)
        }
    }
}
