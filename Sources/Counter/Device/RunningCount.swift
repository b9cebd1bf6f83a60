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

        var time: Int64 { ownTime ?? arrival }
    }

    /// An amount to add, spread from one time to another, in microseconds since 1970.
    struct Change: Sendable, Equatable {
        var amount: Int64
        var start: Int64
        var end: Int64
    }

    /// The fate of a reading.
    enum Verdict: Sendable, Equatable {
        /// It was taken; it may have added nothing, where nothing moved.
        case taken
        /// It was taken, and shows that a low run which seemed a new beginning was a dip.
        case returned
        /// It is older than what counts, and told of a time of which nothing was known.
        case takenEarlier
        /// It was taken as a new start, because nobody counts so fast.
        case implausible
        /// It is below the last one, and it is not known yet why. It grew by this much since the reading before it.
        case held(growth: Int64, since: Int64)
        /// It changes nothing.
        case uncounted(Uncounted)
    }

    /// The most that a crank or a walker makes in a second: 300 rpm, and the steps of a sprinter.
    static let fastestPerSecond: Int64 = 5
    /// The most that is kept up for long, in thousandths a second: 150 rpm, and the steps of a runner.
    static let sustainedMilliPerSecond: Int64 = 2_500
    /// Counts beyond that which are accepted, for messages that travelled unevenly.
    static let slack: Int64 = 10
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

    /// The newest value that counts, and when it was read.
    struct Mark: Sendable, Equatable {
        var value: UInt64 = 0
        var time: Int64 = 0
    }

    /// Readings below the last value, until it is known why.
    private struct Hold: Sendable, Equatable {
        var low = Mark()
        var last = Mark()
        /// The arrival of the first of them, in microseconds since 1970.
        var since: Int64 = 0
        var count: UInt64 = 0
        var rises: Int64 = 0
    }

    /// The first reading of a count that was under way, so that one which it overtook still counts.
    fileprivate struct First: Sendable, Equatable {
        var mark = Mark()
        var sequence: UInt64 = 0
        var arrival: Int64 = 0
        var ownTime: Int64?

        init() {}

        init(_ reading: Reading) {
            mark = Mark(value: reading.value, time: reading.time)
            sequence = reading.sequence ?? 0
            (arrival, ownTime) = (reading.arrival, reading.ownTime)
        }
    }

    private(set) var isBegun = false
    private var order = MessageOrder()
    private(set) var mark = Mark()
    private var modulus: UInt64 = 0
    private var arrival: Int64 = 0
    private var ownTime: Int64?
    private var eventTime1024: Int64?
    /// When the value last grew.
    private var movedAt: Int64 = 0
    /// Its pace then, in thousandths a second.
    private var paceMilliPerSecond: Int64 = 0
    private var hold: Hold?
    /// The value before a new beginning, where the count may still come back to.
    private var former: Mark?
    private var first: First?

    /// Held readings that a new beginning has explained since the last call of `takeSettled`.
    private var settledReadings: UInt64 = 0

    /// Whether readings wait to be settled.
    var isHolding: Bool { hold != nil }

    /// The time of the newest reading that counted, in microseconds since 1970; `nil` before the first.
    var time: Int64? { isBegun ? mark.time : nil }

    /// The held readings that turned out to be a new beginning since the last call.
    mutating func takeSettled() -> UInt64 {
        defer { settledReadings = 0 }
        return settledReadings
    }

    /// Takes a reading, and appends what it adds.
    ///
    /// - Parameter isCrank: whether it is a crank's, of which no more is counted than it can turn.
    mutating func take(_ reading: Reading, isCrank: Bool = false, into changes: inout [Change]) -> Verdict {
        guard isBegun else { return begin(reading, into: &changes) }
        settleIfOld(at: reading.arrival, into: &changes)
        switch age(of: reading) {
        case .repeated: return .uncounted(.repeated)
        case .older: return takeOlder(reading, into: &changes)
        case .ofNewBoot:
            settleIfDeep(into: &changes)
            startAnew(at: reading)
            return add(Int64(clamping: reading.value), reading, into: &changes)
        case .newer: break
        }
        if reading.value >= mark.value {
            return reading.modulus == modulus
                ? grow(to: reading, isCrank: isCrank, into: &changes) : rebase(to: reading, verdict: .taken)
        }
        if let delta = wrapped(reading) {
            hold = nil
            return add(delta, reading, into: &changes)
        }
        return fall(to: reading, into: &changes)
    }

    /// Settles a deep fall that nothing has explained when a reading arrives.
    mutating func settleIfOld(at arrival: Int64, into changes: inout [Change]) {
        if let hold, arrival - hold.since >= Self.patienceMicroseconds { settleIfDeep(into: &changes) }
    }

    /// Settles a fall that nothing has explained for a while. Call it now and then.
    ///
    /// - Parameter now: the time on the clock of arrivals, in microseconds since 1970.
    /// - Returns: the held readings that turned out to be a new beginning since the last call.
    mutating func settleWhenOverdue(now: Int64, into changes: inout [Change]) -> UInt64 {
        if isOverdue(now: now) { settle(into: &changes) }
        return takeSettled()
    }

    /// True when a fall was not explained within `patienceMicroseconds`, so that it is a new beginning.
    func isOverdue(now: Int64) -> Bool {
        hold.map { now - $0.since >= Self.patienceMicroseconds && isDeep($0) } ?? false
    }
}

