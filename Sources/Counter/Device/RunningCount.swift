import Motion
import Wire

/// A count that says "so many since then" and only grows: of a crank, of steps since a device's start, or within a day
/// (`DayCount`).
///
/// A value below the last one is one of three things, and often only what comes next shows which:
/// - an older or a repeated word: its order or time is older, or the count is back where it was right after it;
/// - a dip: a little less, or 0 for a moment, and then back;
/// - a new beginning, from which the count goes on: a battery, a restart, a power cut.
///
/// A value above what anybody can have made since (`Allowance`) is a spike, from which the count comes back, or a new
/// beginning. A spike after a pause may be possible: it counts, and is taken back when the count goes on below it.
///
/// Until that is known the value is held. So nothing is added twice, what was counted since a new beginning is added
/// when it is settled, and the choice is the same whether or not the services were restarted meanwhile: all of it is in
/// the device's state.
struct RunningCount: Sendable, Equatable {
    /// One word of the device.
    struct Reading: Sendable, Equatable {
        var value: UInt64
        /// The value at which the count wraps to 0; 0 where it is not known.
        var modulus: UInt64 = 0
        /// The life of the device and the message's number in it, where it has them.
        var boot: BootID?
        var sequence: UInt64?
        /// The time by the device's own clock, and that of the arrival: microseconds since 1970, UTC.
        var ownTime: Int64?
        var arrival: Int64
        /// The time of the last revolution in 1/1024 s, modulo 65,536.
        var eventTime1024: UInt16?
        /// The count began within what is being measured, so that its first value counts too.
        var countsFromZero = false
        /// When the count was 0, where that is known.
        var zeroAt: Int64?

        var time: Int64 { ownTime ?? arrival }
    }

    /// An amount to add, spread from one time to another, in microseconds since 1970.
    struct Change: Sendable, Equatable {
        var amount: Int64
        var start: Int64
        var end: Int64
    }

    enum Verdict: Sendable, Equatable {
        /// It was taken; it may have added nothing, where nothing moved.
        case taken
        /// It was taken, and shows that a low run which seemed a new beginning was a dip.
        case returned
        /// It is older than what counts, and told of a time of which nothing was known.
        case takenEarlier
        /// It is set aside, because nobody counts so fast: what comes next shows whether the count goes on from there.
        case implausible(Jump)
        /// It is below the last one, and it is not known yet why. It grew by this much since the reading before it.
        case held(growth: Int64, since: Int64)
        /// It changes nothing.
        case uncounted(Uncounted)
    }

    /// A value that says more than anybody can have made.
    struct Jump: Sendable, Equatable {
        var value: UInt64
        /// The value before it, and the time since then, in microseconds.
        var before: UInt64
        var elapsed: Int64
    }

    /// The most that is kept up for long, in thousandths a second: 150 rpm, and the steps of a runner.
    static let sustainedMilliPerSecond: Int64 = 2_500
    /// Counts beyond that at the wrap of a count, for messages that travelled unevenly.
    static let slackOfWrap: Int64 = 5
    /// A fall that is not settled by what comes next is settled after this time, in microseconds.
    static let patienceMicroseconds: Int64 = 60_000_000
    /// Values that rose within a low run, so that it is a new beginning: far below the last value, or not so far.
    static let risesOfBeginning = 2
    static let risesOfShallowBeginning = 4
    /// A fall of so little, or of this share of the value, is a dip, whatever follows.
    static let dipAtMost: UInt64 = 10
    static let dipShare: UInt64 = 50
    /// The most a crank's event time and the time since it last moved may differ, in microseconds.
    static let eventSlackMicroseconds: Int64 = 3_000_000

    /// A growth of so much in one word may have been a spike, if the count goes on within the first part of it.
    static let leapAtLeast: UInt64 = 200
    static let leapShare: UInt64 = 4
    /// The most words that are taken back with a spike.
    static let maximumTrail = 8
    /// A run below the last value is shown when it has lasted so long, in microseconds: words that come again a few
    /// seconds late show no cadence.
    static let shownAfterMicroseconds: Int64 = 5_000_000

