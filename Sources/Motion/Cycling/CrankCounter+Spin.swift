/// A gyroscope that turns with the crank says its rate itself.
extension CrankCounter {
    /// Revolutions are integrated this long after they happened, µs.
    private static let spinDelay: Int64 = 400_000
    /// Evaluations (0.4 s) that must agree.
    private static let neededEvaluations = 3
    /// Entries of the rise history (0.2 s) that are credited where the movement does not tell when it began.
    private static let creditedEntries = 16

    /// Counts by the turning axis. False when there is none.
    mutating func followsSpin(_ features: SignalFeatures, into events: inout MotionEvents) -> Bool {
        guard let spin = spin.spin else {
            if isSpinning { endSpin(at: features.timeMicroseconds, into: &events) }
            return false
        }
        if !isSpinning { close(at: features.timeMicroseconds, into: &events) }
        isSpinning = true
        spinRate = spin.rate
        strength = spin.strength
        spinEvaluations = min(spinEvaluations + 1, Self.neededEvaluations)
        guard spinEvaluations >= Self.neededEvaluations else { return true }
        if !isOpen {
            isOpen = true
            integrator.start(at: rise.onset(fallbackSteps: Self.creditedEntries, before: features.timeMicroseconds))
        }
        integrator.advance(
            to: features.timeMicroseconds - Self.spinDelay, ratePerSecond: spinRate, unit: .revolutions, into: &events)
        return true
    }

    /// Counts what the axis still turned.
    mutating func endSpin(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        if isOpen {
            integrator.advance(
                to: timeMicroseconds - Self.spinDelay, ratePerSecond: spinRate, unit: .revolutions, into: &events)
        }
        isOpen = false
        isSpinning = false
        spinEvaluations = 0
    }
}
