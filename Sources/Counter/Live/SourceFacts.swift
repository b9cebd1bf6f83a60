import Wire

/// The sensors, times and numbers that a device's messages carry: they decide what can be counted, and how surely.
///
/// It is not part of the state: the first messages after a restart say it again.
struct SourceFacts: Sendable {
    /// The time of samples over which their rate is measured, in microseconds.
    static let rateWindowMicroseconds: Int64 = 5_000_000
    /// A clock is behind if its frames come so much later than it says, in microseconds, …
    static let behindMicroseconds: Int64 = 300_000_000
    /// … always by as much, give or take this, in microseconds, …
    static let steadyMicroseconds: Int64 = 60_000_000
    /// … for so long, in microseconds. Frames that were kept back for want of a connection catch up meanwhile.
    static let behindForMicroseconds: Int64 = 30_000_000

    /// The counts of a device that counts itself, by its newest such message.
    private(set) var selfCounted: SelfCounted?
    /// Samples a second; `nil` until it is measured.
    private(set) var rateHz: Double?
    /// The lag of the device's clock, in microseconds; 0 where it is not behind.
    private(set) var behindMicroseconds: Int64 = 0
    private var sensors: SensorSet = []
    private var hasPressure = false
    private var hasTime = true
    private var hasNumber = true
    private var window = (samples: 0, microseconds: Int64(0))
    private var end: Int64?
    private var lag = (first: Int64(0), since: Int64(0))

    /// Takes a frame, with the time that it was given.
    mutating func take(_ frame: Frame, at span: FrameSpan, arrival: Int64) {
        sensors.formUnion(frame.sensors)
        hasPressure = hasPressure || !frame.pressuresHectopascals.isEmpty
        hasTime = frame.time != .absent
        if case .sequenced = frame.identity { hasNumber = true } else { hasNumber = false }
        measureRate(frame, span)
        measureLag(span, arrival)
    }

    /// Notes what the device counts itself.
    mutating func take(_ count: SelfCounted) { selfCounted = count }

    /// The sensors by the names that our frames have for them; `nil` where there are no samples.
    var sensorNames: String? {
        let names = [
            (sensors.contains(.acceleration), "acc"), (sensors.contains(.angularVelocity), "gyro"),
            (sensors.contains(.magneticField), "mag"), (hasPressure, "pressure"),
        ].filter(\.0).map(\.1)
        return names.isEmpty ? nil : names.joined(separator: ",")
    }

    /// The shortcomings of the messages, in words.
    var shortcomings: [String] {
        guard !sensors.isEmpty else {
            return selfCounted == nil ? [] : ["the device counts by itself: what is between two messages is not known"]
        }
        var words: [String] = []
        if !hasTime, !hasNumber {
            words.append("frames carry neither time nor number: times are those of arrivals, lost frames are not seen")
        } else if !hasTime {
            words.append("frames carry no time: it is taken from arrivals, numbers and rate")
        } else if !hasNumber {
            words.append("frames carry no number: one that is lost is not seen")
        }
        if !sensors.contains(.acceleration) { words.append("no acceleration comes: steps are not counted") }
        if !sensors.contains(.angularVelocity) { words.append("no gyroscope: revolutions are counted less surely") }
        return words
    }

    /// From the span of frames, and between frames of one sample from their distances.
    private mutating func measureRate(_ frame: Frame, _ span: FrameSpan) {
        defer { end = span.end }
        var duration = frame.durationMicroseconds
        if frame.sampleCount == 1 {
            guard let end, span.end > end else { return }
            duration = span.end - end
        }
        window.samples += frame.sampleCount
        window.microseconds += duration
        guard window.microseconds >= Self.rateWindowMicroseconds else { return }
        let rate = Double(window.samples) / Double(window.microseconds) * 1e6
        rateHz = rate < 10 ? (rate * 10).rounded() / 10 : rate.rounded()
        window = (0, 0)
    }

    private mutating func measureLag(_ span: FrameSpan, _ arrival: Int64) {
        let now = arrival - span.end
        guard span.source == .utc, now > Self.behindMicroseconds else {
            lag = (0, 0)
            return behindMicroseconds = 0
        }
        if lag.since == 0 || (now - lag.first).magnitude > UInt64(Self.steadyMicroseconds) {
            lag = (now, arrival)
            behindMicroseconds = 0
        } else if arrival - lag.since >= Self.behindForMicroseconds {
            behindMicroseconds = lag.first
        }
    }
}
