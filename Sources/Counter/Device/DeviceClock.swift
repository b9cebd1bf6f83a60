import Motion
import Wire

/// Puts a device's frames on UTC, one after another and never backwards.
///
/// The device's UTC where it is sane, else its uptime, else the number of samples since the frame before, else the
/// arrival. A clock that goes back is not followed at once: time goes on by the number of samples until the clock has
/// kept to its new course for a while; then the signal starts anew there.
struct DeviceClock: Sendable, Equatable {
    /// The source of the newest frame's time; `nil` before the first.
    private(set) var source: TimeOrigin?
    private(set) var problem = ClockProblem.none
    /// The device's UTC minus the arrival when the UTC was rejected, in microseconds.
    private(set) var errorMicroseconds: Int64 = 0
    /// The end of the newest frame; `nil` before the first.
    private(set) var end: Int64?
    private var boot = BootID(rawValue: 0)
    private var sequence: UInt64 = 0
    private var frameDuration: Int64 = 0
    /// While a step back is not confirmed: the clock's time, for how long it has held, and since which arrival.
    private var heldCandidateEnd: Int64 = 0
    private var heldDuration: Int64 = 0
    private var heldSince: Int64 = 0
    /// The device's own time of the newest frame; `nil` where it has none that can be true.
    private(set) var newestOwn: Int64?
    private var grain = ClockGrain()

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
        if let candidate, !followsSteps, !numbered.changed {
            grain.take(candidate, after: newestOwn, duration: duration)
        } else {
            grain = ClockGrain()
        }
        newestOwn = candidate
        var span =
            if let candidate, grain.isCoarse, grain.isReported || duration == 0 {
                place(
                    coarse: candidate, duration: duration, source: source, arrival: arrival, missing: numbered.missing)
            } else if let candidate {
                place(
                    candidate, duration: duration, source: source, arrival: arrival, follows: follows,
                    isEarlier: numbered.isEarlier)
            } else {
                extrapolate(duration: duration, arrival: arrival, missing: numbered.missing)
            }
        span.isOfOtherBoot = numbered.changed
        self.source = span.source
        frameDuration = duration
        end = span.end
        return span
    }

    /// The time by the device's own clock, if that is plausible.
    private mutating func candidate(
        _ time: FrameTime, duration: Int64, arrival: Int64, uptimeUTC: Int64?
    ) -> (Int64?, TimeOrigin) {
        switch time {
        case .absent: return (nil, .samples)
        case .uptime:
            guard let uptimeUTC, uptimeUTC >= 0, uptimeUTC <= arrival + ClockLimits.aheadMicroseconds else {
                return (nil, .samples)
            }
            return (uptimeUTC, .uptime)
        case .utc(let microseconds):
            return takes(microseconds, arrival: arrival) ? (microseconds, .device) : (nil, .samples)
        }
    }

    /// Whether a device's time, UTC µs, can be true beside that of its arrival; where it cannot, `problem` says what is wrong
    /// with the clock.
    mutating func takes(_ microseconds: Int64, arrival: Int64) -> Bool {
        errorMicroseconds = microseconds.subtractingReportingOverflow(arrival).partialValue
        if microseconds < ClockLimits.earliestMicroseconds {
            problem = .unset
        } else if errorMicroseconds > ClockLimits.aheadMicroseconds {
            problem = .ahead
        } else {
            if problem != .steppedBack { problem = .none }
            return true
        }
        return false
    }

    /// Takes the frame's number. Returns whether the boot is another one, the frames missing in between, and whether
    /// the number is lower than the last one of the boot.
    private mutating func note(_ identity: FrameIdentity) -> (changed: Bool, missing: UInt64?, isEarlier: Bool) {
        guard case .sequenced(let boot, let sequence) = identity else { return (false, nil, false) }
        let previous = self.sequence
        let changed = boot != self.boot
        self.boot = boot
        self.sequence = sequence
        let isEarlier = !changed && sequence < previous
        return (changed, changed || sequence <= previous ? nil : sequence - previous - 1, isEarlier)
    }

    private mutating func place(
        _ candidate: Int64, duration: Int64, source: TimeOrigin, arrival: Int64, follows: Bool, isEarlier: Bool
    ) -> FrameSpan {
        guard let end, candidate < end else {
            release()
            return FrameSpan(start: candidate, duration: duration, length: duration, source: source)
        }
        // An earlier frame does not belong behind the later one, however close it is.
        if end - candidate <= ClockLimits.jitterMicroseconds, !(follows && isEarlier) {
            release()
            let length = max(duration / 2, candidate + duration - end)
            return FrameSpan(start: end, duration: duration, length: length, source: source)
        }
        if follows || isConfirmed(candidate, duration: duration, arrival: arrival) {
            release()
            return FrameSpan(start: candidate, duration: duration, length: duration, source: source, startsAnew: true)
        }
        problem = .steppedBack
        return FrameSpan(start: end, duration: duration, length: duration, source: .samples)
    }

    private mutating func release() {
        heldDuration = 0
        if problem == .steppedBack || problem == .coarse || problem == .standsStill { problem = .none }
    }

    /// Places a frame whose clock moves in steps that are longer than frames: behind the frame before it, or by its
    /// arrival, as long as that lies within what the clock says.
    private mutating func place(
        coarse candidate: Int64, duration: Int64, source: TimeOrigin, arrival: Int64, missing: UInt64?
    ) -> FrameSpan {
        release()
        guard let end else { return FrameSpan(start: candidate, duration: duration, length: duration, source: source) }
        if grain.isReported { problem = grain.standsStill ? .standsStill : .coarse }
        let step = grain.stepMicroseconds
        guard !grain.standsStill else { return extrapolate(duration: duration, arrival: arrival, missing: missing) }
        let lost = missing.map { Int64(clamping: $0).multipliedReportingOverflow(by: frameDuration).partialValue } ?? 0
        let spacing = duration > 0 ? 0 : max(1, grain.spacingMicroseconds)
        let next = end + min(max(lost, 0), ClockLimits.bridgeMicroseconds) + spacing
        let byArrival = arrival - duration
        // What the clock says: half a step more where it rounds to the nearest.
        let earliest = candidate - step / 2
        let latest = candidate + step + (duration > 0 ? ClockLimits.jitterMicroseconds : 0)
        var start = next
        if (earliest...latest + ClockLimits.confirmationMicroseconds).contains(byArrival) {
            let isOff = (next - byArrival).magnitude > UInt64(ClockLimits.jitterMicroseconds)
            if isOff || duration == 0 && grain.spacingMicroseconds == 0 { start = byArrival }
        }
        start = max(end + (duration > 0 ? 0 : 1), min(max(start, earliest), latest))
        return FrameSpan(start: start, duration: duration, length: duration, source: .samples)
    }

    /// Whether a clock that went back has kept its new course for long enough, in its samples and in arrivals.
    private mutating func isConfirmed(_ candidate: Int64, duration: Int64, arrival: Int64) -> Bool {
        let isOnCourse = (candidate - heldCandidateEnd).magnitude < UInt64(ClockLimits.jitterMicroseconds)
        if heldDuration == 0 || !isOnCourse {
            heldDuration = 0
            heldSince = arrival
        }
        heldDuration += max(duration, 1)
        heldCandidateEnd = candidate + duration
        return heldDuration >= ClockLimits.confirmationMicroseconds
            && arrival - heldSince >= ClockLimits.confirmationMicroseconds
    }

    /// The time of a frame whose clock is silent or rejected.
    private func extrapolate(duration: Int64, arrival: Int64, missing: UInt64?) -> FrameSpan {
        let byArrival = arrival - duration
        guard let end, let missing else {
            let start = max(byArrival, end ?? byArrival)
            return FrameSpan(start: start, duration: duration, length: duration, source: .arrival)
        }
        let (bridge, overflow) = Int64(clamping: missing).multipliedReportingOverflow(by: frameDuration)
        let start = end + (overflow ? ClockLimits.bridgeMicroseconds : min(bridge, ClockLimits.bridgeMicroseconds))
        if byArrival - start > ClockLimits.pauseMicroseconds {
            return FrameSpan(start: byArrival, duration: duration, length: duration, source: .arrival)
        }
        if start > arrival, start > end {
            return FrameSpan(start: max(end, byArrival), duration: duration, length: duration, source: .arrival)
        }
        return FrameSpan(start: start, duration: duration, length: duration, source: .samples)
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        var number = UInt8(source.flatMap(TimeOrigin.allCases.firstIndex(of:)).map { $0 + 1 } ?? 0)
        coder.code(bits: &number)
        source = number == 0 ? nil : TimeOrigin.allCases.dropFirst(Int(number) - 1).first
        if number > 0, source == nil { coder.reject() }
        coder.code(&problem)
        coder.code(&errorMicroseconds)
        coder.code(&end)
        coder.code(&boot)
        coder.code(&sequence)
        coder.code(&frameDuration)
        coder.code(&heldCandidateEnd)
        coder.code(&heldDuration)
        coder.code(&heldSince)
        coder.code(&newestOwn)
        grain.transfer(&coder)
    }
}

