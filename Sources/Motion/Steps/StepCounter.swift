/// Counts steps by integrating the step rate while the signal is periodic as walking is. Counting by frequency was the most
/// accurate of ten methods at the wrist in Pilkar et al. 2023.
struct StepCounter {
    private(set) var isOpen = false
    /// Steps a second of the last agreeing evaluation.
    private(set) var rate: Float = 0
    /// Similarity at the period, 0…1.
    private(set) var strength: Float = 0
    private var agreeing = 0
    private var rise = RiseHistory()
    private var integrator = PhaseIntegrator()

    mutating func push(shortDeviation: Float, tick: Int64) {
        rise.push(shortDeviation, tick: tick)
    }

    mutating func evaluate(
        curve: LagCurve, normCurve: LagCurve, features: SignalFeatures, placement: Placement,
        into events: inout MotionEvents
    ) {
        let hypothesis = StepHypothesis(
            curve: curve, normCurve: normCurve, features: features, trackedRate: agreeing > 0 ? rate : 0)
        guard let hypothesis, isWalk(hypothesis, features, placement) else {
            close(features, into: &events)
            return
        }
        let agrees = agreeing > 0 && abs(hypothesis.rate - rate) <= StepGate.agreement * rate
        agreeing = agrees ? min(agreeing + 1, 100) : 1
        rate = hypothesis.rate
        strength = hypothesis.strength
        if !isOpen, agreeing >= StepGate.openingEvaluations {
            isOpen = true
            integrator.start(at: rise.onset(fallbackSteps: 20, before: features.timeMicroseconds))
        }
        if isOpen {
            let settled = features.timeMicroseconds - StepGate.delayMicroseconds
            integrator.advance(to: settled, ratePerSecond: rate, unit: .steps, into: &events)
        }
    }

    private func isWalk(_ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement) -> Bool {
        let threshold = isOpen ? StepGate.closingStrength : StepGate.openingStrength
        guard hypothesis.strength > threshold, StepGate.rates.contains(hypothesis.rate) else { return false }
        guard features.vectorDeviation > StepGate.vectorDeviation else { return false }
        guard features.shortVectorDeviation > StepGate.stopShare * features.vectorDeviation else { return false }
        if placement.isLeg, features.roughness < StepGate.legRoughness { return false }
        if features.normDeviation > StepGate.runningNormDeviation, hypothesis.rate > 2.2 { return true }
        return features.normDeviation > StepGate.normDeviation
            && features.normDeviation > StepGate.normShare * features.vectorDeviation
    }

    /// Ends a bout: what was walked until the movement fell is counted.
    mutating func close(_ features: SignalFeatures, into events: inout MotionEvents) {
        if isOpen {
            let end = rise.fall(reference: features.normDeviation, before: features.timeMicroseconds)
            integrator.advance(to: end, ratePerSecond: rate, unit: .steps, into: &events)
        }
        isOpen = false
        agreeing = 0
        rate = 0
        strength = 0
    }

    /// Ends a bout because the signal ends here.
    mutating func settle(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        if isOpen {
            integrator.advance(to: timeMicroseconds, ratePerSecond: rate, unit: .steps, into: &events)
        }
        isOpen = false
        agreeing = 0
        rate = 0
        strength = 0
        rise = RiseHistory()
    }

    /// Forgets the time until which steps are counted (after the clock was set back).
    mutating func rebase() {
        integrator.reset()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isOpen)
        coder.code(&rate)
        coder.code(&strength)
        coder.code(&agreeing, in: 0...100)
        rise.transfer(&coder)
        integrator.transfer(&coder)
    }
}
