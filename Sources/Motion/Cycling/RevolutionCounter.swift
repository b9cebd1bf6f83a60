/// Counts crank revolutions by integrating the pedalling rate.
struct RevolutionCounter {
    /// Periods searched, in ticks: 0.28…3.1 s, 19…214 rpm.
    static let lags = 7...78
    static let openingStrength: Float = 0.45
    static let closingStrength: Float = 0.25
    static let openingEvaluations = 3
    /// A peak this share of the highest one is the fundamental; nearer to the tracked period less will do.
    static let peakShare: Float = 0.85
    /// Sensor noise: less movement than this is none, m/s² and rad/s.
    static let accelerationFloor: Float = 0.02
    static let turningFloor: Float = 0.006
    static let stopShare: Float = 0.4
    /// Coherence under this share of the similarity: stopped.
    static let coherenceShare: Float = 0.35
    /// Evaluations (0.4 s) through which the last period is held while the machine still moves.
    static let holdEvaluations = 5
    /// A first guess above this is taken for twice the cadence until the harmonics have spoken.
    static let likelyRate: Float = 2

    private(set) var isOpen = false
    private(set) var strength: Float = 0
    /// The period found, ticks; 0 for none. Half a revolution when `isHalf`.
    private var period: Float = 0
    private var isHalf = false
    private var agreeing = 0
    private var held = 0
    private var isSpinning = false
    private var spinRate: Float = 0
    private var rise = RiseHistory()
    private var integrator = PhaseIntegrator()
    private var harmonics = HarmonicTest()
    private var coherence = CoherenceGauge()
    private var spin = SpinGauge()

    /// Revolutions a second.
    var rate: Float {
        if isSpinning { return spinRate }
        guard period > 0 else { return 0 }
        return 1 / (period * Tick.seconds * (isHalf ? 2 : 1))
    }

    mutating func push(_ front: borrowing SignalFront, tick: Tick, resolvesHarmonics: Bool) {
        if tick.sensors.contains(.angularVelocity) {
            spin.push(tick.angularVelocity)
        }
        coherence.push(front)
        if resolvesHarmonics, period > 0 {
            harmonics.push(front.channels)
        }
        if tick.index % RiseHistory.spacingTicks == 0 {
            let lane: SignalEnergies.Lane = tick.sensors.contains(.acceleration) ? .vector : .turning
            rise.push(front.energies.shortDeviation(lane), tick: tick.index)
        }
    }

    /// Looks for the period and counts. True when a bout ended here, so that what it left in the lag products is no signal.
    mutating func evaluate(
        curve: LagCurve, features: SignalFeatures, resolvesHarmonics: Bool, into events: inout MotionEvents
    ) -> Bool {
        isSpinning = false
        if resolvesHarmonics, let spin = spin.spin {
            isSpinning = true
            spinRate = spin.rate
            strength = spin.strength
            agreeing = min(agreeing + 1, 100)
        } else {
            guard Self.moves(features), !hasStopped(features), follow(curve) else {
                let hasEnded = isOpen
                close(features, into: &events)
                return hasEnded
            }
            coherence.follow(periodTicks: period)
            if resolvesHarmonics { weighHarmonics(curve) }
        }
        count(features, resolvesHarmonics: resolvesHarmonics, into: &events)
        return false
    }

    private mutating func count(
        _ features: SignalFeatures, resolvesHarmonics: Bool, into events: inout MotionEvents
    ) {
        let now = features.timeMicroseconds
        if !isOpen, agreeing >= Self.openingEvaluations {
            isOpen = true
            integrator.start(at: rise.onset(fallbackSteps: 16, before: now))
        }
        guard isOpen, isSpinning || !resolvesHarmonics || harmonics.isMature else { return }
        integrator.advance(to: now - delay, ratePerSecond: rate, unit: .revolutions, into: &events)
    }

    /// Revolutions are integrated this long after they happened, µs: by then a stop would have shown.
    private var delay: Int64 {
        isSpinning ? 400_000 : 400_000 + Int64(min(period, 100)) * Tick.microseconds
    }

