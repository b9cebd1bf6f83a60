/// Integrates the rate of a crank over time and says when a revolution is whole. It only goes forward: what is uncertain is
/// integrated later, never taken back.
struct PhaseIntegrator {
    /// More than any counter credits at once: what lies further back is not counted, µs.
    static let creditMicroseconds: Int64 = 120_000_000

    /// The UTC time until which the rate has been integrated, µs.
    private(set) var time: Int64 = 0
    private var phase: Double = 0

    /// Starts counting at a time that may lie in the past, but never before what is counted already. Half a unit is
    /// given at the start, so that a bout of n.5 units is as often n as n + 1.
    mutating func start(at timeMicroseconds: Int64) {
        time = max(time, timeMicroseconds)
        phase = 0.5
    }

    /// Leaves out what lies before a time.
    mutating func exclude(until timeMicroseconds: Int64) {
        time = max(time, timeMicroseconds)
    }

    /// Forgets the time (after the clock was set back).
    mutating func reset() {
        self = PhaseIntegrator()
    }

    /// Integrates a rate until a time and appends an event for each integer crossed.
    mutating func advance(to end: Int64, ratePerSecond: Float, into events: inout MotionEvents) {
        guard end > time else { return }
        let rate = Double(min(max(ratePerSecond, 0), 10)) * 1e-6
        let start = max(time, end - Self.creditMicroseconds)
        let before = phase
        phase += rate * Double(end - start)
        time = end
        var crossing = 1.0
        while phase >= 1 {
            phase -= 1
            let offset = (crossing - before) / rate
            crossing += 1
            let at = start + Int64(min(max(offset, 0), Double(end - start)))
            events.append(.revolutions(count: 1, timeMicroseconds: at))
        }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(time: &time)
        coder.code(&phase, in: 0...1)
    }
}
