import Motion
import Wire

/// One device: the messages that have come, its time, its signal, its sums since the last commit, and its live reports.
struct DeviceCounter: Sendable {
    let device: DeviceID
    var settings: DeviceSettings
    var sequence = FrameSequence()
    /// The stream of frames in order.
    var live = SampleStream()
    /// The stream of frames that came after later ones. Few devices have one, and it takes 4 KB: an array of one takes
    /// eight bytes in the others.
    var lateStreams: [SampleStream] = []
    /// The rates of the steps of the live stream and of late frames.
    var stepRate = StepRateGauge()
    var lateStepRate = StepRateGauge()
    /// The seconds of the live stream and of late frames that were reported with a cadence.
    var told = ToldCadence()
    var lateTold = ToldCadence()
    var floors = FloorCounter()
    private(set) var selfCountings = SelfCounting.unused
    var readings = DeviceReadings()
    var recordedTime = RecordedTime()
    var reports = LiveReports()
    var health = DeviceHealthReport()
    /// Not part of the state.
    var facts = SourceFacts()
    /// The time between the device's messages, in microseconds.
    var messagePeriod: Int64 = 0

    /// The increments that stand in for the counts that a silent signal held back. When the signal goes on, what it
    /// counts takes their place, so that totals do not go back.
    var standIn: [MinuteIncrement] = []
    /// The device's time at which the rest of them is taken off, in microseconds since 1970; 0 while it is silent.
    var standInEndsAt: Int64 = 0
    /// The last record of the log that the stored state follows from, which the store keeps beside it.
    var storedThrough: UInt64 = 0
    /// The sums since the last commit; not part of the state.
    var ledger: MinuteLedger
    /// The words of intervals since the last commit; not part of the state.
    var words: [StepWord] = []
    /// When the last message of the device came, on the counter's own clock; `nil` until it is known. Not part of the
    /// state.
    var lastMessageAt: Int64?
    /// The consequences of the silence since then. Not part of the state.
    var silence = SilenceStage.notSilent
    /// Parts of the stored state that could not be read, so that they began anew. Not part of the state.
    var sectionsBegunAnew = 0
    /// Whether it changed since it was stored. Not part of the state.
    var isChanged = false
    /// Whether it may have live reports. Not part of the state.
    var isTouched = false
    /// Whether the pipeline looks for the device's silence. Not part of the state.
    var isAwake = false

    init(device: DeviceID, settings: DeviceSettings = DeviceSettings()) {
        self.device = device
        self.settings = settings
        ledger = MinuteLedger(device: device)
        health.configProblem = settings.problem
    }

    /// The counts of a device that counts by itself. Few do, and they take 1.5 KB: the others share an array of one.
    var selfCounting: SelfCounting {
        _read { yield selfCountings[0] }
        _modify { yield &selfCountings[0] }
    }

    var hasSignal: Bool { live.hasSignal || !lateStreams.isEmpty }

    /// The store has what was counted.
    mutating func forgetRows() {
        // A device that is silent needs no room for the next ones.
        if live.isCounting { ledger.removeAll() } else { ledger = MinuteLedger(device: device) }
        words.removeAll()
    }

    /// Takes a config; it holds from the next frame on.
    mutating func configure(_ settings: DeviceSettings, scratch: inout SignalScratch) {
        health.configProblem = settings.problem
        guard settings != self.settings else { return }
        let old = self.settings
        if settings.motion != old.motion {
            endStandIn()
            settle(scratch: &scratch)
            live.dropSignal()
            for index in lateStreams.indices { lateStreams[index].dropSignal() }
        }
        self.settings = settings
    }

    /// Changes the device, and counts what becomes of its messages and whether it has a signal.
    mutating func change<Result>(
        _ tally: inout CounterTally, _ signalCount: inout Int, _ body: (inout DeviceCounter) -> Result
    ) -> Result {
        let (counts, waiting, hadSignal) = (sequence.counts, sequence.waitingCount, hasSignal)
        let begunAnew = sectionsBegunAnew
        let result = replacingStandIn(body)
        tally.add(from: counts, to: sequence.counts)
        tally.waiting &+= UInt64(bitPattern: Int64(sequence.waitingCount - waiting))
        signalCount += (hasSignal ? 1 : 0) - (hadSignal ? 1 : 0)
        if sectionsBegunAnew > begunAnew { tally.partialStates &+= 1 }
        return result
    }

