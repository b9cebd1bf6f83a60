import Motion
import Wire

/// The problems of a device's data, in words. They are reported when they change, and not too often.
struct DeviceHealthReport: Sendable {
    /// The shortest time between two reports of a device whose problem did not change, in microseconds.
    static let intervalMicroseconds: Int64 = 60_000_000
    /// The same while something is wrong, so that its numbers are seen to grow: it is shorter than any device takes to
    /// fall silent.
    static let troubleIntervalMicroseconds: Int64 = 2_000_000
    /// The most reports a second of troubles that go on, where many devices have one: each waits longer then, until it
    /// falls silent, so that its numbers end right.
    static let maximumTroubleReportsASecond: Int64 = 500
    /// The least time that a problem stays reported, in microseconds.
    static let memoryMicroseconds: Int64 = 60_000_000
    /// The shortest time between any two reports of a device, in microseconds.
    static let minimumIntervalMicroseconds: Int64 = 1_000_000

    /// The number of samples out of range or out of order that is a problem; a single knock is none.
    static let problemSamples: UInt64 = 10

    /// Messages that ingest refused, by `WireError.rawValue`.
    private(set) var refused = DeviceHealthReport.noneRefused
    private static let noneRefused = [UInt64](repeating: 0, count: WireError.allCases.count + 1)
    /// Messages whose numbers were not plausible, and were not counted.
    private(set) var implausible: UInt64 = 0
    /// The first of them in the reported time, in words. Not part of the state.
    private var implausibleWords: String?
    /// The device's name in the system that it comes from.
    var name: String?
    /// The mistake in the retained config, in words. Not part of the state: the config comes again at each start.
    var configProblem: String?
    private var reported: DeviceHealth?
    private var reportedAt = Int64.min / 2
    /// The counters at the beginning of the reported time. Not part of the state.
    private var past = Past()
    private var pastAt = Int64.min / 2

    private struct Past: Sendable {
        var counts = MessageCounts()
        var uncounted = SelfCounting.unused[0].uncounted
        var beginnings: UInt64 = 0
        var refused = DeviceHealthReport.noneRefused
        var implausible: UInt64 = 0
        var signal = MotionDiagnostics()
    }

    mutating func refuse(_ reason: WireError, count: UInt32) {
        refused[Int(reason.rawValue)] &+= UInt64(count)
    }

    /// Adds a message with numbers that no body or crank makes.
    mutating func refuseImplausible(_ words: String) {
        if implausible == past.implausible || implausibleWords == nil { implausibleWords = words }
        implausible &+= 1
    }

    /// The time between two reports of a trouble that goes on, in microseconds, among a number of devices.
    static func troubleInterval(deviceCount: Int) -> Int64 {
        let interval = Int64(deviceCount) * 1_000_000 / maximumTroubleReportsASecond
        return min(max(interval, troubleIntervalMicroseconds), intervalMicroseconds)
    }

    /// The report that is due, if any.
    ///
    /// - Parameter troubleInterval: the time between two reports while something is wrong, in microseconds.
    mutating func next(
        counts: MessageCounts, selfCounting: SelfCounting, clock: DeviceClock, signal: MotionDiagnostics,
        facts: SourceFacts, now: Int64, troubleInterval: Int64
    ) -> DeviceHealth? {
        let elapsed = now.subtractingReportingOverflow(reportedAt).partialValue
        guard elapsed >= Self.minimumIntervalMicroseconds || elapsed < 0 else { return nil }
        let problem = problem(counts: counts, clock: clock, signal: signal, facts: facts).map(PayloadLimits.cut)
        let note = note(selfCounting, signal, facts)
        if (now - pastAt).magnitude >= UInt64(Self.memoryMicroseconds) {
            if pastAt > 0 { forgetPast(counts, selfCounting, signal) }
            pastAt = now
        }
        let health = DeviceHealth {
            $0.t = LiveReports.seconds(now)
            ($0.ok, $0.problem, $0.note) = (problem == nil, problem, note)
            ($0.accepted, $0.duplicate) = (counts.accepted, counts.duplicate)
            ($0.late, $0.missing) = (counts.late, counts.missing)
            $0.refused = refused.reduce(counts.stale &+ implausible, &+)
            for reason in WireError.allCases where refused[Int(reason.rawValue)] > 0 {
                $0.refusedByReason[reason] = refused[Int(reason.rawValue)]
            }
            for reason in Uncounted.allCases where selfCounting.uncounted[Int(reason.rawValue)] > 0 {
                $0.uncounted[reason] = selfCounting.uncounted[Int(reason.rawValue)]
            }
            ($0.name, $0.rateHz, $0.selfCounted) = (name, facts.rateHz, facts.selfCounted)
            $0.sensors = facts.sensorNames
            $0.timeFrom = facts.sensorNames == nil ? nil : clock.source
        }
        guard isDue(health, after: elapsed, troubleInterval) else { return nil }
        reported = health
        reportedAt = now
        return health
    }

