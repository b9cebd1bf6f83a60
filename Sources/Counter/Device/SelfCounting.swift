import Motion
import Wire

/// The counts of a device that counts by itself: crank revolutions, cadence and steps.
struct SelfCounting: Sendable, Equatable {
    /// The counts of a device that does not count by itself, in an array that all of those share.
    static let unused = [SelfCounting()]

    var revolutions = RunningCount(isCrank: true)
    var crank = CrankCadence()
    var steps = RunningCount()
    var daySteps = DayCount()
    /// The end of the latest stretch of steps, in microseconds since 1970; `.min` before the first.
    var claimedThrough = Int64.min
    /// Messages that changed nothing, by `Uncounted.rawValue`.
    var uncounted = [UInt64](repeating: 0, count: Uncounted.allCases.count + 1)
    var beginnings: UInt64 = 0

    var isHolding: Bool { revolutions.isHolding || steps.isHolding || daySteps.count.isHolding }

    func isOverdue(now: Int64) -> Bool {
        revolutions.isOverdue(now: now) || steps.isOverdue(now: now) || daySteps.count.isOverdue(now: now)
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        revolutions.transfer(&coder)
        crank.transfer(&coder)
        steps.transfer(&coder)
        daySteps.transfer(&coder)
        coder.code(&claimedThrough, orNone: .min)
        coder.code(array: &uncounted, maximum: Uncounted.allCases.count + 1, empty: 0) { $0.code(&$1) }
        while uncounted.count <= Uncounted.allCases.count { uncounted.append(0) }
        coder.code(&beginnings)
    }
}

// MARK: - Messages

extension DeviceCounter {
    mutating func accept(_ count: RevolutionCount, arrival: Int64) {
        var reading = RunningCount.Reading(
            value: count.cumulative, modulus: count.modulus, ownTime: ownTime(count.time, arrival: arrival),
            arrival: arrival, eventTime1024: count.lastEventTime1024)
        if case .sequenced(let boot, let sequence) = count.identity {
            (reading.boot, reading.sequence) = (boot, sequence)
        }
        var changes: [RunningCount.Change] = []
        let verdict = selfCounting.revolutions.take(reading, into: &changes)
        tell(verdict, .revolutions, settled: selfCounting.revolutions.takeSettled())
        // What the message itself adds is the last; before it stands what was held and is settled now.
        let own = [.taken, .returned, .takenEarlier].contains(verdict) ? changes.popLast() : nil
        for change in changes { addSettled(change) }
        let time = max(reading.time, selfCounting.revolutions.time ?? reading.time)
        switch verdict {
        case .taken where own != nil, .returned:
            guard let own else { break }
            selfCounting.crank.take(
                revolutions: own.amount, from: own.start, to: own.end, eventTime1024: count.lastEventTime1024)
            add(own, rpm: selfCounting.crank.rpm)
        case .takenEarlier: if let own { book(own, rpm: own.perMinute) }
        case .held(let growth, let since) where growth > 0:
            showCrank(growth, from: since, to: max(time, since), count.lastEventTime1024)
        case .taken: showCrank(0, from: time, to: time, count.lastEventTime1024)
        case .held, .implausible:
            // It does not move the crank, whose cadence ends when that has lasted.
            selfCounting.crank.stand(at: time)
            show(rpm: selfCounting.crank.rpm, at: time)
        case .uncounted: break
        }
    }

    /// Takes the cadence of a machine that does not count.
    mutating func accept(cadence: Reading, at time: Int64) {
        switch selfCounting.crank.take(rpm: cadence.value, cadence.identity, at: time) {
        case .failure(let reason): leaveOut(reason)
        case .success(let held):
            facts.take(.cadence)
            sequence.counts.accepted &+= 1
            // The period shows that the cadence before held on.
            if let earlier = held.earlier {
                book(earlier, rpm: earlier.perMinute, isWhole: true)
                report(earlier)
            }
            add(held.change, rpm: cadence.value, isWhole: held.isWhole)
        }
    }

    mutating func accept(_ count: DeviceStepCount, arrival: Int64) {
        let isInterval = count.kind == .interval
        guard count.steps <= CountLimits.maximumCount, count.startMicroseconds >= 0,
            !isInterval || count.startMicroseconds <= arrival + ClockLimits.aheadMicroseconds
        else {
            health.refuse(.absurdTime, count: 1)
            return leaveOut(.noClock)
        }
        facts.take(.steps)
        guard !isInterval else { return keep(count, arrival: arrival) }
        let own = live.clock.takes(count.startMicroseconds, arrival: arrival) ? count.startMicroseconds : nil
        var reading = RunningCount.Reading(value: count.steps, ownTime: own, arrival: arrival)
        if count.boot != BootID(rawValue: 0) { reading.boot = count.boot }
        reading.countsFromZero = count.kind == .recording
        var changes: [RunningCount.Change] = []
        if count.kind == .day {
            let today = DeviceDay(
                of: own ?? arrival, zone: settings.zone, dayStartMinutes: settings.dayStartMinutes)
            let verdict = selfCounting.daySteps.take(reading, on: today, into: &changes)
            tell(verdict, .steps, settled: selfCounting.daySteps.count.takeSettled())
        } else {
            let verdict = selfCounting.steps.take(reading, into: &changes)
            tell(verdict, .steps, settled: selfCounting.steps.takeSettled())
        }
        for change in changes { book(steps: change) }
    }