    mutating func accept(_ record: MotionRecord, scratch: inout SignalScratch) {
        switch record.content {
        case .frame(let frame): accept(record, frame, scratch: &scratch)
        case .revolutions(let count): accept(count, arrival: record.arrivalMicroseconds)
        case .recorded(let recorded): accept(recorded, arrival: record.arrivalMicroseconds)
        case .reading(let reading): accept(reading, arrival: record.arrivalMicroseconds)
        case .steps(let count): accept(count, arrival: record.arrivalMicroseconds)
        case .activity(let kind, let confidence, let time):
            accept(kind, confidence, at: time, arrival: record.arrivalMicroseconds)
        case .name(let name): health.name = name
        case .refusal(let reason, let count): health.refuse(reason, count: count)
        }
    }
}

/// Memory for the events of the frame at hand, shared by all devices.
struct SignalScratch: Sendable {
    var samples: [MotionSample] = []
    var events = MotionEvents()
    var floors: [FloorEvent] = []
}

// MARK: - Frames

extension DeviceCounter {
    private mutating func accept(_ record: MotionRecord, _ frame: Frame, scratch: inout SignalScratch) {
        if sequence.endsWaiting(frame) { drainWaiting(isSilent: true, scratch: &scratch) }
        switch sequence.admit(record, frame) {
        case .inOrder:
            count(frame, arrival: record.arrivalMicroseconds, scratch: &scratch)
            drainWaiting(arrival: record.arrivalMicroseconds, scratch: &scratch)
        case .waits: drainWaiting(arrival: record.arrivalMicroseconds, scratch: &scratch)
        case .late: countLate(frame, arrival: record.arrivalMicroseconds, scratch: &scratch)
        case .duplicate, .stale: break
        }
    }

    /// Counts the frames that wait no longer.
    mutating func drainWaiting(arrival: Int64 = 0, isSilent: Bool = false, scratch: inout SignalScratch) {
        while let record = sequence.nextReady(arrival: arrival, isSilent: isSilent) {
            guard case .frame(let frame) = record.content else { continue }
            count(frame, arrival: record.arrivalMicroseconds, scratch: &scratch)
        }
    }

    private mutating func count(_ frame: Frame, arrival: Int64, scratch: inout SignalScratch) {
        guard !frame.sensors.isEmpty else { return countPressures(frame, arrival: arrival, scratch: &scratch) }
        if isOlderThanLive(frame) {
            sequence.counts.accepted &-= 1
            sequence.counts.late &+= 1
            return countLate(frame, arrival: arrival, scratch: &scratch)
        }
        let span = live.clock.resolve(frame, arrival: arrival, uptimeUTC: uptimeUTC(frame, arrival: arrival))
        messagePeriod = span.duration
        facts.take(frame, at: span, arrival: arrival)
        signalGoesOn(at: span.end)
        scratch.events.removeAll()
        live.wake(&sectionsBegunAnew)
        live.process(frame, at: span, as: settings.motion, samples: &scratch.samples, into: &scratch.events)
        if let covered = live.uncovered(frame, at: span) {
            ledger.cover(from: covered.lowerBound, to: covered.upperBound)
        }
        take(frame.pressuresHectopascals, from: span.start, to: span.end, into: &scratch.floors)
        apply(scratch.events, isLive: true, floors: &scratch.floors)
    }

    private mutating func countLate(_ frame: Frame, arrival: Int64, scratch: inout SignalScratch) {
        guard !frame.sensors.isEmpty else { return }
        if lateStreams.isEmpty { lateStreams.append(SampleStream()) }
        let uptime = uptimeUTC(frame, arrival: arrival, isLate: true)
        let span = lateStreams[0].clock.resolve(frame, arrival: arrival, uptimeUTC: uptime, followsSteps: true)
        facts.takeLate(frame, at: span, arrival: arrival)
        signalGoesOn(at: span.end)
        scratch.events.removeAll()
        lateStreams[0].wake(&sectionsBegunAnew)
        lateStreams[0].process(
            frame, at: span, as: settings.motion, samples: &scratch.samples, into: &scratch.events)
        if span.startsAnew { lateStreams[0].forgetCoverage() }
        if let covered = lateStreams[0].uncovered(frame, at: span) {
            ledger.cover(from: covered.lowerBound, to: covered.upperBound)
        }
        apply(scratch.events, isLive: false, floors: &scratch.floors)
    }

    /// The order of frames without a number follows from their times.
    private func isOlderThanLive(_ frame: Frame) -> Bool {
        guard case .unsequenced = frame.identity, case .utc(let microseconds) = frame.time,
            let newest = live.clock.newestOwn
        else { return false }
        return microseconds >= ClockLimits.earliestMicroseconds
            && microseconds < newest - ClockLimits.jitterMicroseconds
    }