    /// True for a report with new words, and for one with new numbers once the interval since the last has passed.
    private func isDue(_ health: DeviceHealth, after elapsed: Int64, _ troubleInterval: Int64) -> Bool {
        guard let reported else { return true }
        let isSame =
            health.problem == reported.problem && health.name == reported.name && health.note == reported.note
            && health.sensors == reported.sensors && health.selfCounted == reported.selfCounted
            && (health.rateHz == nil) == (reported.rateHz == nil)
        let isQuiet = health.problem == nil && health.uncounted == reported.uncounted
        guard !isSame || elapsed >= (isQuiet ? Self.intervalMicroseconds : troubleInterval) else { return false }
        var unchanged = health
        unchanged.t = reported.t
        return reported != unchanged
    }

    /// The last report before a restart is unknown: the next one is due at once.
    mutating func repeatAfterRestart() { (reported, reportedAt) = (nil, .min / 2) }

    /// After a restart, earlier problems are past.
    mutating func forgetPast(_ counts: MessageCounts, _ selfCounting: SelfCounting, _ signal: MotionDiagnostics) {
        past = Past(
            counts: counts, uncounted: selfCounting.uncounted, beginnings: selfCounting.beginnings, refused: refused,
            implausible: implausible, signal: signal)
    }

    /// The worst problem, with its remedy.
    private func problem(
        counts: MessageCounts, clock: DeviceClock, signal: MotionDiagnostics, facts: SourceFacts
    ) -> String? {
        if let configProblem { return configProblem }
        if let reason = WireError.allCases.first(where: { refused[Int($0.rawValue)] > past.refused[Int($0.rawValue)] })
        {
            return DeviceHealth.refusal(reason)
        }
        if counts.interleaved &- past.counts.interleaved >= 3 {
            return "an earlier boot goes on sending: do two devices use this id?"
        }
        if counts.stale > past.counts.stale {
            return "sequence numbers went back without a new boot and without a newer time: frames are not counted"
        }
        if counts.restarts > past.counts.restarts {
            return "sequence numbers began again without a new boot: send another boot at every start"
        }
        if let problem = Self.problem(clock) { return problem }
        if facts.behindMicroseconds > 0 {
            let duration = Self.duration(facts.behindMicroseconds)
            return "the device's clock is behind by \(duration): set it, or what it counts stands so much too early"
        }
        if signal.isTooSlow { return "samples come too slowly to count: send at least 10 a second, better 25 or more" }
        if signal.isTooCoarse { return "acceleration is rounded too coarsely to tell steps: send 0.1 m/s² or finer" }
        if signal.isTooSmooth {
            return "acceleration is too smooth to tell all steps: send 25 samples a second or more, without a low-pass"
        }
        if signal.saturatedSamples >= past.signal.saturatedSamples &+ Self.problemSamples {
            return "values lie beyond what sensors measure (32 g, 70 rad/s, 20 mT): are they in m/s², rad/s and µT?"
        }
        if signal.ignoredSamples >= past.signal.ignoredSamples &+ Self.problemSamples {
            return "samples are left out: numbers that are not finite, or times that do not go on"
        }
        if implausible > past.implausible { return implausibleWords }
        if counts.missing > past.counts.missing { return "frames are missing" }
        return nil
    }

    /// Units that differ from the stated ones, and faults of the messages.
    private func note(
        _ selfCounting: SelfCounting, _ signal: MotionDiagnostics, _ facts: SourceFacts
    ) -> String? {
        var words = [Self.units(signal)].compactMap(\.self)
        if selfCounting.beginnings > past.beginnings { words.append("the count began anew: it goes on from there") }
        words += Uncounted.allCases.filter {
            selfCounting.uncounted[Int($0.rawValue)] > past.uncounted[Int($0.rawValue)]
        }.map(\.note)
        words += facts.shortcomings
        return words.reduce(nil) { note, more in
            let longer = note.map { "\($0); \(more)" } ?? more
            return longer.utf8.count <= PayloadLimits.maximumTextBytes ? longer : note
        }
    }

    private static func units(_ signal: MotionDiagnostics) -> String? {
        if signal.isInStandardGravities {
            return "acceleration comes in g and is converted: send m/s², or the compact form"
        }
        if signal.isWithoutGravity {
            return "acceleration comes without gravity and is counted less surely: send gravity beside it, or acc"
        }
        return nil
    }