    /// The newest value that counts, and when it was read and came.
    struct Mark: Sendable, Equatable {
        var value: UInt64 = 0
        var time: Int64 = 0
        var arrival: Int64 = 0
    }

    /// Readings that do not follow the last value, until it is known why: below it, or far beyond.
    struct Run: Sendable, Equatable {
        var low = Mark()
        var last = Mark()
        /// The arrival of the first of them, in microseconds since 1970.
        var since: Int64 = 0
        var count: UInt64 = 0
        var rises: Int64 = 0

        init() {}

        init(_ mark: Mark, since: Int64) {
            (low, last, self.since, count) = (mark, mark, since, 1)
        }

        /// Takes the next reading; returns by how much it grew.
        mutating func take(_ mark: Mark) -> UInt64 {
            let growth = mark.value > last.value ? mark.value - last.value : 0
            count += 1
            if growth > 0 { rises += 1 }
            last = mark
            return growth
        }
    }

    /// A word that was counted, and the value before it, with the crank's event time then in 1/1024 s, where it tells one.
    struct Counted: Sendable, Equatable {
        var before = Mark()
        var eventTime1024: Int64?
        var change = Change(amount: 0, start: 0, end: 0)
    }

    let isCrank: Bool
    private(set) var isBegun = false
    var order = MessageOrder()
    var mark = Mark()
    private var modulus: UInt64 = 0
    var arrival: Int64 = 0
    var ownTime: Int64?
    var eventTime1024: Int64?
    /// When the value last grew.
    var movedAt: Int64 = 0
    /// Its pace then, in thousandths a second.
    private var paceMilliPerSecond: Int64 = 0
    var allowance: Allowance
    /// Readings below the last value.
    var hold: Run?
    /// Readings beyond what can have been made.
    var aside: Run?
    /// The value before a new beginning, where the count may still come back to.
    var former: Mark?
    /// The first reading of a count that was under way, so that one which it overtook still counts.
    var first: Reading?
    /// The last words that were counted, the newest last.
    var trail: [Counted] = []

    /// Held readings that a new beginning has explained, and a spike that was taken back, since the last call of
    /// `takeSettled`.
    var settled = Settled()

    struct Settled: Sendable, Equatable {
        var readings: UInt64 = 0
        var spike: Jump?
    }

    init(isCrank: Bool = false) {
        self.isCrank = isCrank
        allowance = Allowance(isCrank: isCrank)
    }

    var isHolding: Bool { hold != nil }

    /// The time of the newest reading that counted, in microseconds since 1970; `nil` before the first.
    var time: Int64? { isBegun ? mark.time : nil }

    mutating func takeSettled() -> Settled {
        defer { settled = Settled() }
        return settled
    }

    mutating func take(_ reading: Reading, into changes: inout [Change]) -> Verdict {
        guard isBegun else { return begin(reading, into: &changes) }
        settleWhenOverdue(now: reading.arrival, into: &changes)
        switch age(of: reading) {
        case .repeated:
            // A broker sends words again in their order: the held words before this one came again too.
            if isInTrail(reading) { hold = nil }
            return .uncounted(.repeated)
        case .older: return takeOlder(reading, into: &changes)
        case .newBoot:
            settleIfDeep(into: &changes)
            startAnew(at: reading)
            // None began before the last word of the one before.
            allowance.begin()
            return grow(to: reading, into: &changes)
        case .newer, .olderBoot, .unknown: break
        }
        if reading.value >= mark.value {
            return reading.modulus == modulus ? grow(to: reading, into: &changes) : rebase(to: reading)
        }
        if let delta = wrapped(reading) {
            (hold, aside) = (nil, nil)
            return add(delta, reading, into: &changes)
        }
        return fall(to: reading, into: &changes)
    }

    /// Settles a fall that nothing has explained for a while, also when a reading arrives. Call it now and then.
    ///
    /// - Parameter now: the time on the clock of arrivals, in microseconds since 1970.
    mutating func settleWhenOverdue(now: Int64, into changes: inout [Change]) {
        if isOverdue(now: now) { settle(into: &changes) }
    }