    /// Takes the activity that the device reports. Where it sends samples, the activity follows from them instead.
    mutating func accept(
        _ kind: ActivityKind, _ confidence: Wire.ActivityConfidence, at time: Int64, arrival: Int64
    ) {
        guard time <= arrival + ClockLimits.aheadMicroseconds else {
            health.refuse(.absurdTime, count: 1)
            return sequence.counts.stale &+= 1
        }
        sequence.counts.accepted &+= 1
        guard facts.sensorNames == nil else { return }
        reports.take(activity: kind, confidence: .init(named: confidence) ?? .low, at: time)
    }

    /// Settles running counts that fell a while ago; true if that changed anything.
    mutating func settleCounts(now: Int64) -> Bool {
        guard selfCounting.isHolding else { return false }
        var (revolutions, steps): ([RunningCount.Change], [RunningCount.Change]) = ([], [])
        selfCounting.revolutions.settleWhenOverdue(now: now, into: &revolutions)
        selfCounting.steps.settleWhenOverdue(now: now, into: &steps)
        selfCounting.daySteps.count.settleWhenOverdue(now: now, into: &steps)
        let settled = [
            selfCounting.revolutions.takeSettled(), selfCounting.steps.takeSettled(),
            selfCounting.daySteps.count.takeSettled(),
        ]
        for each in settled { tell(each) }
        for change in revolutions { addSettled(change) }
        for change in steps { book(steps: change) }
        return settled.contains { $0 != RunningCount.Settled() }
    }

    private mutating func tell(_ verdict: RunningCount.Verdict, _ what: SelfCounted, settled: RunningCount.Settled) {
        switch verdict {
        case .taken, .takenEarlier: sequence.counts.accepted &+= 1
        case .returned:
            sequence.counts.accepted &+= 1
            selfCounting.uncounted[Int(Uncounted.dip.rawValue)] += 1
            selfCounting.beginnings -= min(selfCounting.beginnings, 1)
        case .implausible(let jump):
            sequence.counts.accepted &+= 1
            health.refuseImplausible(
                "a count said \(jump.words): nobody makes so many, and it adds nothing unless it goes on from there")
        case .held: leaveOut(.dip)
        case .uncounted(let reason): leaveOut(reason)
        }
        tell(settled)
        facts.take(what)
    }

    private mutating func leaveOut(_ reason: Uncounted) {
        selfCounting.uncounted[Int(reason.rawValue)] += 1
        if reason == .repeated || reason == .older {
            sequence.counts.duplicate &+= 1
        } else {
            sequence.counts.accepted &+= 1
        }
    }

    /// Readings that were taken for a dip were a new beginning, or the ones before them a spike.
    private mutating func tell(_ settled: RunningCount.Settled) {
        if let spike = settled.spike {
            health.refuseImplausible("a count said \(spike.words), and went on below it: what it added is taken back")
        }
        guard settled.readings > 0 else { return }
        let dips = Int(Uncounted.dip.rawValue)
        selfCounting.uncounted[dips] -= min(settled.readings, selfCounting.uncounted[dips])
        selfCounting.beginnings += 1
    }

    /// Notes a word of an interval: history finds its place among what was said of that time before.
    private mutating func keep(_ count: DeviceStepCount, arrival: Int64) {
        guard count.steps <= CountLimits.maximumIntervalSteps else {
            sequence.counts.accepted &+= 1
            return health.refuse(.outOfRange, count: 1)
        }
        let end = min(count.endMicroseconds, max(arrival, count.startMicroseconds + 1))
        let perStep = settings.stepLength.micrometres(rateHz: nil)
        let microSteps = Int64(count.steps) * StepWord.micro + Int64(count.microSteps)
        let word = StepWord(
            start: count.startMicroseconds, end: end, microSteps: microSteps, micrometresPerStep: perStep.value)
        guard let word else { return leaveOut(.noClock) }
        guard Allowance.allowsSteps(micro: microSteps, in: word.microseconds) else {
            sequence.counts.accepted &+= 1
            let seconds = RunningCount.Jump.seconds(word.microseconds)
            return health.refuseImplausible(
                "an interval of \(seconds) s said \(count.steps) steps: nobody makes so many, and it adds nothing")
        }
        sequence.counts.accepted &+= 1
        words.append(word)
        defer { selfCounting.claimedThrough = max(selfCounting.claimedThrough, end) }
        guard end > live.coveredThrough, end > selfCounting.claimedThrough else { return }
        let share = Double(end - max(word.start, selfCounting.claimedThrough)) / Double(word.microseconds)
        let steps = Quantity(rounding: (Double(word.microSteps / StepWord.micro) * share).rounded(.down))
        reports.add(steps: steps, micrometresPerStep: perStep, at: end, isLive: true)
    }

