/// Counts the revolutions of one bout: found periods are summed, and credited as whole or half revolutions once it is
/// settled which they are. What was credited is never taken back; what was too much is left out later.
struct RevolutionTally {
    /// Periods since the bout began, and revolutions credited of them.
    private var cycles: Double = 0
    private var credited: Double = 0
    private static let most: Double = 1e9

    var isEmpty: Bool { cycles == 0 }

    mutating func add(_ more: Double) {
        cycles = min(cycles + max(more, 0), Self.most)
    }

    /// Credits until a time what a number of revolutions a period makes.
    mutating func credit(
        share: Double, until end: Int64, _ integrator: inout PhaseIntegrator, into events: inout MotionEvents
    ) {
        let due = cycles * share - credited
        let start = max(integrator.time, end - PhaseIntegrator.creditMicroseconds)
        guard due > 0, end > start else {
            integrator.exclude(until: end)
            return
        }
        let seconds = Double(end - start) * 1e-6
        let rate = Float(min(due / seconds, Self.mostRate))
        integrator.advance(to: end, ratePerSecond: rate, into: &events)
        credited += Double(rate) * seconds
    }

    /// No crank turns faster, revolutions a second; also when much is credited at once.
    private static let mostRate: Double = 10

    /// What is counted so far belongs to the past: another period follows.
    mutating func close() {
        self = RevolutionTally()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&cycles, in: 0...Self.most)
        coder.code(&credited, in: 0...Self.most)
    }
}

/// How much a bike moves while someone pedals: what moves far less is likelier something else that turns, such as a
/// flywheel that runs on.
struct PedallingMovement {
    /// By what share the typical movement follows that of now while someone pedals, and by which it falls at rest, an
    /// evaluation: to half within half a minute.
    private static let following: Float = 0.03
    private static let forgetting: Float = 0.01
    /// A movement less than this share of the typical one is doubted, with so much of a logarithm of odds.
    private static let fallenShare: Float = 0.3
    private static let fallenDoubt: Float = 6

    /// m/s², rad/s or µT; 0 before anyone has pedalled.
    private var typical: Float = 0

    mutating func learn(_ now: Float, isPedalling: Bool) {
        if isPedalling {
            typical = typical > 0 ? typical + (now - typical) * Self.following : now
        } else {
            typical *= 1 - Self.forgetting
        }
    }

    /// What speaks against pedalling.
    func doubt(_ now: Float) -> Float {
        now < Self.fallenShare * typical ? Self.fallenDoubt : 0
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&typical)
    }
}

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