// MARK: - Order

extension RunningCount {
    enum Age {
        case newer, older, repeated, ofNewBoot
    }

    /// The place of a reading among those before: by boot and number, else by the device's own time, else by arrival.
    func age(of reading: Reading) -> Age {
        let isProvenNew = reading.ownTime.map { time in ownTime.map { time > $0 } ?? false } ?? false
        switch order.age(boot: reading.boot, sequence: reading.sequence) {
        case .newBoot: return .ofNewBoot
        case .olderBoot: return .older
        case .repeated: return isProvenNew ? .newer : .repeated
        case .older: return isProvenNew ? .newer : .older
        case .newer: return .newer
        case .unknown: break
        }
        // A higher value is news, whatever a clock that was set back says.
        guard reading.value <= mark.value, reading.modulus == 0 || reading.arrival < arrival else { return .newer }
        if let own = reading.ownTime, let ownTime, own <= ownTime, own < ownTime || reading.value == mark.value {
            return reading.value == mark.value ? .repeated : .older
        }
        if reading.arrival < arrival { return reading.value == mark.value ? .repeated : .older }
        return reading.arrival == arrival && reading.value == mark.value ? .repeated : .newer
    }

    /// An older word counts where it reaches back behind the first.
    private mutating func takeOlder(_ reading: Reading, into changes: inout [Change]) -> Verdict {
        guard let first, reading.boot == order.boot, reading.modulus == modulus, precedes(first, reading),
            reading.time <= first.mark.time,
            let delta = Self.delta(from: reading.value, to: first.mark.value, modulus: modulus),
            Self.isPlausible(delta, from: reading.time, to: first.mark.time)
        else { return .uncounted(.older) }
        changes.append(Change(amount: Int64(clamping: delta), start: reading.time, end: first.mark.time))
        self.first = First(reading)
        return .takenEarlier
    }

    private func precedes(_ first: First, _ reading: Reading) -> Bool {
        if let sequence = reading.sequence { return sequence < first.sequence }
        if let own = reading.ownTime, let earlier = first.ownTime { return own < earlier }
        return reading.arrival < first.arrival
    }
}

// MARK: - Growth

extension RunningCount {
    private mutating func begin(_ reading: Reading, into changes: inout [Change]) -> Verdict {
        isBegun = true
        if !reading.countsFromZero { first = First(reading) }
        if reading.countsFromZero, reading.value > 0 {
            changes.append(
                Change(amount: Int64(clamping: reading.value), start: reading.time, end: reading.time))
        }
        mark.time = reading.time
        note(reading)
        return .taken
    }

