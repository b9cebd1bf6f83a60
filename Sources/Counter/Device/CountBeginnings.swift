import Wire

/// The steps or turns that a walker or a crank can have made by now, at most: the number grows with the time that passes,
/// and shrinks by what is counted.
///
/// A message that counts more steps or turns names a number that nobody made. Those not made in a pause are kept for a
/// while, because messages travel unevenly, and a band may tell its gateway an hour of steps at once.
struct Allowance: Sendable, Equatable {
    /// The most that a crank or a walker makes in a second: 300 rpm, and the steps of a sprinter.
    static let fastestPerSecond: Int64 = 5
    /// The turns that a crank may show beyond that at any time: its messages are fresh.
    static let spareOfCrank: Int64 = 15
    /// The same for steps before anything is known of them, and the most that is saved up in words that do not change.
    static let spareOfUnknownSteps: Int64 = fastestPerSecond * 600
    static let spareOfSteps: Int64 = fastestPerSecond * 3600
    /// Counts a second by which more than that is let go: what a gateway kept back comes within moments.
    static let forgottenPerSecond: Int64 = 50
    /// The longest recording of which nothing was heard before its first word, in microseconds.
    static let longestUnheardMicroseconds: Int64 = 6 * 3_600_000_000
    /// A shorter stretch of time is taken to be so long, in microseconds: apps cut stretches at their steps.
    static let shortestStretchMicroseconds: Int64 = 1_000_000

    private static let micro: Int64 = 1_000_000
    /// Millionths of a count that are left.
    private var left: Int64
    private let spare: Int64

    init(isCrank: Bool) {
        left = (isCrank ? Self.spareOfCrank : Self.spareOfUnknownSteps) * Self.micro
        spare = (isCrank ? Self.spareOfCrank : Self.spareOfSteps) * Self.micro
    }

    /// The allowance after a time, in microseconds.
    func after(_ elapsed: Int64) -> Allowance {
        let elapsed = min(max(0, elapsed), CounterPipeline.arrivals.upperBound)
        var later = self
        let kept = left <= spare ? left : max(spare, left - min(left, elapsed * Self.forgottenPerSecond))
        later.left = kept + elapsed * Self.fastestPerSecond
        return later
    }

    func allows(_ count: UInt64) -> Bool { count <= UInt64(left / Self.micro) }

    /// Takes off what is counted, which it allows.
    mutating func spend(_ count: UInt64) {
        left = max(0, left - Int64(clamping: min(count, UInt64(left / Self.micro))) * Self.micro)
    }

    /// Lets go of what is left: a count that begins anew has only the time since.
    mutating func begin() { left = min(left, Self.spareOfCrank * Self.micro) }

    /// Whether `count` steps or turns can be made between two times, in microseconds, without any kept from a pause.
    static func allows(_ count: UInt64, from start: Int64, to end: Int64, beyond spare: Int64 = spareOfCrank) -> Bool {
        let elapsed = min(max(0, end - start), CounterPipeline.arrivals.upperBound)
        return count <= UInt64(elapsed / micro * fastestPerSecond + spare)
    }

    /// Whether a walker can make `micro` millionths of a step in a stretch of time, in microseconds.
    static func allowsSteps(micro: Int64, in stretch: Int64) -> Bool {
        micro <= max(stretch, shortestStretchMicroseconds) * fastestPerSecond
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&left)
        if !(0...Self.largest).contains(left) { coder.reject() }
    }

    private static let largest = CounterPipeline.arrivals.upperBound * 8
}

/// Readings that do not follow a running count's last value: a fall, a spike, a new beginning.
extension RunningCount {
    /// Sets a reading aside that says more than anybody can have made. The next ones show whether the count goes on from
    /// there.
    mutating func setAside(_ now: Mark, _ reading: Reading) -> Verdict {
        order.note(boot: reading.boot, sequence: reading.sequence)
        aside = Run(now, since: reading.arrival)
        return .implausible(Jump(value: now.value, before: mark.value, elapsed: elapsed(to: now)))
    }

    /// The count goes on from a reading that was set aside: when it has grown there it is a new beginning, of which only
    /// what was read counts. Where it is known when it was 0, and all of it can have been made since, all of it counts: the
    /// words before were behind.
    mutating func goOnAside(_ now: Mark, _ reading: Reading, into changes: inout [Change]) -> Verdict {
        guard var run = aside else { return .uncounted(.dip) }
        let jump = Jump(value: now.value, before: mark.value, elapsed: elapsed(to: now))
        _ = run.take(now)
        aside = run
        order.note(boot: reading.boot, sequence: reading.sequence)
        let isLong = reading.arrival - run.since >= Self.patienceMicroseconds
        guard run.rises >= Self.risesOfBeginning || run.rises > 0 && isLong else { return .implausible(jump) }
        aside = nil
        guard run.low.value >= mark.value else {
            run.since = min(run.since, hold?.since ?? run.since)
            hold = run
            return .held(growth: 0, since: now.time)
        }
        if let zeroAt = reading.zeroAt, Allowance.allows(now.value, from: zeroAt, to: now.time) {
            hold = nil
            return add(Int64(clamping: now.value - mark.value), reading, into: &changes)
        }
        // It may still come back to the value before, which takes back what is counted here.
        let rise = Change(amount: 0, start: mark.time, end: run.low.time)
        (former, hold, trail) = (mark, nil, [Counted(before: mark, change: rise)])
        mark = run.low
        return add(Int64(clamping: now.value - run.low.value), reading, into: &changes)
    }
}

