import Motion
import Wire

/// The counts of a device that counts by itself: crank revolutions, cadence and steps.
struct SelfCounting: Sendable, Equatable {
    var cranks = RevolutionTracker()
    /// The messages of the crank that have come.
    var messages = SequenceFilter()
    var baseline = CrankBaseline()
    var steps = DeviceStepLedger()

    /// Everything but `baseline`, which has a section of its own in a device's state.
    mutating func transfer(_ coder: inout StateCoder) {
        cranks.transfer(&coder)
        messages.transfer(&coder)
        steps.transfer(&coder)
    }
}

/// Lets each message of a self-counting device through once, and none that is older than one that went through: such
/// numbers are cumulative, and the newest includes the older ones.
struct SequenceFilter: Sendable, Equatable {
    private struct Boot: Sendable, Equatable {
        var boot: BootID
        var newest: UInt64
    }

    static let maximumBoots = 8

    private var boots: [Boot] = []
    private var recent = RecentHashes()

    /// Returns true for a message that has not been counted yet.
    mutating func admit(_ identity: FrameIdentity, time: FrameTime) -> Bool {
        switch identity {
        case .unsequenced(let hash): recent.insert(hash, time)
        case .sequenced(let boot, let sequence): admit(boot, sequence)
        }
    }

    private mutating func admit(_ boot: BootID, _ sequence: UInt64) -> Bool {
        guard let index = boots.lastIndex(where: { $0.boot == boot }) else {
            if boots.count == Self.maximumBoots { boots.removeFirst() }
            boots.append(Boot(boot: boot, newest: sequence))
            return true
        }
        guard index == boots.count - 1, sequence > boots[index].newest else { return false }
        boots[index].newest = sequence
        return true
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(array: &boots, maximum: Self.maximumBoots, empty: Boot(boot: BootID(rawValue: 0), newest: 0)) {
            $0.code(&$1.boot)
            $0.code(bits: &$1.newest)
        }
        recent.transfer(&coder)
    }
}

/// Adds up the steps that a device counted by itself, each once, whatever it repeats or corrects.
struct DeviceStepLedger: Sendable, Equatable {
    /// The most recent intervals that a correction can replace.
    static let maximumIntervals = 512
    /// The most steps of one message: more than the record for a day.
    static let maximumSteps: UInt64 = 1_000_000

    struct Interval: Sendable, Equatable {
        var start: Int64 = 0
        var end: Int64 = 0
        var steps: Int64 = 0
    }

    /// The steps that a message adds, spread over a stretch of time; `previous` is taken off first.
    struct Change: Sendable, Equatable {
        var steps: Int64
        var previous: Int64 = 0
        var start: Int64
        var end: Int64
    }

    private var intervals: [Interval] = []
    private var day = Interval()
    private var boot = Interval()
    private var bootID = BootID(rawValue: 0)

    /// The change that a message makes; `nil` if it changes nothing.
    mutating func take(_ count: DeviceStepCount) -> Change? {
        guard count.steps <= Self.maximumSteps, count.startMicroseconds >= 0 else { return nil }
        switch count.kind {
        case .interval: return takeInterval(count)
        case .day: return takeDay(count)
        case .boot: return takeBoot(count)
        }
    }

    private mutating func takeInterval(_ count: DeviceStepCount) -> Change? {
        let steps = Int64(count.steps)
        let start = count.startMicroseconds
        let end = max(count.endMicroseconds, start)
        if let index = intervals.lastIndex(where: { $0.start == start && $0.end == end }) {
            let previous = intervals[index].steps
            intervals[index].steps = steps
            return previous == steps ? nil : Change(steps: steps, previous: previous, start: start, end: end)
        }
        if intervals.count == Self.maximumIntervals {
            // An interval older than all that are remembered may be a repeated one.
            guard let oldest = intervals.first, start > oldest.start else { return nil }
            intervals.removeFirst()
        }
        let place = intervals.lastIndex { $0.start <= start }.map { $0 + 1 } ?? 0
        intervals.insert(Interval(start: start, end: end, steps: steps), at: place)
        return Change(steps: steps, start: start, end: end)
    }

    /// A day's counter falls only at the device's midnight.
    private mutating func takeDay(_ count: DeviceStepCount) -> Change? {
        let now = count.startMicroseconds
        let steps = Int64(count.steps)
        guard now > day.end || day.end == 0 else { return nil }
        let added = day.end == 0 || steps < day.steps ? steps : steps - day.steps
        let start = day.end == 0 || steps < day.steps ? now : day.end
        day = Interval(start: start, end: now, steps: steps)
        return added == 0 ? nil : Change(steps: added, start: start, end: now)
    }

    /// A boot's counter never falls; another boot counts from 0. The first one ever is where we begin.
    private mutating func takeBoot(_ count: DeviceStepCount) -> Change? {
        let now = count.startMicroseconds
        let steps = Int64(count.steps)
        let isFirst = boot.end == 0
        let isSame = count.boot == bootID
        guard isFirst || now > boot.end, isFirst || !isSame || steps >= boot.steps else { return nil }
        let added = isFirst ? 0 : isSame ? steps - boot.steps : steps
        let start = isFirst || !isSame ? now : boot.end
        boot = Interval(start: start, end: now, steps: steps)
        bootID = count.boot
        return added == 0 ? nil : Change(steps: added, start: start, end: now)
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(array: &intervals, maximum: Self.maximumIntervals, empty: Interval()) { $1.transfer(&$0) }
        day.transfer(&coder)
        boot.transfer(&coder)
        coder.code(&bootID)
    }
}