    /// Finds the period in the curve. False when there is none and the last one is not held any longer.
    private mutating func follow(_ curve: LagCurve) -> Bool {
        let threshold = isOpen ? Self.closingStrength : Self.openingStrength
        guard let peak = curve.firstStrongPeak(in: Self.lags, share: Self.peakShare), peak.height > threshold else {
            held += 1
            return isOpen && held <= Self.holdEvaluations
        }
        held = 0
        strength = min(peak.height, 1)
        if agrees(peak.lag, period) {
            agreeing = min(agreeing + 1, 100)
            period = peak.lag
        } else if agreeing >= 3, agrees(peak.lag, 2 * period) {
            period = peak.lag / 2
            isHalf = true
        } else if agreeing >= 3, !isHalf, agrees(peak.lag, period / 2) {
            period = peak.lag
            isHalf = true
            harmonics.reset()
        } else {
            takeUp(peak.lag)
        }
        return true
    }

    private mutating func takeUp(_ lag: Float) {
        period = lag
        agreeing = 1
        harmonics.reset()
        isHalf = false
    }

    private func agrees(_ lag: Float, _ expected: Float) -> Bool {
        expected > 0 && abs(lag - expected) <= 0.15 * expected
    }

    private mutating func weighHarmonics(_ curve: LagCurve) {
        harmonics.evaluate(periodTicks: period)
        if harmonics.isMature {
            isHalf = harmonics.hasHalfLine
        } else if 1 / (period * Tick.seconds) > Self.likelyRate {
            isHalf = true
        }
    }

    /// Whether anything moves that could be pedalling.
    static func moves(_ features: SignalFeatures) -> Bool {
        features.vectorDeviation > accelerationFloor || features.turningDeviation > turningFloor
    }

    private func shortDeviation(_ features: SignalFeatures) -> Float {
        features.sensors.contains(.acceleration) ? features.shortVectorDeviation : features.shortTurningDeviation
    }

    private func slowDeviation(_ features: SignalFeatures) -> Float {
        features.sensors.contains(.acceleration) ? features.vectorDeviation : features.turningDeviation
    }

    private func hasStopped(_ features: SignalFeatures) -> Bool {
        if isOpen, let now = coherence.coherence, now < Self.coherenceShare * strength { return true }
        return shortDeviation(features) < Self.stopShare * slowDeviation(features)
    }

    /// Ends a bout: what was pedalled until the movement fell, or until a period ago, is counted.
    mutating func close(_ features: SignalFeatures, into events: inout MotionEvents) {
        if isOpen {
            let fall = rise.fall(reference: slowDeviation(features), before: features.timeMicroseconds)
            let end = min(fall, features.timeMicroseconds - Int64(min(period, 100) * 0.9) * Tick.microseconds)
            integrator.advance(to: end, ratePerSecond: rate, unit: .revolutions, into: &events)
        }
        release()
    }

    /// Ends a bout because the signal ends here.
    mutating func settle(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        if isOpen {
            integrator.advance(to: timeMicroseconds, ratePerSecond: rate, unit: .revolutions, into: &events)
        }
        release()
        rise = RiseHistory()
        spin = SpinGauge()
    }

    private mutating func release() {
        isOpen = false
        agreeing = 0
        held = 0
        period = 0
        isHalf = false
        isSpinning = false
        strength = 0
        coherence.release()
        harmonics.reset()
    }

    mutating func rebase() {
        integrator.reset()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isOpen)
        coder.code(&strength)
        coder.code(&period)
        coder.code(&isHalf)
        coder.code(&agreeing, in: 0...100)
        coder.code(&held, in: 0...100)
        coder.code(&isSpinning)
        coder.code(&spinRate)
        rise.transfer(&coder)
        integrator.transfer(&coder)
        harmonics.transfer(&coder)
        coherence.transfer(&coder)
        spin.transfer(&coder)
    }
}