    /// True when a fall was not explained within `patienceMicroseconds`, so that it is a new beginning.
    func isOverdue(now: Int64) -> Bool {
        hold.map { now - $0.since >= Self.patienceMicroseconds && isDeep($0) } ?? false
    }
}

// MARK: - Order

extension RunningCount {
    /// The place of a reading among those before: by boot and number, else by the device's own time, else by arrival.
    func age(of reading: Reading) -> MessageOrder.Age {
        let isProvenNew = reading.ownTime.map { time in ownTime.map { time > $0 } ?? false } ?? false
        switch order.age(boot: reading.boot, sequence: reading.sequence) {
        case .newBoot: return .newBoot
        case .olderBoot: return .older
        case .repeated: return isProvenNew ? .newer : .repeated
        case .older: return isProvenNew ? .newer : .older
        case .newer: return .newer
        case .unknown: break
        }
        if isInTrail(reading) { return .repeated }
        if isBeforeWrap(reading) || isBeforeFall(reading) { return .older }
        // A higher value is news, whatever a clock that was set back says.
        guard reading.value <= mark.value, reading.modulus == 0 || reading.arrival < arrival else { return .newer }
        if let own = reading.ownTime, let ownTime, own <= ownTime, own < ownTime || reading.value == mark.value {
            return reading.value == mark.value ? .repeated : .older
        }
        if reading.arrival < arrival { return reading.value == mark.value ? .repeated : .older }
        return reading.arrival == arrival && reading.value == mark.value ? .repeated : .newer
    }

    /// Whether a reading is one of the last words that counted: it has the value and the crank's event time of one.
    private func isInTrail(_ reading: Reading) -> Bool {
        guard let eventTime = reading.eventTime1024 else { return false }
        return trail.contains { $0.before.value == reading.value && $0.eventTime1024 == Int64(eventTime) }
    }

    /// Whether a reading's value is an older one, of before the count wrapped to 0: no further below the last value, across
    /// the wrap, than a dip is.
    private func isBeforeWrap(_ reading: Reading) -> Bool {
        guard former == nil, reading.modulus == modulus, reading.value > mark.value, reading.value < modulus
        else { return false }
        return modulus - (reading.value - mark.value) <= max(Self.dipAtMost, modulus / Self.dipShare)
    }

    /// Whether a reading was made before the count fell and began anew: the device's time of it is no later than that of the
    /// last value before the fall, and its value is nearer to that value than to the newest.
    private func isBeforeFall(_ reading: Reading) -> Bool {
        guard let former, let own = reading.ownTime, own <= former.time,
            reading.value > mark.value, reading.value <= former.value
        else { return false }
        return former.value - reading.value < reading.value - mark.value
    }

    /// An older word counts where it reaches back behind the first.
    private mutating func takeOlder(_ reading: Reading, into changes: inout [Change]) -> Verdict {
        guard let first, reading.boot == order.boot, reading.modulus == modulus, precedes(first, reading),
            reading.time <= first.time,
            let delta = Self.delta(from: reading.value, to: first.value, modulus: modulus),
            Allowance.allows(delta, from: reading.time, to: first.time)
        else { return .uncounted(.older) }
        changes.append(Change(amount: Int64(clamping: delta), start: reading.time, end: first.time))
        self.first = reading
        return .takenEarlier
    }

    private func precedes(_ first: Reading, _ reading: Reading) -> Bool {
        if let sequence = reading.sequence { return sequence < first.sequence ?? 0 }
        if let own = reading.ownTime, let earlier = first.ownTime { return own < earlier }
        return reading.arrival < first.arrival
    }
}

// MARK: - Growth

extension RunningCount {
    private mutating func begin(_ reading: Reading, into changes: inout [Change]) -> Verdict {
        let zeroAt = reading.zeroAt ?? reading.time - Allowance.longestUnheardMicroseconds
        if reading.countsFromZero {
            guard Allowance.allows(reading.value, from: zeroAt, to: reading.time) else {
                return .implausible(Jump(value: reading.value, before: 0, elapsed: max(0, reading.time - zeroAt)))
            }
        }
        isBegun = true
        if !reading.countsFromZero { first = reading }
        if reading.countsFromZero, reading.value > 0 {
            let change = Change(amount: Int64(clamping: reading.value), start: reading.time, end: reading.time)
            changes.append(change)
            trail = [Counted(before: Mark(value: 0, time: zeroAt, arrival: reading.arrival), change: change)]
        }
        mark.time = reading.time
        note(reading)
        return .taken
    }

