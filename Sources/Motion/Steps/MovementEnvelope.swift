/// The movement of the last moments, kept for 12.8 s in steps of 0.2 s: where it rose and where it fell.
struct MovementEnvelope {
    static let count = 64
    /// Ticks between two entries: 0.2 s.
    static let spacingTicks: Int64 = 5
    /// Entries from one ordinary step to the next, between which the movement does not fall.
    private static let ordinaryPause = 3
    /// exp(−0.2 s / 0.4 s): what the mean of the last moments keeps from one entry to the next.
    private static let decay: Float = 0.606_531
    /// Entries in which the quietest are looked for, and how many those are.
    private static let stillnessCount = 15
    private static let quietCount = 3
    private var deviations: [Float] = Array(repeating: 0, count: count)
    private(set) var newest: Int64 = 0
    private(set) var filled = 0

    /// The end of the newest entry, UTC µs.
    var endMicroseconds: Int64 { Tick.endMicroseconds(ofTick: newest * Self.spacingTicks) }

    mutating func push(_ deviation: Float, tick: Int64) {
        guard tick % Self.spacingTicks == 0 else { return }
        newest = tick / Self.spacingTicks
        deviations[Int(newest % Int64(Self.count))] = deviation
        filled = min(filled + 1, Self.count)
    }

    /// The time at which the movement last rose over a share of `reference`. Between slow steps, `rate` a second, it
    /// may fall under that for a moment.
    func onset(reference: Float, share: Float, rate: Float, before end: Int64) -> Int64 {
        let interval = 1 / (max(rate, 0.4) * Float(Self.spacingTicks) * Tick.seconds)
        let pause = max(Int(interval) - Self.ordinaryPause, 0)
        var (steps, below, risen) = (0, 0, 0)
        while steps < filled, below <= pause {
            below = entry(steps) > share * reference ? 0 : below + 1
            steps += 1
            if below == 0 { risen = steps }
        }
        return time(risen, before: end)
    }

    /// The time at which the movement last rose from rest to what it is now: back to the entry that is under the
    /// middle, in orders of magnitude, between the energies of now and of the quietest moment kept, or under a quarter
    /// of now. Where nothing was quiet, `fallbackSteps` back.
    func onset(fallbackSteps: Int, before end: Int64) -> Int64 {
        guard filled > 0 else { return end }
        var now: Float = 0
        var quietest = Float.infinity
        for step in 0..<filled {
            let square = entry(step) * entry(step)
            now += step < 8 ? square / Float(min(filled, 8)) : 0
            quietest = min(quietest, square)
        }
        if filled == Self.count, quietest > 0.5 * now { return time(min(fallbackSteps, filled), before: end) }
        let middle = filled < Self.count ? 0.25 * now : max(0.25 * now, (now * quietest).squareRoot())
        var steps = 0
        while steps < filled, entry(steps) * entry(steps) > middle {
            steps += 1
        }
        return time(steps, before: end)
    }

    /// The time at which the movement last was over a share of `reference`.
    func fall(reference: Float, share: Float = 0.5, before end: Int64) -> Int64 {
        var steps = 0
        while steps < min(filled, 10), entry(steps) < share * reference {
            steps += 1
        }
        return time(steps, before: end)
    }

    /// Lays out the mean squares of what moved between each of the newest entries and the one before it, oldest first;
    /// 0 where none are kept.
    func lay(squares: UnsafeMutableBufferPointer<Float>) {
        squares.initialize(repeating: 0)
        let count = min(squares.count, filled - 1)
        guard count > 0 else { return }
        let gain = 1 / (1 - Self.decay)
        var last = entry(count)
        for stepsBack in (0..<count).reversed() {
            let next = entry(stepsBack)
            squares[squares.count - 1 - stepsBack] = max(next * next - Self.decay * last * last, 0) * gain
            last = next
        }
    }

    /// The movement of the quietest fifth of the last 3 s over that of all of them; 1 where less is kept.
    var stillness: Float {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.stillnessCount) { memory in
            guard filled > memory.count else { return 1 }
            lay(squares: memory)
            let all = memory.reduce(0, +)
            var quiet: Float = 0
            for _ in 0..<Self.quietCount {
                guard let least = memory.indices.min(by: { memory[$0] < memory[$1] }) else { break }
                quiet += memory[least]
                memory[least] = .infinity
            }
            let share = Float(Self.stillnessCount) / Float(Self.quietCount)
            return all > 0 ? (share * quiet / all).squareRoot() : 1
        }
    }

    /// The movement of the last moments, so many entries ago; 0 where none is kept.
    func deviation(_ stepsBack: Int) -> Float { stepsBack < filled ? entry(stepsBack) : 0 }

    private func entry(_ stepsBack: Int) -> Float {
        let index = (newest - Int64(stepsBack)) % Int64(Self.count)
        return deviations[Int(index < 0 ? index + Int64(Self.count) : index)]
    }

    private func time(_ stepsBack: Int, before end: Int64) -> Int64 {
        end - Int64(stepsBack) * Self.spacingTicks * Tick.microseconds
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(floats: &deviations, range: 0..<Self.count)
        coder.code(time: &newest)
        coder.code(&filled, in: 0...Self.count)
    }
}