// MARK: - Falls

extension RunningCount {
    mutating func fall(to reading: Reading, into changes: inout [Change]) -> Verdict {
        let now = Mark(value: reading.value, time: max(reading.time, mark.time), arrival: reading.arrival)
        if let aside, now.value >= aside.last.value, aside.low.value < mark.value,
            isPlausible(from: aside.last, to: now)
        {
            let verdict = goOnAside(now, reading, into: &changes)
            if let hold { settleIfSure(hold, reading, into: &changes) }
            return verdict
        }
        if let hold, now.value >= hold.low.value, !isPlausible(from: hold.last, to: now) {
            return setAside(now, reading)
        }
        order.note(boot: reading.boot, sequence: reading.sequence)
        (arrival, ownTime) = (reading.arrival, reading.ownTime)
        eventTime1024 = reading.eventTime1024.map { Int64($0) }
        guard var hold, reading.value >= hold.low.value else {
            var run = Run(now, since: self.hold?.since ?? reading.arrival)
            run.count += self.hold?.count ?? 0
            self.hold = run
            return .held(growth: 0, since: now.time)
        }
        let since = hold.last.time
        let growth = hold.take(now)
        self.hold = hold
        settleIfSure(hold, reading, into: &changes)
        let isShown = self.hold == nil || reading.arrival - hold.since >= Self.shownAfterMicroseconds
        return .held(growth: isShown ? Int64(clamping: growth) : 0, since: isShown ? since : now.time)
    }

    private mutating func settleIfSure(_ hold: Run, _ reading: Reading, into changes: inout [Change]) {
        let isLong = reading.arrival - hold.since >= Self.patienceMicroseconds
        guard hold.rises >= risesNeeded(hold), isDeep(hold) || isLong else { return }
        settle(into: &changes)
    }

    /// Whether the readings of a run begin a count anew, or go on from before a spike: a small fall may be
    /// an older reading.
    func isDeep(_ hold: Run) -> Bool {
        hold.low.value < mark.value / 2 || mark.value <= 1 || leap(before: hold) != nil
    }

    private func risesNeeded(_ hold: Run) -> Int64 {
        if isDeep(hold) { return Int64(Self.risesOfBeginning) }
        let fall = mark.value - hold.low.value
        let isDip = fall <= max(Self.dipAtMost, mark.value / Self.dipShare)
        return isDip ? .max : Int64(Self.risesOfShallowBeginning)
    }

    /// The place in the trail of the leap that a run lies below, so that it was a spike; `nil` where there is none.
    private func leap(before run: Run) -> Int? {
        trail.indices.first { place in
            let before = trail[place].before
            let after = place + 1 < trail.count ? trail[place + 1].before.value : mark.value
            guard run.low.value >= before.value, after >= before.value + Self.leapAtLeast else { return false }
            let isAlsoNew = before.value <= Self.dipAtMost && isFromZero(run)
            return !isAlsoNew && run.low.value - before.value <= (after - before.value) / Self.leapShare
                && isPlausible(from: before, to: run.low)
        }
    }

    /// Whether the device can have counted the readings of a run from 0 since the last reading before it.
    private func isFromZero(_ run: Run) -> Bool {
        let usual = max(0, run.low.time - mark.time) / 1_000 * Self.sustainedMilliPerSecond / 1_000_000 + 3
        return run.low.value <= UInt64(clamping: usual)
    }

    mutating func settleIfDeep(into changes: inout [Change]) {
        if let hold, isDeep(hold) { settle(into: &changes) }
    }

    /// The held readings go on before a spike, which is taken back. Or they are a new beginning: from 0 where that can have
    /// been counted since the last reading, else from the first value that was read.
    mutating func settle(into changes: inout [Change]) {
        guard let hold else { return }
        if let place = leap(before: hold) { return takeBack(from: place, hold, into: &changes) }
        let begin =
            isFromZero(hold) ? Mark(value: 0, time: mark.time, arrival: mark.arrival) : hold.low
        former = mark
        goOn(from: begin, at: begin.time, hold, into: &changes)
        settled.readings += hold.count
    }

    private mutating func takeBack(from place: Int, _ hold: Run, into changes: inout [Change]) {
        let (before, leap) = (trail[place].before, trail[place].change)
        let elapsed = max(0, leap.end - leap.start)
        settled.spike = Jump(value: mark.value, before: before.value, elapsed: elapsed)
        for counted in trail[place...].reversed() where counted.change.amount != 0 {
            changes.append(
                Change(amount: -counted.change.amount, start: counted.change.start, end: counted.change.end))
        }
        former = nil
        goOn(from: before, at: leap.start, hold, into: &changes)
    }

    private mutating func goOn(from begin: Mark, at start: Int64, _ hold: Run, into changes: inout [Change]) {
        let before = mark.time
        (first, trail) = (nil, [])
        if hold.last.value > begin.value {
            let change = Change(
                amount: Int64(clamping: hold.last.value - begin.value), start: min(start, hold.last.time),
                end: hold.last.time)
            changes.append(change)
            trail = [Counted(before: begin, change: change)]
            movedAt = hold.last.time
        }
        if hold.rises == 0 { movedAt = min(movedAt, before - 1) }
        mark = hold.last
        (self.hold, aside) = (nil, nil)
    }
}
