import Motion
import Wire

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
            reports.tell(rpm: step.rpm, confidence: 1, kind: .cycling, at: step.end)
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
