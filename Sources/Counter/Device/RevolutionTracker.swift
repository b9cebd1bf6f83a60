import Motion
import Wire

/// Turns a crank's running count, or a momentary cadence, into revolutions and times.
struct RevolutionTracker: Sendable, Equatable {
    /// The fastest plausible crank, in revolutions a second: 300 rpm.
    static let maximumRevolutionsPerSecond: Int64 = 5
    static let maximumRPM = Float(maximumRevolutionsPerSecond * 60)
    /// Revolutions beyond that which are accepted, for messages that travelled unevenly.
    static let slackRevolutions: Int64 = 10
    /// The longest time that a cadence without a count is taken to hold, in microseconds.
    static let cadenceHoldMicroseconds: Int64 = 5_000_000
    /// The longest time between two counts that counts as covered and active, in microseconds.
    static let maximumGapMicroseconds: Int64 = 10_000_000

    /// The difference that a message made.
    struct Step: Sendable, Equatable {
        /// Revolutions since the message before.
        var revolutions: Int64 = 0
        /// The time of the message before, or of this one where there is none.
        var start: Int64
        /// The time of this message.
        var end: Int64
        /// The cadence now, in rpm.
        var rpm: Float = 0
        /// True if the number was not plausible and was taken as a new beginning.
        var isImplausible = false
    }

    private(set) var hasBaseline = false
    private var boot = BootID(rawValue: 0)
    private var cumulative: UInt64 = 0
    private var modulus: UInt64 = 0
    private var time: Int64 = 0
    private var lastMove: Int64 = 0
    private var rpm: Float = 0
    private var eventTime: Int64?
    private var window = CadenceWindow()
    /// Millionths of a revolution that a cadence has summed up to, below one.
    private var partMicroRevolutions: Int64 = 0

    /// Takes a running count at its time; answers what it adds, or `nil` if it is older than the last.
    mutating func take(_ count: RevolutionCount, at instant: Int64) -> Step? {
        let instant = max(instant, time)
        var step = Step(start: hasBaseline ? time : instant, end: instant)
        let boot: BootID = if case .sequenced(let boot, _) = count.identity { boot } else { BootID(rawValue: 0) }
        if hasBaseline {
            guard let delta = delta(to: count, boot: boot) else { return nil }
            if Self.isPlausible(delta, from: time, to: instant) {
                step.revolutions = Int64(delta)
            } else {
                step.isImplausible = true
            }
        }
        measure(step, eventTime: count.lastEventTime1024)
        step.rpm = rpm
        hasBaseline = true
        (self.boot, cumulative, modulus, time) = (boot, count.cumulative, count.modulus, instant)
        return step
    }

    /// Takes a momentary cadence at its time; the one before is taken to have held since then.
    mutating func take(rpm newRPM: Float, at instant: Int64) -> Step? {
        guard newRPM.isFinite, newRPM >= 0, newRPM <= Self.maximumRPM else {
            return Step(start: instant, end: instant, isImplausible: true)
        }
        guard instant >= time || !hasBaseline else { return nil }
        var step = Step(start: hasBaseline ? time : instant, end: instant, rpm: newRPM)
        let held = min(step.end - step.start, Self.cadenceHoldMicroseconds)
        partMicroRevolutions += Int64(Double(rpm) / 60 * Double(held))
        step.revolutions = partMicroRevolutions / 1_000_000
        partMicroRevolutions %= 1_000_000
        hasBaseline = true
        (rpm, time, lastMove) = (newRPM, instant, newRPM > 0 ? instant : lastMove)
        return step
    }

    /// The increase of the count; `nil` if the message is older than the last. A new boot counts from 0; a count that
    /// never wraps and fell without a new boot is older.
    private func delta(to count: RevolutionCount, boot: BootID) -> UInt64? {
        if boot != self.boot { return count.cumulative }
        guard count.modulus == modulus else { return 0 }
        return Self.delta(from: cumulative, to: count.cumulative, modulus: modulus)
    }

    /// The increase of a count, across its wrap; `nil` if it went back.
    static func delta(from earlier: UInt64, to later: UInt64, modulus: UInt64) -> UInt64? {
        if later >= earlier { return later - earlier }
        guard modulus > earlier else { return nil }
        let wrapped = modulus - earlier + later
        return wrapped > modulus / 2 ? nil : wrapped
    }

    static func isPlausible(_ delta: UInt64, from start: Int64, to end: Int64) -> Bool {
        let seconds = (end - start) / 1_000_000 + 1
        let (limit, overflow) = seconds.multipliedReportingOverflow(by: maximumRevolutionsPerSecond)
        return overflow || delta <= UInt64(max(0, limit)) + UInt64(slackRevolutions)
    }

