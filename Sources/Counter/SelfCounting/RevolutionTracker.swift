import Wire

/// Turns a crank's running count, or a momentary cadence, into revolutions and times.
struct RevolutionTracker: Sendable, Equatable {
    /// The fastest crank that is believed, in revolutions a second: 300 rpm.
    static let maximumRevolutionsPerSecond: Int64 = 5
    static let maximumRPM = Float(maximumRevolutionsPerSecond * 60)
    /// Revolutions that are believed beyond that, for messages that travelled unevenly.
    static let slackRevolutions: Int64 = 10
    /// The longest time that a cadence without a count is taken to hold, in microseconds.
    static let cadenceHoldMicroseconds: Int64 = 5_000_000
    /// The longest time between two counts that counts as covered and active, in microseconds.
    static let maximumGapMicroseconds: Int64 = 10_000_000

    /// What a message added.
    struct Step: Sendable, Equatable {
        /// Revolutions since the message before.
        var revolutions: Int64 = 0
        /// The time of the message before, or of this one where there is none.
        var start: Int64
        /// The time of this message.
        var end: Int64
        /// The cadence now, in rpm.
        var rpm: Float = 0
        /// Whether the number was not believable and was taken as a new beginning.
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

    /// How far the count went on; `nil` if the message is older than the last. A new boot counts from 0; a count that
    /// never wraps and fell without a new boot is older.
    private func delta(to count: RevolutionCount, boot: BootID) -> UInt64? {
        if boot != self.boot { return count.cumulative }
        guard count.modulus == modulus else { return 0 }
        return Self.delta(from: cumulative, to: count.cumulative, modulus: modulus)
    }

    /// How far a count went on, across its wrap; `nil` if it went back.
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

    /// The cadence now: between the crank's own event times where they are told, else over the last messages; 0 after
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
        coder.code(&cumulative)
        coder.code(&modulus)
        coder.code(&time)
        coder.code(&lastMove)
        coder.code(&rpm)
        coder.code(&eventTime)
        window.transfer(&coder)
        if !(0...Self.maximumRPM).contains(rpm) { coder.reject() }
        coder.code(&partMicroRevolutions)
    }
}
