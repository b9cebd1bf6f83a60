/// Counts the revolutions of one bout: periods are summed, and counted as whole or half revolutions once that is
/// settled. Counted revolutions are never taken back; later ones are left out instead.
struct RevolutionTally {
    /// Periods since the bout began, and revolutions counted for them.
    private var cycles: Double = 0
    private var counted: Double = 0
    private static let most: Double = 1e9

    var isEmpty: Bool { cycles == 0 }

    mutating func add(_ more: Double) {
        cycles = min(cycles + max(more, 0), Self.most)
    }

    /// Counts all periods so far, as events until a time.
    /// - Parameter share: Revolutions a period, 1 or ½.
    mutating func count(
        share: Double, until end: Int64, _ integrator: inout PhaseIntegrator, into events: inout MotionEvents
    ) {
        let due = cycles * share - counted
        let start = max(integrator.time, end - PhaseIntegrator.mostMicroseconds)
        guard due > 0, end > start else {
            integrator.exclude(until: end)
            return
        }
        let seconds = Double(end - start) * 1e-6
        let rate = Float(min(due / seconds, Self.mostRate))
        integrator.advance(to: end, ratePerSecond: rate, into: &events)
        counted += Double(rate) * seconds
    }

    /// The fastest rate of a crank, revolutions a second, also when many are counted at once.
    private static let mostRate: Double = 10
}

/// The typical movement of a bike that is pedalled. Far less movement is rather a flywheel that runs on.
struct PedallingMovement {
    /// The gain of the typical movement while someone pedals, and its decay at rest, an evaluation: to half in half a
    /// minute.
    private static let following: Float = 0.03
    private static let forgetting: Float = 0.01
    /// Movement below this share of the typical one lowers the log odds of pedalling by ``fallenDoubt``.
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

    /// Log odds against pedalling.
    func doubt(_ now: Float) -> Float {
        now < Self.fallenShare * typical ? Self.fallenDoubt : 0
    }
}

/// Integrates the rate of a crank, and emits an event for each whole revolution. Time only goes forward: uncertain
/// stretches are integrated later, never taken back.
struct PhaseIntegrator {
    /// The longest stretch that is counted at once, µs. Anything earlier is left out.
    static let mostMicroseconds: Int64 = 120_000_000

    /// The UTC time until which the rate has been integrated, µs.
    private(set) var time: Int64 = 0
    private var phase: Double = 0

    /// Starts at a time, but never before the time that is counted already. The phase begins at one half, so that n.5
    /// revolutions are counted as n or n + 1 equally often.
    mutating func start(at timeMicroseconds: Int64) {
        time = max(time, timeMicroseconds)
        phase = 0.5
    }

    /// Leaves out the time until then.
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
        let start = max(time, end - Self.mostMicroseconds)
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

    /// Whether the restored phase is a part of one revolution.
    var isSound: Bool { (0...1).contains(phase) }
}