    private mutating func grow(to reading: Reading, into changes: inout [Change]) -> Verdict {
        let delta = reading.value - mark.value
        let now = Mark(value: reading.value, time: max(reading.time, mark.time), arrival: reading.arrival)
        if let aside, aside.low.value >= mark.value, reading.value >= aside.last.value,
            isPlausible(from: aside.last, to: now)
        {
            return goOnAside(now, reading, into: &changes)
        }
        if hold == nil, let former, reading.value >= former.value,
            Allowance.allows(reading.value - former.value, from: former.time, to: reading.time),
            !Allowance.allows(delta, from: mark.time, to: reading.time) || movedAt < former.time
        {
            // The count is back where it was: the low run was a dip after all.
            self.former = nil
            (mark, trail) = (former, [])
            _ = add(Int64(clamping: reading.value - former.value), reading, into: &changes)
            return .returned
        }
        guard allowance.after(elapsed(to: now)).allows(delta) else { return setAside(now, reading) }
        (hold, aside) = (nil, nil)
        return add(Int64(clamping: delta), reading, into: &changes)
    }

    /// The time since the last value that counts, by the device's clock or ours: either may stand while the other goes on.
    func elapsed(to now: Mark) -> Int64 {
        guard mark.arrival > 0 else { return max(0, now.time - mark.time) }
        return max(0, now.time - mark.time, now.arrival - mark.arrival)
    }

    /// Whether a run can have grown so.
    func isPlausible(from last: Mark, to now: Mark) -> Bool {
        let spare = isCrank ? Allowance.spareOfCrank : Allowance.spareOfUnknownSteps
        return now.value < last.value
            || Allowance.allows(now.value - last.value, from: last.time, to: now.time, beyond: spare)
    }

    mutating func add(_ amount: Int64, _ reading: Reading, into changes: inout [Change]) -> Verdict {
        let end = max(reading.time, mark.time)
        let change = Change(amount: amount, start: mark.time, end: end)
        changes.append(change)
        allowance = allowance.after(
            elapsed(to: Mark(value: reading.value, time: end, arrival: reading.arrival)))
        if amount > 0 {
            allowance.spend(UInt64(clamping: amount))
            if trail.count == Self.maximumTrail { trail.removeFirst() }
            trail.append(Counted(before: mark, eventTime1024: eventTime1024, change: change))
            let microseconds = max(end - mark.time, 1)
            let pace = Double(amount) * 1e9 / Double(microseconds)
            paceMilliPerSecond = Int64(min(pace, Double(Allowance.fastestPerSecond * 1000)))
            movedAt = end
        }
        note(reading)
        return .taken
    }

    /// Goes on from a reading without counting what lies between.
    private mutating func rebase(to reading: Reading) -> Verdict {
        (hold, aside, first, trail) = (nil, nil, nil, [])
        note(reading)
        return .taken
    }

    private mutating func note(_ reading: Reading) {
        order.note(boot: reading.boot, sequence: reading.sequence)
        mark = Mark(value: reading.value, time: max(reading.time, mark.time), arrival: reading.arrival)
        (modulus, arrival) = (reading.modulus, reading.arrival)
        ownTime = reading.ownTime
        eventTime1024 = reading.eventTime1024.map { Int64($0) }
    }

    /// The count begins from 0 with the next reading, no earlier than a time.
    mutating func startAnew(at reading: Reading, notBefore time: Int64 = .min) {
        (hold, aside, former, first, trail) = (nil, nil, nil, nil, [])
        mark = Mark(value: 0, time: max(mark.time, time), arrival: mark.arrival)
        modulus = reading.modulus
    }