extension DeviceStepLedger.Interval {
    fileprivate mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&start)
        coder.code(&end)
        coder.code(&steps)
    }
}

// MARK: - Messages

extension DeviceCounter {
    mutating func accept(_ count: RevolutionCount, arrival: Int64) {
        let isNewer = selfCounting.messages.admit(count.identity, time: count.time)
        let instant = instant(count.time, count.identity, arrival: arrival)
        guard isNewer else {
            guard let step = selfCounting.baseline.take(count, at: instant) else {
                return sequence.counts.duplicate &+= 1
            }
            sequence.counts.accepted &+= 1
            return book(step)
        }
        let isFirst = !selfCounting.cranks.hasBaseline
        guard let step = selfCounting.cranks.take(count, at: instant) else { return sequence.counts.stale &+= 1 }
        selfCounting.baseline.note(count, at: instant, isFirst: isFirst)
        facts.take(.revolutions)
        sequence.counts.accepted &+= 1
        add(step)
    }

    mutating func accept(rpm: Float, _ identity: FrameIdentity, _ time: FrameTime, arrival: Int64) {
        guard selfCounting.messages.admit(identity, time: time) else { return sequence.counts.duplicate &+= 1 }
        let instant = instant(time, identity, arrival: arrival)
        guard let step = selfCounting.cranks.take(rpm: rpm, at: instant) else { return sequence.counts.stale &+= 1 }
        facts.take(.cadence)
        sequence.counts.accepted &+= 1
        add(step)
    }

    mutating func accept(_ count: DeviceStepCount, arrival: Int64) {
        let latest = max(count.startMicroseconds, count.endMicroseconds)
        guard count.startMicroseconds >= 0, latest <= arrival + ClockLimits.aheadMicroseconds else {
            health.refuse(.absurdTime, count: 1)
            return sequence.counts.stale &+= 1
        }
        guard let change = selfCounting.steps.take(count) else { return sequence.counts.duplicate &+= 1 }
        facts.take(.steps)
        sequence.counts.accepted &+= 1
        let perStep = settings.stepLength.micrometres(rateHz: nil)
        for steps in [-change.previous, change.steps] {
            ledger.spread(steps, from: change.start, to: change.end, by: .device) {
                $0.steps += $1
                $0.distanceMicrometres += $1 * perStep
            }
        }
        guard change.end > live.coveredThrough else { return }
        let added = change.steps - change.previous
        reports.add(steps: added, distanceMicrometres: added * perStep, at: change.end, isLive: true)
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

    private mutating func add(_ step: RevolutionTracker.Step) {
        if step.isImplausible { health.refuseImplausible() }
        messagePeriod = min(step.end - step.start, SilenceRule.maximumPeriodMicroseconds)
        book(step)
        if step.end > live.coveredThrough {
            let distance = step.revolutions * settings.micrometresPerRevolution
            reports.add(revolutions: step.revolutions, distanceMicrometres: distance, at: step.end)
        }
        if step.rpm > 0 {
            reports.take(rpm: step.rpm, confidence: 1, kind: .cycling, at: step.end)
            reports.take(activity: .cycling, confidence: .high, at: step.end)
        } else {
            reports.stop(at: step.end, kind: .stationary)
            reports.take(activity: .stationary, confidence: .medium, at: step.end)
        }
    }

    /// Adds the revolutions between two messages to the minutes.
    private mutating func book(_ step: RevolutionTracker.Step) {
        let perRevolution = settings.micrometresPerRevolution
        let gap = step.end - step.start
        ledger.spread(step.revolutions, from: step.start, to: step.end, by: .device) {
            $0.revolutions += $1
            $0.distanceMicrometres += $1 * perRevolution
        }
        if gap > 0, gap <= RevolutionTracker.maximumGapMicroseconds { cover(step) }
    }

    /// The time between two counts is covered; with a cadence it is active, and the cadence held through it.
    private mutating func cover(_ step: RevolutionTracker.Step) {
        ledger.cover(from: step.start, to: step.end, by: .device)
        let activity = Int((step.rpm > 0 ? ActivityKind.cycling : .stationary).rawValue)
        ledger.change(at: step.end - 1, by: .device) {
            let milliseconds = (step.end - step.start) / 1000
            $0.activityMilliseconds[activity] += milliseconds
            guard step.rpm > 0 else { return }
            $0.activeMilliseconds += milliseconds
            $0.addCadence(step.rpm, milliseconds: milliseconds)
            $0.include(minimum: step.rpm, maximum: step.rpm)
        }
    }

    /// When a message without samples was sent.
    private mutating func instant(_ time: FrameTime, _ identity: FrameIdentity, arrival: Int64) -> Int64 {
        switch time {
        case .utc(let microseconds):
            return ClockLimits.allows(microseconds, arrival: arrival) ? microseconds : arrival
        case .uptime(let uptime):
            let utc = sequence.utc(ofUptime: uptime, boot: nil, duration: 0, arrival: arrival)
            return utc >= 0 && utc <= arrival + ClockLimits.aheadMicroseconds ? utc : arrival
        case .absent: return arrival
        }
    }
}
