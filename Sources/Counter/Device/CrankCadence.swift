import Motion
import Wire

/// The cadence of a crank, from its counts or from a machine that tells a cadence alone.
struct CrankCadence: Sendable, Equatable {
    /// The fastest plausible crank, in revolutions a minute.
    static let maximumRPM = Float(Allowance.fastestPerSecond * 60)
    /// The longest time that a cadence without a count is taken to hold, in microseconds, …
    static let holdMicroseconds: Int64 = 5_000_000
    /// … unless its messages come in a period of up to this, give or take a half.
    static let maximumPeriodMicroseconds: Int64 = 66_000_000
    /// The longest time between two counts that counts as covered and active, in microseconds.
    static let maximumGapMicroseconds: Int64 = 10_000_000
    /// The counts that are remembered, and the longest time that is looked back, in microseconds.
    private static let maximumCounts = 16
    private static let maximumCountsMicroseconds: Int64 = 5_000_000

    private struct Count: Sendable, Equatable {
        var time: Int64 = 0
        var revolutions: Int64 = 0
    }

    private(set) var rpm: Float = 0
    private var order = MessageOrder()
    private var time = Int64.min
    private var lastMove: Int64 = 0
    private var eventTime: Int64?
    /// The last few counts, over which a cadence is even although messages come out of step with the crank.
    private var counts: [Count] = []
    /// Millionths of a revolution that a cadence has summed up to, below one.
    private var partMicroRevolutions: Int64 = 0
    /// The time between the last two cadences, and what of it is not counted, because no period was known.
    private var gap: Int64 = 0
    private var uncountedGap: RunningCount.Change?
    private var uncountedMicroRevolutions: Int64 = 0

    /// Takes the revolutions between two messages: the cadence is that between the crank's own event times where there
    /// are any, else over the last messages; 0 after max(3 s, 2.5 periods) without a turn.
    mutating func take(revolutions: Int64, from start: Int64, to end: Int64, eventTime1024: UInt16?) {
        let previous = eventTime
        eventTime = eventTime1024.map { Int64($0) }
        counts.append(Count(time: end, revolutions: revolutions))
        while counts.count > Self.maximumCounts
            || (counts.count > 2 && end - counts[0].time > Self.maximumCountsMicroseconds)
        {
            counts.removeFirst()
        }
        if revolutions > 0 {
            let exact = Self.rpm(revolutions, from: start, to: end, previous, eventTime)
            rpm = min(exact ?? meanRPM ?? rpm, Self.maximumRPM)
            lastMove = end
        } else if end - lastMove > SilenceRule.timeout(period: SilenceRule.period(cadence: rpm)) {
            rpm = 0
        }
    }

    /// From the first count that is remembered to the last; `nil` where no time lies between.
    private var meanRPM: Float? {
        guard let first = counts.first, let last = counts.last, last.time > first.time else { return nil }
        let made = counts.dropFirst().reduce(0) { $0 + $1.revolutions }
        return Float(Double(made) * 60_000_000 / Double(last.time - first.time))
    }

    /// The crank did not move, or what its message says is not sure yet.
    mutating func stand(at time: Int64) {
        if time - lastMove > SilenceRule.timeout(period: SilenceRule.period(cadence: rpm)) { rpm = 0 }
    }

    /// The cadence between two crank event times, in units of 1/1024 s modulo 65,536, where no wrap can hide between.
    ///
    /// Source: Bluetooth SIG, Cycling Speed and Cadence Profile 1.0, section 4.4.
    private static func rpm(
        _ revolutions: Int64, from start: Int64, to end: Int64, _ earlier: Int64?, _ later: Int64?
    ) -> Float? {
        guard let earlier, let later, end - start < 60_000_000 else { return nil }
        let elapsed = (later - earlier + 65_536) % 65_536
        return elapsed > 0 ? Float(Double(revolutions) * 60 * 1024 / Double(elapsed)) : nil
    }

    /// The revolutions of a cadence that held.
    struct Held: Sendable, Equatable {
        /// Those since the message before.
        var change: RunningCount.Change
        /// Whether the crank kept its cadence for all of the time since the message before.
        var isWhole: Bool
        /// Those of the time before, which the period of the messages explains now.
        var earlier: RunningCount.Change?
    }

    /// Takes a momentary cadence at its time; the one before is taken to have held since then.
    ///
    /// - Returns: the revolutions made meanwhile, or why it changes nothing.
    mutating func take(
        rpm newRPM: Float, _ identity: FrameIdentity, at instant: Int64
    ) -> Result<Held, Uncounted> {
        var boot: BootID?
        var number: UInt64?
        if case .sequenced(let name, let sequence) = identity { (boot, number) = (name, sequence) }
        switch order.age(boot: boot, sequence: number) {
        case .older, .olderBoot: return .failure(.older)
        case .repeated: return .failure(.repeated)
        case .unknown where instant == time && newRPM == rpm: return .failure(.repeated)
        default: break
        }
        guard instant >= time else { return .failure(.older) }
        order.note(boot: boot, sequence: number)
        var change = RunningCount.Change(amount: 0, start: time == .min ? instant : time, end: instant)
        let newGap = change.end - change.start
        let isPeriodic = newGap <= Self.maximumPeriodMicroseconds && newGap <= gap * 3 / 2
        let isWhole = isPeriodic || newGap <= Self.holdMicroseconds
        let earlier = isPeriodic && newGap * 3 / 2 >= gap ? takeUncounted() : nil
        let held = isWhole ? newGap : Self.holdMicroseconds
        change.amount = count(microRevolutions(in: held))
        uncountedGap = isWhole ? nil : RunningCount.Change(amount: 0, start: change.start + held, end: change.end)
        uncountedMicroRevolutions = microRevolutions(in: newGap - held)
        (gap, rpm, time, lastMove) = (newGap, newRPM, instant, newRPM > 0 ? instant : lastMove)
        return .success(Held(change: change, isWhole: isWhole, earlier: earlier))
    }

    private func microRevolutions(in time: Int64) -> Int64 {
        Int64(Double(rpm) / 60 * Double(min(time, Self.maximumPeriodMicroseconds)))
    }

    /// Whole revolutions; what is left below one is carried.
    private mutating func count(_ microRevolutions: Int64) -> Int64 {
        partMicroRevolutions += microRevolutions
        defer { partMicroRevolutions %= 1_000_000 }
        return partMicroRevolutions / 1_000_000
    }

    private mutating func takeUncounted() -> RunningCount.Change? {
        guard var change = uncountedGap, change.end - change.start <= Self.maximumPeriodMicroseconds else { return nil }
        uncountedGap = nil
        change.amount = count(uncountedMicroRevolutions)
        return change
    }

    mutating func transfer(_ coder: inout ByteCoder) {
        order.transfer(&coder)
        coder.code(&time, orNone: .min)
        coder.code(&lastMove)
        coder.code(&rpm)
        coder.code(&eventTime)
        coder.code(array: &counts, maximum: Self.maximumCounts, empty: Count()) {
            $0.code(&$1.time)
            $0.code(&$1.revolutions)
        }
        if !(0...Self.maximumRPM).contains(rpm) { coder.reject() }
        coder.code(&partMicroRevolutions)
        coder.code(&gap)
        coder.code(optional: &uncountedGap, empty: RunningCount.Change(amount: 0, start: 0, end: 0)) {
            $0.code(&$1.start)
            $0.code(&$1.end)
        }
        coder.code(&uncountedMicroRevolutions)
    }
}
