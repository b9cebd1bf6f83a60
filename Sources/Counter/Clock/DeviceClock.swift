import Wire

/// Puts a device's frames on UTC, one after another and never backwards.
///
/// The device's UTC where it is sane, else its uptime, else the number of samples since the frame before, else the
/// arrival. A clock that goes back is not followed at once: time goes on by the number of samples until the clock has
/// kept to its new course for a while; then the signal starts anew there.
struct DeviceClock: Sendable, Equatable {
    /// Where the newest frame's time was taken from.
    private(set) var source = ClockSource.none
    /// What is wrong with the clock.
    private(set) var problem = ClockProblem.none
    /// How far the device's UTC was from the arrival when it was not believed, in microseconds.
    private(set) var errorMicroseconds: Int64 = 0
    /// The end of the newest frame; `nil` before the first.
    private(set) var end: Int64?
    private var boot = BootID(rawValue: 0)
    private var sequence: UInt64 = 0
    private var frameDuration: Int64 = 0
    /// While the clock's steps back are not believed: where it is, for how long, and since which arrival.
    private var heldCandidateEnd: Int64 = 0
    private var heldDuration: Int64 = 0
    private var heldSince: Int64 = 0

    /// When a frame's samples were taken.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - arrival: when ingest received it, in microseconds since 1970.
    ///   - uptimeUTC: the UTC of its uptime, where it has one.
    ///   - followsSteps: whether a step back is followed at once, as among late frames, which come in any order.
    mutating func resolve(
        _ frame: Frame, arrival: Int64, uptimeUTC: Int64?, followsSteps: Bool = false
    ) -> FrameSpan {
        let duration = frame.durationMicroseconds
        let (candidate, source) = candidate(frame.time, duration: duration, arrival: arrival, uptimeUTC: uptimeUTC)
        let numbered = note(frame.identity)
        let follows = followsSteps || numbered.changed
        let span =
            if let candidate {
                place(candidate, duration: duration, source: source, arrival: arrival, follows: follows)
            } else {
                extrapolate(duration: duration, arrival: arrival, missing: numbered.missing)
            }
        self.source = span.source
        frameDuration = duration
        end = span.end
        return span
    }

    /// What the device's own clock says, if it is believed.
    private mutating func candidate(
        _ time: FrameTime, duration: Int64, arrival: Int64, uptimeUTC: Int64?
    ) -> (Int64?, ClockSource) {
        switch time {
        case .absent: return (nil, .sequence)
        case .uptime:
            guard let uptimeUTC, uptimeUTC >= 0, uptimeUTC <= arrival + ClockLimits.aheadMicroseconds else {
                return (nil, .sequence)
            }
            return (uptimeUTC, .uptime)
        case .utc(let microseconds):
            errorMicroseconds = microseconds.subtractingReportingOverflow(arrival).partialValue
            if microseconds < ClockLimits.earliestMicroseconds {
                problem = .unset
            } else if microseconds - arrival > ClockLimits.aheadMicroseconds {
                problem = .ahead
            } else {
                if problem != .steppedBack { problem = .none }
                return (microseconds, .utc)
            }
            return (nil, .sequence)
        }
    }

    /// Takes the frame's number; answers whether the boot is another one, and the frames missing in between.
    private mutating func note(_ identity: FrameIdentity) -> (changed: Bool, missing: UInt64?) {
        guard case .sequenced(let boot, let sequence) = identity else { return (false, nil) }
        let previous = self.sequence
        let changed = boot != self.boot
        self.boot = boot
        self.sequence = sequence
        return (changed, changed || sequence <= previous ? nil : sequence - previous - 1)
    }

    private mutating func place(
        _ candidate: Int64, duration: Int64, source: ClockSource, arrival: Int64, follows: Bool
    ) -> FrameSpan {
        guard let end, candidate < end else {
            release()
            return FrameSpan(start: candidate, duration: duration, span: duration, source: source)
        }
        if end - candidate <= ClockLimits.jitterMicroseconds {
            release()
            let span = max(duration / 2, candidate + duration - end)
            return FrameSpan(start: end, duration: duration, span: span, source: source)
        }
        if follows || isBelieved(candidate, duration: duration, arrival: arrival) {
            release()
            return FrameSpan(start: candidate, duration: duration, span: duration, source: source, startsAnew: true)
        }
        problem = .steppedBack
        return FrameSpan(start: end, duration: duration, span: duration, source: .sequence)
    }

    private mutating func release() {
        heldDuration = 0
        if problem == .steppedBack { problem = .none }
    }

    /// Whether a clock that went back has kept its new course for long enough, in its samples and in arrivals.
    private mutating func isBelieved(_ candidate: Int64, duration: Int64, arrival: Int64) -> Bool {
        let isOnCourse = (candidate - heldCandidateEnd).magnitude < UInt64(ClockLimits.jitterMicroseconds)
        if heldDuration == 0 || !isOnCourse {
            heldDuration = 0
            heldSince = arrival
        }
        heldDuration += max(duration, 1)
        heldCandidateEnd = candidate + duration
        return heldDuration >= ClockLimits.beliefMicroseconds && arrival - heldSince >= ClockLimits.beliefMicroseconds
    }

    /// The time of a frame whose clock is silent or not believed.
    private func extrapolate(duration: Int64, arrival: Int64, missing: UInt64?) -> FrameSpan {
        let byArrival = arrival - duration
        guard let end, let missing else {
            let start = max(byArrival, end ?? byArrival)
            return FrameSpan(start: start, duration: duration, span: duration, source: .arrival)
        }
        let (bridge, overflow) = Int64(clamping: missing).multipliedReportingOverflow(by: frameDuration)
        let start = end + (overflow ? ClockLimits.bridgeMicroseconds : min(bridge, ClockLimits.bridgeMicroseconds))
        if byArrival - start > ClockLimits.pauseMicroseconds {
            return FrameSpan(start: byArrival, duration: duration, span: duration, source: .arrival)
        }
        if start > arrival, start > end {
            return FrameSpan(start: max(end, byArrival), duration: duration, span: duration, source: .arrival)
        }
        return FrameSpan(start: start, duration: duration, span: duration, source: .sequence)
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&source)
        coder.code(&problem)
        coder.code(&errorMicroseconds)
        coder.code(&end)
        coder.code(&boot)
        coder.code(&sequence)
        coder.code(&frameDuration)
        coder.code(&heldCandidateEnd)
        coder.code(&heldDuration)
        coder.code(&heldSince)
    }
}