enum ClockProblem: UInt8, Sendable {
    case none
    /// Its UTC is before 2020.
    case unset
    /// Its UTC is ahead of the arrival by more than the tolerance.
    case ahead
    /// Its UTC or uptime went back; time goes on by the number of samples meanwhile.
    case steppedBack
    /// It moves in steps that are longer than frames; time goes on by samples and arrivals between them.
    case coarse
    /// It does not move at all; time goes on by samples and arrivals.
    case standsStill
}

/// The steps in which a device's clock moves, where they are longer than its frames: whole seconds, a 32-bit float, a
/// clock that was read once.
struct ClockGrain: Sendable, Equatable {
    /// The longest step of a clock that still moves, in microseconds: that of a 32-bit float that holds the seconds since
    /// 1970 is 128 s.
    static let longestStepMicroseconds: Int64 = 256_000_000
    /// A shorter step is not reported, in microseconds.
    static let reportedMicroseconds: Int64 = 250_000
    /// A clock that did not repeat itself in so many frames has become a fine one.
    private static let fineFrames: Int64 = 64

    /// Whether times repeat.
    private(set) var isCoarse = false
    /// The shortest step seen, in microseconds; 0 before the first.
    private var shortest: Int64 = 0
    /// Samples at the time that the clock shows now: their frames, and how long they take.
    private var frames: Int64 = 0
    private var microseconds: Int64 = 0
    /// The time between two frames of one sample each, in microseconds; 0 where it is not known.
    private(set) var spacingMicroseconds: Int64 = 0
    private var framesWithoutRepeat: Int64 = 0