    /// The increase of a count, across its wrap; `nil` if it went back, which is the nearer way where the increase would be
    /// more than half of the modulus. Source: RFC 1982, section 3.2.
    private static func delta(from earlier: UInt64, to later: UInt64, modulus: UInt64) -> UInt64? {
        if later >= earlier { return later - earlier }
        guard modulus > earlier, modulus - earlier + later <= modulus / 2 else { return nil }
        return modulus - earlier + later
    }

    /// The growth across a wrap of 16 or 32 bits, where the pace of before and the sensor's event time allow it.
    private func wrapped(_ reading: Reading) -> Int64? {
        // Where nothing says at which number a count wraps, it has been seen to grow near it.
        guard reading.modulus > 0 || movedAt > 0 else { return nil }
        let moduli: [UInt64] = reading.modulus > 0 ? [reading.modulus] : [1 << 16, 1 << 32]
        let elapsed = max(0, reading.time - mark.time)
        let pace = min(max(paceMilliPerSecond * 3 / 2, 1_000), Self.sustainedMilliPerSecond)
        let limit = elapsed / 1_000 * pace / 1_000_000 + Self.slackOfWrap
        for modulus in moduli where mark.value < modulus {
            guard let delta = Self.delta(from: mark.value, to: reading.value, modulus: modulus) else { continue }
            if delta <= UInt64(clamping: limit), isInStep(reading, growth: Int64(delta)) { return Int64(delta) }
        }
        return nil
    }

    /// Whether the crank's event time went on with the clock: that of a sensor that started anew mostly did not. Where the
    /// network kept words back, a few turns took by the crank's own clock what turns take.
    private func isInStep(_ reading: Reading, growth: Int64) -> Bool {
        let sinceMove = reading.time - max(movedAt, 0)
        guard let earlier = eventTime1024, let later = reading.eventTime1024, movedAt > 0, sinceMove < 60_000_000
        else { return true }
        let elapsed = (Int64(later) - earlier + 65_536) % 65_536 * 1_000_000 / 1024
        if (elapsed - sinceMove).magnitude <= UInt64(Self.eventSlackMicroseconds) { return true }
        let fastest = 1_000_000 / Allowance.fastestPerSecond
        return growth <= Self.slackOfWrap
            && (growth * fastest...growth * SilenceRule.minimumMicroseconds).contains(elapsed)
    }
}

// MARK: - State

extension RunningCount {
    mutating func transfer(_ coder: inout ByteCoder) {
        coder.code(&isBegun)
        order.transfer(&coder)
        coder.code(&mark)
        coder.code(bits: &modulus)
        coder.code(&arrival)
        coder.code(&ownTime)
        coder.code(&eventTime1024)
        coder.code(&movedAt)
        coder.code(&paceMilliPerSecond)
        allowance.transfer(&coder)
        coder.code(optional: &hold, empty: Run()) { $0.code(&$1) }
        coder.code(optional: &aside, empty: Run()) { $0.code(&$1) }
        coder.code(optional: &former, empty: Mark()) { $0.code(&$1) }
        coder.code(optional: &first, empty: Reading(value: 0, arrival: 0)) { coder, first in
            var mark = Mark(value: first.value, time: first.time, arrival: first.arrival)
            var sequence = first.sequence ?? 0
            coder.code(&mark)
            coder.code(bits: &sequence)
            coder.code(&first.arrival)
            coder.code(&first.ownTime)
            (first.value, first.sequence) = (mark.value, sequence)
        }
        coder.code(array: &trail, maximum: Self.maximumTrail, empty: Counted()) { coder, counted in
            coder.code(&counted.before)
            coder.code(&counted.eventTime1024)
            coder.code(&counted.change.amount)
            coder.code(&counted.change.start)
            coder.code(&counted.change.end)
        }
        if !(0...Allowance.fastestPerSecond * 1000).contains(paceMilliPerSecond) { coder.reject() }
    }
}

extension ByteCoder {
    fileprivate mutating func code(_ run: inout RunningCount.Run) {
        code(&run.low)
        code(&run.last)
        code(&run.since)
        code(&run.count)
        code(&run.rises)
    }

    mutating func code(_ mark: inout RunningCount.Mark) {
        code(bits: &mark.value)
        code(&mark.time)
        code(&mark.arrival)
    }
}
