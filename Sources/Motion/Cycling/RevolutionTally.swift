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
        integrator.advance(to: end, ratePerSecond: rate, unit: .revolutions, into: &events)
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