    /// The step in which the clock moves, or the longest as long as it is not known.
    var stepMicroseconds: Int64 { shortest > 0 ? shortest : Self.longestStepMicroseconds }
    /// Whether it has shown one time for longer than any clock that moves.
    var standsStill: Bool { isCoarse && microseconds > Self.longestStepMicroseconds }
    var isReported: Bool { max(shortest, microseconds) >= Self.reportedMicroseconds || frames > Self.fineFrames }

    /// Takes the time of a frame in order, after the one before it.
    mutating func take(_ time: Int64, after before: Int64?, duration: Int64) {
        guard let before, time >= before, time - before <= Self.longestStepMicroseconds else {
            return self = ClockGrain()
        }
        if time == before {
            isCoarse = true
            framesWithoutRepeat = 0
            frames += 1
            microseconds += max(duration, spacingMicroseconds)
            return
        }
        guard isCoarse else { return }
        framesWithoutRepeat += 1
        if framesWithoutRepeat > Self.fineFrames { return self = ClockGrain() }
        let step = time - before
        if frames > 0 {
            shortest = shortest == 0 ? step : min(shortest, step)
            if duration == 0 { spacingMicroseconds = step / (frames + 1) }
        }
        (frames, microseconds) = (0, 0)
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&isCoarse)
        coder.code(&shortest)
        coder.code(&frames)
        coder.code(&microseconds)
        coder.code(&spacingMicroseconds)
        coder.code(&framesWithoutRepeat)
        if min(shortest, spacingMicroseconds) < 0 || shortest > Self.longestStepMicroseconds { coder.reject() }
    }
}