    private mutating func grow(to reading: Reading, isCrank: Bool, into changes: inout [Change]) -> Verdict {
        let delta = reading.value - mark.value
        let isPlausible = Self.isPlausible(delta, from: mark.time, to: reading.time)
        if hold == nil, let former, reading.value >= former.value,
            Self.isPlausible(reading.value - former.value, from: former.time, to: reading.time),
            !isPlausible || movedAt < former.time
        {
            // The count is back where it was: the low run was a dip after all.
            self.former = nil
            mark = former
            _ = add(Int64(clamping: reading.value - former.value), reading, into: &changes)
            return .returned
        }
        hold = nil
        guard isPlausible || !isCrank else {
            former = mark
            return rebase(to: reading, verdict: .implausible)
        }
        return add(Int64(clamping: delta), reading, into: &changes)
    }

    mutating func add(_ amount: Int64, _ reading: Reading, into changes: inout [Change]) -> Verdict {
        let end = max(reading.time, mark.time)
        changes.append(Change(amount: amount, start: mark.time, end: end))
        if amount > 0 {
            let microseconds = max(end - mark.time, 1)
            let pace = Double(amount) * 1e9 / Double(microseconds)
            paceMilliPerSecond = Int64(min(pace, Double(Self.fastestPerSecond * 1000)))
            movedAt = end
        }
        note(reading)
        return .taken
    }

    /// Goes on from a reading without counting what lies between.
    private mutating func rebase(to reading: Reading, verdict: Verdict) -> Verdict {
        (hold, first) = (nil, nil)
        note(reading)
        return verdict
    }

    private mutating func note(_ reading: Reading) {
        order.note(boot: reading.boot, sequence: reading.sequence)
        mark = Mark(value: reading.value, time: max(reading.time, mark.time))
        (modulus, arrival) = (reading.modulus, reading.arrival)
        ownTime = reading.ownTime
        eventTime1024 = reading.eventTime1024.map { Int64($0) }
    }

    /// The count begins from 0 with the next reading, no earlier than a time.
    mutating func startAnew(at reading: Reading, notBefore time: Int64 = .min) {
        (hold, former, first) = (nil, nil, nil)
        mark = Mark(value: 0, time: max(mark.time, time))
        modulus = reading.modulus
    }

    /// The increase of a count, across its wrap; `nil` if it went back.
    private static func delta(from earlier: UInt64, to later: UInt64, modulus: UInt64) -> UInt64? {
        if later >= earlier { return later - earlier }
        return modulus > earlier ? modulus - earlier + later : nil
    }

    static func isPlausible(_ delta: UInt64, from start: Int64, to end: Int64) -> Bool {
        let seconds = max(0, end - start) / 1_000_000 + 1
        let (limit, overflow) = seconds.multipliedReportingOverflow(by: fastestPerSecond)
        return overflow || delta <= UInt64(limit) + UInt64(slack)
    }

    /// The growth across a wrap of 16 or 32 bits, where the pace of before and the sensor's event time allow it.
    private func wrapped(_ reading: Reading) -> Int64? {
        let moduli: [UInt64] = reading.modulus > 0 ? [reading.modulus] : [1 << 16, 1 << 32]
        let elapsed = max(0, reading.time - mark.time)
        let pace = min(max(paceMilliPerSecond * 3 / 2, 1_000), Self.sustainedMilliPerSecond)
        let limit = elapsed / 1_000 * pace / 1_000_000 + Self.slack / 2
        for modulus in moduli where mark.value < modulus {
            let delta = modulus - mark.value + reading.value
            if delta <= UInt64(clamping: limit), isInStep(reading) { return Int64(delta) }
        }
        return nil
    }

    /// Whether the crank's event time went on with the clock: that of a sensor that started anew mostly did not.
    private func isInStep(_ reading: Reading) -> Bool {
        let sinceMove = reading.time - max(movedAt, 0)
        guard let earlier = eventTime1024, let later = reading.eventTime1024, movedAt > 0, sinceMove < 60_000_000
        else { return true }
        let elapsed = (Int64(later) - earlier + 65_536) % 65_536 * 1_000_000 / 1024
        return (elapsed - sinceMove).magnitude <= UInt64(Self.eventSlackMicroseconds)
    }
}

// MARK: - Falls