    private static func problem(_ clock: DeviceClock) -> String? {
        switch clock.problem {
        case .none: nil
        case .unset: "the device's clock is not set: time is taken from arrivals"
        case .ahead: "the device's clock is ahead by \(duration(clock.errorMicroseconds)): time is taken from arrivals"
        case .steppedBack: "the device's clock went back: time goes on by the number of samples"
        case .coarse:
            "the device's clock moves in steps longer than its frames: send milliseconds; between them samples are counted on"
        case .standsStill: "the device's clock stands still: time is taken from arrivals"
        }
    }

    private static func duration(_ microseconds: Int64) -> String {
        let minutes = (microseconds + 30_000_000) / 60_000_000
        let hours = (minutes + 30) / 60
        return minutes < 120 ? "\(minutes) min" : hours < 48 ? "\(hours) h" : "\(hours / 24) days"
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(array: &refused, maximum: WireError.allCases.count + 1, empty: 0) { $0.code(&$1) }
        while refused.count < WireError.allCases.count + 1 { refused.append(0) }
        coder.code(&implausible)
        var bytes = name.map { Array($0.utf8) } ?? []
        coder.code(blob: &bytes, maximum: PayloadLimits.maximumTextBytes)
        if coder.isReading { name = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
    }
}

extension DeviceHealth {
    fileprivate static func refusal(_ reason: WireError) -> String { "messages are refused: \(reason)" }

    /// The health of a device for which there is no room, at a time in microseconds since 1970.
    static func turnedAway(at time: Int64) -> DeviceHealth {
        DeviceHealth {
            ($0.t, $0.ok, $0.problem) = (LiveReports.seconds(time), false, refusal(.tooManyDevices))
            ($0.refused, $0.refusedByReason) = (1, [.tooManyDevices: 1])
        }
    }
}

/// The sensors, times and numbers that a device's messages carry: they decide what can be counted, and how surely.
///
/// It is not part of the state: it follows from the first messages after a restart.
struct SourceFacts: Sendable {
    /// The time of samples over which their rate is measured, in microseconds.
    static let rateWindowMicroseconds: Int64 = 5_000_000
    /// A clock is behind if its frames come so much later than their times, in microseconds, …
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
    private var sensors: Wire.SensorSet = []
    private var hasPressure = false
    private var hasTime = true
    private var hasNumber = true
    private var window = (samples: 0, microseconds: Int64(0))
    private var end: Int64?
    private var lag = (first: Int64(0), since: Int64(0))

    mutating func takeLate(_ frame: Frame, at span: FrameSpan, arrival: Int64) {
        // Without numbers nothing but its clock says that it is late.
        if case .unsequenced = frame.identity { measureLag(of: span, arrival) }
    }

    mutating func take(_ frame: Frame, at span: FrameSpan, arrival: Int64) {
        sensors.formUnion(frame.sensors)
        hasPressure = hasPressure || !frame.pressuresHectopascals.isEmpty
        hasTime = frame.time != .absent
        if case .sequenced = frame.identity { hasNumber = true } else { hasNumber = false }
        measureRate(frame, span)
        measureLag(of: span, arrival)
    }

    mutating func take(_ count: SelfCounted) { selfCounted = count }

    /// The sensors by the names that our frames have for them; `nil` where there are no samples.
    var sensorNames: [String]? {
        let names = [
            (sensors.contains(.acceleration), "acc"), (sensors.contains(.angularVelocity), "gyro"),
            (sensors.contains(.magneticField), "mag"), (hasPressure, "pressure"),
        ].filter(\.0).map(\.1)
        return names.isEmpty ? nil : names
    }

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

    private mutating func measureLag(of span: FrameSpan, _ arrival: Int64) {
        measureLag(span.source == .device ? arrival - span.end : 0, arrival)
    }

    /// Notes by how much what has come is later than its time, in microseconds.
    mutating func measureLag(_ now: Int64, _ arrival: Int64) {
        guard now > Self.behindMicroseconds else {
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

extension Uncounted {
    /// Its meaning, for the people of the device.
    fileprivate var note: String {
        switch self {
        case .repeated: "some of it was told before: it counts once"
        case .older: "some of it is older than what is counted: it adds nothing"
        case .dip: "the count fell for a moment: nothing is added twice"
        case .overlapped: "some of it is told more finely already: that stands"
        case .noClock: "some of it is of a time that has not come: it adds nothing"
        case .forgotten: "some of it is of a time that was forgotten: it adds nothing"
        }
    }
}