    mutating func uptimeUTC(_ frame: Frame, arrival: Int64, isLate: Bool = false) -> Int64? {
        guard case .uptime(let uptime) = frame.time else { return nil }
        var boot: BootID?
        if case .sequenced(let name, _) = frame.identity { boot = name }
        return sequence.utc(
            ofUptime: uptime, boot: boot, duration: frame.durationMicroseconds, arrival: arrival, isLate: isLate)
    }
}

// MARK: - Events

extension DeviceCounter {
    mutating func apply(_ events: MotionEvents, isLive: Bool, floors: inout [FloorEvent]) {
        for event in events {
            switch event {
            case .steps(let count, let time):
                add(steps: Quantity(Int64(count)), at: time, isLive: isLive)
                self.floors.push(steps: count, timeMicroseconds: time, into: &floors)
                note(isLive ? told.take(count, at: time) : lateTold.take(count, at: time), isOfSteps: true)
            case .revolutions(let count, let time):
                add(revolutions: Quantity(Int64(count)), at: time)
                note(isLive ? told.take(count, at: time) : lateTold.take(count, at: time), isOfSteps: false)
            case .second(let report): add(report, isLive: isLive)
            }
        }
        book(&floors)
    }

    private mutating func add(steps: Quantity, at time: Int64, isLive: Bool) {
        let rate = isLive ? stepRate.take(steps.value, at: time) : lateStepRate.take(steps.value, at: time)
        let length = settings.stepLength.micrometres(rateHz: rate)
        ledger.change(at: time) {
            $0.add(.steps, steps)
            $0.add(.distance, steps * length)
        }
        reports.add(steps: steps, micrometresPerStep: length, at: time, isLive: isLive)
    }

    private mutating func add(revolutions: Quantity, at time: Int64) {
        let distance = revolutions * settings.micrometresPerRevolution
        ledger.change(at: time) {
            $0.add(.revolutions, revolutions)
            $0.add(.distance, distance)
        }
        reports.add(revolutions: revolutions, distanceMicrometres: distance, at: time)
    }

    /// A second's end belongs to the minute that the second is in.
    private mutating func add(_ second: SecondReport, isLive: Bool) {
        ledger.change(at: second.timeMicroseconds - 1) { $0.add(second) }
        note(isLive ? told.take(second) : lateTold.take(second), isOfSteps: false)
        if isLive { reports.take(second) }
    }

    private mutating func note(_ correction: ToldCadence.Correction?, isOfSteps: Bool) {
        guard let correction else { return }
        ledger.note(
            .cadence, correction.perMinute, seconds: correction.seconds, isOfSteps: isOfSteps, by: .samples)
    }
}

// MARK: - Pressures

extension DeviceCounter {
    /// Counts a frame that has pressures alone. The signal's time stays.
    mutating func countPressures(_ frame: Frame, arrival: Int64, scratch: inout SignalScratch) {
        let duration = frame.durationMicroseconds
        let start = start(of: frame, duration: duration, arrival: arrival)
        take(frame.pressuresHectopascals, from: start, to: start + duration, into: &scratch.floors)
        book(&scratch.floors)
    }

    private mutating func start(of frame: Frame, duration: Int64, arrival: Int64) -> Int64 {
        let stated: Int64? =
            if case .utc(let microseconds) = frame.time { microseconds } else { uptimeUTC(frame, arrival: arrival) }
        guard let stated, ClockLimits.allows(stated, arrival: arrival) else { return arrival - duration }
        return stated
    }

    /// Takes pressures that are spread evenly over a stretch of time. Those of a bike are left out: floors are gone on
    /// foot.
    mutating func take(
        _ pressures: [Float], from start: Int64, to end: Int64, into events: inout [FloorEvent]
    ) {
        guard !pressures.isEmpty, settings.motion.kind != .bike else { return }
        let spacing = (end - start) / Int64(pressures.count)
        for (index, pressure) in pressures.enumerated() {
            let time = start + spacing * Int64(index) + spacing / 2
            guard Barometer.pressuresHectopascals.contains(pressure) else { continue }
            floors.push(timeMicroseconds: time, hectopascals: pressure, into: &events)
            ledger.change(at: time) { $0.add(.pressures, 1) }
        }
    }

    mutating func book(_ events: inout [FloorEvent]) {
        guard !events.isEmpty else { return }
        for event in events {
            // A floor that ends with a minute belongs to it.
            ledger.change(at: event.timeMicroseconds - 1) {
                switch event.direction {
                case .up: $0.add(.floorsUp, 1)
                case .down: $0.add(.floorsDown, 1)
                }
            }
        }
        events.removeAll(keepingCapacity: true)
    }
}