    private mutating func book(steps change: RunningCount.Change) {
        let perStep = settings.stepLength.micrometres(rateHz: nil)
        ledger.spread(change.amount, from: change.start, to: change.end, by: .device) {
            $0.add(.steps, $1)
            $0.add(.distance, $1 * perStep)
        }
        guard change.end > live.coveredThrough else { return }
        reports.add(steps: Quantity(change.amount), micrometresPerStep: perStep, at: change.end, isLive: true)
    }

    /// Adds revolutions that were held; their cadence was shown when they came.
    private mutating func addSettled(_ change: RunningCount.Change) {
        book(change, rpm: change.perMinute)
        report(change)
    }

    private mutating func report(_ change: RunningCount.Change) {
        let amount = Quantity(change.amount)
        reports.add(
            revolutions: amount, distanceMicrometres: amount * settings.micrometresPerRevolution, at: change.end)
    }

    /// Shows a crank's cadence without adding anything.
    private mutating func showCrank(_ revolutions: Int64, from start: Int64, to end: Int64, _ eventTime1024: UInt16?) {
        selfCounting.crank.take(revolutions: revolutions, from: start, to: end, eventTime1024: eventTime1024)
        messagePeriod = min(end - start, SilenceRule.maximumPeriodMicroseconds)
        show(rpm: selfCounting.crank.rpm, at: end)
    }

    private mutating func add(_ change: RunningCount.Change, rpm: Float, isWhole: Bool = false) {
        messagePeriod = min(change.end - change.start, SilenceRule.maximumPeriodMicroseconds)
        book(change, rpm: rpm, isWhole: isWhole)
        if change.end > live.coveredThrough { report(change) }
        show(rpm: rpm, at: change.end)
    }

    private mutating func show(rpm: Float, at time: Int64) {
        if rpm > 0 {
            reports.take(rpm: rpm, confidence: 1, kind: .cycling, at: time)
            reports.take(activity: .cycling, confidence: .high, at: time)
        } else {
            reports.stop(at: time, kind: .stationary)
            reports.take(activity: .stationary, confidence: .medium, at: time)
        }
    }

    /// Adds the revolutions between two messages to the minutes.
    ///
    /// - Parameter isWhole: whether the cadence is known to have held, however long it was.
    private mutating func book(_ change: RunningCount.Change, rpm: Float, isWhole: Bool = false) {
        let perRevolution = settings.micrometresPerRevolution
        let gap = change.end - change.start
        ledger.spread(change.amount, from: change.start, to: change.end, by: .device) {
            $0.add(.revolutions, $1)
            $0.add(.distance, $1 * perRevolution)
        }
        guard gap > 0, change.amount >= 0, isWhole || gap <= CrankCadence.maximumGapMicroseconds else { return }
        cover(from: change.start, to: change.end, perMinute: rpm, as: .cycling)
    }

    /// The time between two counts is covered; with a cadence it is active, and the cadence held through it.
    mutating func cover(
        from start: Int64, to end: Int64, perMinute cadence: Float, as activity: Amount, isOfSteps: Bool = false,
        by origin: MinuteIncrement.Origin = .device
    ) {
        ledger.cover(from: start, to: end, by: origin)
        let first = start / 1_000_000
        let seconds = first...max(first, end / 1_000_000 - 1)
        ledger.note(.cadence, cadence, seconds: seconds, isOfSteps: isOfSteps, by: origin)
        ledger.change(at: end - 1, by: origin) {
            let milliseconds = (end - start) / 1000
            $0.add(cadence > 0 ? activity : .stationary, Quantity(milliseconds))
            guard cadence > 0 else { return }
            $0.add(.active, Quantity(milliseconds))
            $0.addCadence(cadence, milliseconds: milliseconds)
            $0.include(minimum: cadence, maximum: cadence)
        }
    }

    /// When a message without samples was sent, by the device's own clock; `nil` where it has none that can be true.
    mutating func ownTime(_ time: FrameTime, arrival: Int64) -> Int64? {
        switch time {
        case .utc(let microseconds):
            guard live.clock.takes(microseconds, arrival: arrival) else { return nil }
            facts.measureLag(arrival - microseconds, arrival)
            return microseconds
        case .uptime(let uptime):
            let utc = sequence.utc(ofUptime: uptime, boot: nil, duration: 0, arrival: arrival)
            return utc >= 0 && utc <= arrival + ClockLimits.aheadMicroseconds ? utc : nil
        case .absent: return nil
        }
    }
}

extension RunningCount.Jump {
    /// The value, and the one before it.
    fileprivate var words: String {
        "\(value), \(Self.seconds(elapsed)) s after \(before)"
    }

    /// Whole seconds, and a millionth where it is none.
    fileprivate static func seconds(_ microseconds: Int64) -> String {
        microseconds >= 1_000_000 ? "\(microseconds / 1_000_000)" : "\(Double(microseconds) / 1_000_000)"
    }
}

extension RunningCount.Change {
    /// The mean cadence, in revolutions a minute; 0 where no time lies between.
    fileprivate var perMinute: Float {
        guard end > start else { return 0 }
        return min(Float(Double(amount) * 60_000_000 / Double(end - start)), CrankCadence.maximumRPM)
    }
}