extension RunningCount {
    private mutating func fall(to reading: Reading, into changes: inout [Change]) -> Verdict {
        let now = Mark(value: reading.value, time: max(reading.time, mark.time))
        order.note(boot: reading.boot, sequence: reading.sequence)
        (arrival, ownTime) = (reading.arrival, reading.ownTime)
        eventTime1024 = reading.eventTime1024.map { Int64($0) }
        guard var hold, reading.value >= hold.low.value else {
            let before = self.hold
            self.hold = Hold(
                low: now, last: now, since: before?.since ?? reading.arrival, count: (before?.count ?? 0) + 1)
            return .held(growth: 0, since: now.time)
        }
        let growth = reading.value > hold.last.value ? reading.value - hold.last.value : 0
        let since = hold.last.time
        hold.count += 1
        if growth > 0 { hold.rises += 1 }
        hold.last = now
        self.hold = hold
        if hold.rises >= risesNeeded(hold), isDeep(hold) || reading.arrival - hold.since >= Self.patienceMicroseconds {
            settle(into: &changes)
        }
        return .held(growth: Int64(clamping: growth), since: since)
    }

    private func isDeep(_ hold: Hold) -> Bool { hold.low.value < mark.value / 2 || mark.value <= 1 }

    private func risesNeeded(_ hold: Hold) -> Int64 {
        if isDeep(hold) { return Int64(Self.risesOfBeginning) }
        let fall = mark.value - hold.low.value
        let isDip = fall <= max(Self.dipAtMost, mark.value / Self.dipShare)
        return isDip ? .max : Int64(Self.risesOfShallowBeginning)
    }

    mutating func settleIfDeep(into changes: inout [Change]) {
        if let hold, isDeep(hold) { settle(into: &changes) }
    }

    /// The held readings are a new beginning: from 0 where that can have been counted since the last reading, else from the
    /// first value that was read.
    private mutating func settle(into changes: inout [Change]) {
        guard let hold else { return }
        let usual = max(0, hold.low.time - mark.time) / 1_000 * Self.sustainedMilliPerSecond / 1_000_000 + 3
        let isFromZero = hold.low.value <= UInt64(clamping: usual)
        let begin = isFromZero ? Mark(value: 0, time: mark.time) : hold.low
        (former, first) = (mark, nil)
        if hold.last.value > begin.value {
            changes.append(
                Change(
                    amount: Int64(clamping: hold.last.value - begin.value), start: begin.time, end: hold.last.time))
            movedAt = hold.last.time
        }
        if hold.rises == 0 { movedAt = min(movedAt, mark.time - 1) }
        mark = hold.last
        settledReadings += hold.count
        self.hold = nil
    }
}

// MARK: - State

extension RunningCount {
    /// The fields of the count, and behind them those of a day.
    mutating func transfer(_ coder: inout StateCoder) {
        var none = DayCount.Day()
        transferCount(&coder)
        none.transfer(&coder)
    }

    mutating func transferCount(_ coder: inout StateCoder) {
        coder.code(&isBegun)
        order.transfer(&coder)
        coder.code(&mark)
        coder.code(bits: &modulus)
        coder.code(&arrival)
        coder.code(&ownTime)
        coder.code(&eventTime1024)
        coder.code(&movedAt)
        coder.code(&paceMilliPerSecond)
        coder.code(optional: &hold, empty: Hold()) { coder, hold in
            coder.code(&hold.low)
            coder.code(&hold.last)
            coder.code(&hold.since)
            coder.code(&hold.count)
            coder.code(&hold.rises)
        }
        coder.code(optional: &former, empty: Mark()) { $0.code(&$1) }
        coder.code(optional: &first, empty: First()) { coder, first in
            coder.code(&first.mark)
            coder.code(bits: &first.sequence)
            coder.code(&first.arrival)
            coder.code(&first.ownTime)
        }
        if !(0...Self.fastestPerSecond * 1000).contains(paceMilliPerSecond) { coder.reject() }
    }
}

extension StateCoder {
    mutating func code(_ mark: inout RunningCount.Mark) {
        code(bits: &mark.value)
        code(&mark.time)
    }
}