    /// The cadence now: between the crank's own event times where there are any, else over the last messages; 0 after
    /// max(3 s, 2.5 periods) without a turn.
    private mutating func measure(_ step: Step, eventTime newEventTime: UInt16?) {
        let previous = eventTime
        eventTime = newEventTime.map { Int64($0) }
        window.add(step.revolutions, at: step.end)
        if step.revolutions > 0 {
            let exact = Self.rpm(step, from: previous, to: eventTime)
            rpm = min(exact ?? window.rpm ?? rpm, Self.maximumRPM)
            lastMove = step.end
        } else if step.end - lastMove > SilenceRule.timeout(period: SilenceRule.period(cadence: rpm)) {
            rpm = 0
        }
    }

    /// The cadence between two crank event times, in units of 1/1024 s modulo 65,536, where no wrap can hide between.
    ///
    /// Source: Bluetooth SIG, Cycling Speed and Cadence Profile 1.0, section 4.4.
    private static func rpm(_ step: Step, from earlier: Int64?, to later: Int64?) -> Float? {
        guard let earlier, let later, step.end - step.start < 60_000_000 else { return nil }
        let elapsed = (later - earlier + 65_536) % 65_536
        return elapsed > 0 ? Float(Double(step.revolutions) * 60 * 1024 / Double(elapsed)) : nil
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&hasBaseline)
        coder.code(&boot)
        coder.code(bits: &cumulative)
        coder.code(bits: &modulus)
        coder.code(&time)
        coder.code(&lastMove)
        coder.code(&rpm)
        coder.code(&eventTime)
        window.transfer(&coder)
        if !(0...Self.maximumRPM).contains(rpm) { coder.reject() }
        coder.code(&partMicroRevolutions)
    }
}

/// The first message of a crank's running count, so that one which it overtook still counts: a broker that was killed
/// sends again what it sent before, and the first two may come the wrong way round.
struct CrankBaseline: Sendable, Equatable {
    private var isOpen = false
    private var boot = BootID(rawValue: 0)
    private var sequence: UInt64 = 0
    private var cumulative: UInt64 = 0
    private var modulus: UInt64 = 0
    private var time: Int64 = 0

    /// Notes a message that was taken. One of another boot begins from 0 by itself: nothing can come before it.
    mutating func note(_ count: RevolutionCount, at instant: Int64, isFirst: Bool) {
        guard case .sequenced(let boot, let sequence) = count.identity else { return isOpen = false }
        if isFirst {
            self = CrankBaseline(count, boot, sequence, at: instant)
        } else if boot != self.boot {
            isOpen = false
        }
    }

    /// Takes a message that is older than the first; answers the way from it to the first, or `nil` if it is none.
    mutating func take(_ count: RevolutionCount, at instant: Int64) -> RevolutionTracker.Step? {
        guard isOpen, case .sequenced(let boot, let sequence) = count.identity, boot == self.boot,
            sequence < self.sequence, count.modulus == modulus, instant <= time,
            let delta = RevolutionTracker.delta(from: count.cumulative, to: cumulative, modulus: modulus),
            RevolutionTracker.isPlausible(delta, from: instant, to: time)
        else { return nil }
        var step = RevolutionTracker.Step(revolutions: Int64(delta), start: instant, end: time)
        let seconds = Float(time - instant) / 1_000_000
        if seconds > 0 { step.rpm = min(Float(delta) * 60 / seconds, RevolutionTracker.maximumRPM) }
        self = CrankBaseline(count, boot, sequence, at: instant)
        return step
    }

    init() {}

    private init(_ count: RevolutionCount, _ boot: BootID, _ sequence: UInt64, at instant: Int64) {
        isOpen = true
        (self.boot, self.sequence, time) = (boot, sequence, instant)
        (cumulative, modulus) = (count.cumulative, count.modulus)
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(&isOpen)
        coder.code(&boot)
        coder.code(bits: &sequence)
        coder.code(bits: &cumulative)
        coder.code(bits: &modulus)
        coder.code(&time)
    }
}

/// The last few counts of a crank, over which a cadence is even although messages come out of step with the crank.
struct CadenceWindow: Sendable, Equatable {
    /// The longest time that is looked back, in microseconds.
    static let maximumMicroseconds: Int64 = 5_000_000
    static let maximumCounts = 16

    private struct Count: Sendable, Equatable {
        var time: Int64 = 0
        var revolutions: Int64 = 0
    }

    private var counts: [Count] = []

    /// Adds the revolutions made since the count before.
    mutating func add(_ revolutions: Int64, at time: Int64) {
        counts.append(Count(time: time, revolutions: revolutions))
        while counts.count > Self.maximumCounts
            || (counts.count > 2 && time - counts[0].time > Self.maximumMicroseconds)
        {
            counts.removeFirst()
        }
    }

    /// Revolutions a minute from the first count to the last; `nil` where no time lies between.
    var rpm: Float? {
        guard let first = counts.first, let last = counts.last, last.time > first.time else { return nil }
        let made = counts.dropFirst().reduce(0) { $0 + $1.revolutions }
        return Float(Double(made) * 60_000_000 / Double(last.time - first.time))
    }

    mutating func transfer(_ coder: inout StateCoder) {
        coder.code(array: &counts, maximum: Self.maximumCounts, empty: Count()) {
            $0.code(&$1.time)
            $0.code(&$1.revolutions)
        }
    }
}