enum ClockLimits {
    /// 2020-01-01T00:00:00Z in microseconds: an earlier clock has not been set.
    static let earliestMicroseconds: Int64 = 1_577_836_800_000_000
    /// The most that a device's UTC may be ahead of the arrival, in microseconds.
    static let aheadMicroseconds: Int64 = 300_000_000
    /// Overlaps up to this, in microseconds, are jitter: the frame is squeezed until it fits.
    static let jitterMicroseconds: Int64 = 2_000_000
    /// A clock that went back is followed after so much time of samples and of arrivals, in microseconds.
    static let confirmationMicroseconds: Int64 = 10_000_000
    /// A device without a clock that is behind its arrivals by more than this, in microseconds, had paused.
    static let pauseMicroseconds: Int64 = 60_000_000
    /// The longest time that missing frames are taken to have lasted, in microseconds.
    static let bridgeMicroseconds: Int64 = 86_400_000_000

    /// Whether a device's UTC can be true: its clock has been set, and is not ahead of the arrival.
    static func allows(_ microseconds: Int64, arrival: Int64) -> Bool {
        microseconds >= earliestMicroseconds && microseconds - arrival <= aheadMicroseconds
    }
}

/// When the samples of a frame were taken.
struct FrameSpan: Sendable, Equatable {
    /// The time of the first sample: microseconds since 1970, UTC.
    var start: Int64
    /// From the first sample to one period after the last, in microseconds, by the device.
    var duration: Int64
    /// The same on our clock; it differs where the frame had to be squeezed.
    var length: Int64
    var source: TimeOrigin
    /// True where the time went back: the signal starts anew.
    var startsAnew = false
    /// True where the boot is another one than that of the frame before.
    var isOfOtherBoot = false

    /// The time after the last sample.
    var end: Int64 { start + length }

    /// The time at an offset into the frame, both in microseconds.
    func time(at offset: Int64) -> Int64 {
        guard length != duration, duration > 0 else { return start + offset }
        return start + Int64(Double(offset) * (Double(length) / Double(duration)))
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
    /// The age at which a minimum is dropped, in microseconds.
    static let windowMicroseconds: Int64 = 600_000_000
    /// The largest error of the applied offset, in microseconds.
    static let toleranceMicroseconds: Int64 = 2_000_000
    /// Without a boot, an uptime that falls by more than this has started again, in microseconds.
    static let restartMicroseconds: Int64 = 60_000_000
    /// Of a late frame only a wrap is such a fall, of 32-bit milliseconds after 49.7 days.
    static let wrapMicroseconds: Int64 = 2_147_483_648_000

    private var applied: Int64?
    private var currentMinimum: Int64 = 0
    private var previousMinimum: Int64 = .max
    private var windowStart: Int64 = 0
    private var newest: Int64 = 0

    /// The UTC of an uptime, both in microseconds, given when the message arrived and how long its samples span.
    ///
    /// - Parameter restart: a larger fall of the uptime begins anew, in microseconds.
    mutating func utc(of uptime: Int64, duration: Int64, arrival: Int64, restart: Int64) -> Int64 {
        let sentAt = uptime.addingReportingOverflow(duration).partialValue
        let difference = arrival.subtractingReportingOverflow(sentAt).partialValue
        let fall = newest.subtractingReportingOverflow(uptime).partialValue
        if fall > restart { applied = nil }
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

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&applied)
        coder.code(&currentMinimum)
        coder.code(&previousMinimum, orNone: .max)
        coder.code(&windowStart)
        coder.code(&newest)
    }
}
