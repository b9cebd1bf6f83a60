#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts crank revolutions by integrating the pedalling rate.
struct RevolutionCounter {
    private(set) var isOpen = false
    private(set) var strength: Float = 0
    /// The period found, ticks; 0 for none. Half a revolution when `isHalf`.
    private(set) var period: Float = 0
    private var isHalf = false
    /// The last period, ticks, that held for a while.
    private var recentPeriod: Float = 0
    /// Evaluations since it was last seen.
    private var recentAge = 0
    private var agreeing = 0
    private var held = 0
    /// Evaluations in a row that spoke for twice or half the period.
    private var octaveDoubts = 0
    /// Coherence since the period was taken up, summed over its repetitions.
    private var evidence: Float = 0
    private var typicalMovement = TypicalMovement()
    private var isSpinning = false
    private var spinRate: Float = 0
    var rise = RiseHistory()
    private var integrator = PhaseIntegrator()
    var harmonics = HarmonicTest()
    var coherence = CoherenceGauge()
    var spin = SpinGauge()
    private var suspension = Suspension()
    var field = FieldVoice()
    /// The similarity of the last quarter minute.
    private var slowCurve = LagCurve()

    /// How likely the cadence is right: less while the harmonics have not told a whole revolution from half of one.
    func confidence(resolvesHarmonics: Bool) -> Float {
        guard resolvesHarmonics else { return Calibration.riding.probability(strength: strength) }
        let probability = Calibration.bike.probability(strength: max(strength, field.strength))
        let isSettled = isSpinning || field.speaksForHalf || harmonics.isMature(periodTicks: period)
        return isSettled ? probability : min(probability, RevolutionGate.unsettledConfidence)
    }

    /// After how many ticks the signal repeats itself best: a whole revolution, where that fits the lags.
    private var repetition: Float {
        isHalf && 2 * period < Float(LagProducts.lagCount - 1) ? 2 * period : period
    }

    /// Revolutions a second.
    var rate: Float {
        if isSpinning { return spinRate }
        guard period > 0 else { return 0 }
        return 1 / (period * Tick.seconds * (isHalf ? 2 : 1))
    }

    /// Looks for the period and counts. True when a bout ended here, so that what it left in the lag products is no signal.
    mutating func evaluate(
        curve: LagCurve, features: SignalFeatures, resolvesHarmonics: Bool, into events: inout MotionEvents
    ) -> Bool {
        isSpinning = false
        forgetOldPeriod()
        slowCurve.approach(curve, gain: RevolutionGate.slowGain)
        typicalMovement.learn(features.shortMovement, isOnBike: resolvesHarmonics)
        if resolvesHarmonics, let spin = spin.spin {
            isSpinning = true
            spinRate = spin.rate
            strength = spin.strength
            agreeing = min(agreeing + 1, 100)
        } else {
            guard features.mayBePedalling(isOnBike: resolvesHarmonics),
                !hasStopped(features, isOnBike: resolvesHarmonics),
                follow(curve, isOnBike: resolvesHarmonics)
            else {
                let hasEnded = isOpen || suspension.isSuspended
                close(features, into: &events)
                return hasEnded
            }
            let hasFallen = typicalMovement.hasStopped(features.shortMovement, isOnBike: resolvesHarmonics)
            if resolvesHarmonics, seemsStopped(hasFallen: hasFallen) {
                suspend(features, hasFallen: hasFallen, into: &events)
                return false
            }
            coherence.follow(periodTicks: repetition)
            if resolvesHarmonics {
                if !(hasFallen && suspension.isSuspended) { gatherEvidence() }
                weighHarmonics(curve)
            }
        }
        count(features, resolvesHarmonics: resolvesHarmonics, into: &events)
        return false
    }

    /// A period is taken up because of what was, and believed because of what comes then: in noise something always looks
    /// periodic, but does not go on so.
    private mutating func gatherEvidence() {
        let repetitions = Float(RevolutionGate.evaluationTicks) / max(repetition, 1)
        evidence = min(max(evidence + (coherence.coherence ?? 0) * repetitions, 0), RevolutionGate.weakOpeningEvidence)
        suspension.push(coherence.coherence ?? 0)
    }

    /// Whether a bout may open.
    private func isProven(resolvesHarmonics: Bool) -> Bool {
        if isSpinning { return agreeing >= RevolutionGate.openingEvaluations }
        if resolvesHarmonics {
            return agreeing >= RevolutionGate.openingEvaluations && evidence >= neededEvidence
        }
        return agreeing
            >= (agrees(period, recentPeriod)
                ? RevolutionGate.openingEvaluations : RevolutionGate.personOpeningEvaluations)
    }

    private var neededEvidence: Float {
        strength > RevolutionGate.openingStrength || suspension.isSuspended
            ? RevolutionGate.openingEvidence : RevolutionGate.weakOpeningEvidence
    }

    private mutating func forgetOldPeriod() {
        recentAge = min(recentAge + 1, RevolutionGate.recallEvaluations)
        if recentAge == RevolutionGate.recallEvaluations { recentPeriod = 0 }
    }

    private mutating func count(
        _ features: SignalFeatures, resolvesHarmonics: Bool, into events: inout MotionEvents
    ) {
        let now = features.timeMicroseconds
        if !isOpen, isProven(resolvesHarmonics: resolvesHarmonics) {
            isOpen = true
            open(at: now, isOnBike: resolvesHarmonics)
        }
        guard isOpen, isSpinning || !resolvesHarmonics || harmonics.isMature(periodTicks: period) else { return }
        integrator.advance(to: now - delay, ratePerSecond: rate, unit: .revolutions, into: &events)
    }

    /// Starts counting where the pedalling began. Where the movement does not tell, because the machine shakes as much at
    /// rest, the similarity does: it grows towards the coherence as the lag products forget what was before.
    private mutating func open(at now: Int64, isOnBike: Bool) {
        guard isOnBike, !isSpinning else {
            integrator.start(at: rise.onset(fallbackSteps: 16, before: now))
            return
        }
        if suspension.isSuspended {
            if !suspension.wasPedalled(strength: strength) {
                integrator.start(
                    at: now - Int64(repetition * suspension.periodsSinceResumed(strength)) * Tick.microseconds)
            }
            suspension.end()
            return
        }
        let final = max(coherence.coherence ?? 0, strength) * 1.1
        let seconds = -RevolutionGate.memorySeconds * log(max(1 - strength / final, 0.1)) + repetition * Tick.seconds
        integrator.start(at: rise.onset(fallbackSteps: Int(seconds * 5), before: now))
    }

    /// Revolutions are integrated this long after they happened, µs: by then a stop would have shown.
    private var delay: Int64 {
        isSpinning
            ? 400_000 : 400_000 + Int64(min(repetition, 100) * RevolutionGate.stopPeriods) * Tick.microseconds
    }

    /// Finds the period in the curve. False when there is none and the last one is not held any longer.
    private mutating func follow(_ curve: LagCurve, isOnBike: Bool) -> Bool {
        let found = isOnBike ? trackedPeak(curve) : personPeak(curve)
        guard
            let peak = magneticPeak(curve)
                ?? found.flatMap({ $0.height > threshold($0, isOnBike: isOnBike) ? $0 : nil })
        else {
            held += 1
            return held <= heldEvaluations(isOnBike: isOnBike)
        }
        held = 0
        strength = min(peak.height, 1)
        if agrees(peak.lag, period) {
            agreeing = min(agreeing + 1, 100)
            period = peak.lag
            if !isOnBike { octaveDoubts = 0 }
            if agreeing >= 10 {
                recentPeriod = period
                recentAge = 0
            }
        } else if !isOnBike, agreeing >= 3, agrees(peak.lag, 2 * period) || agrees(peak.lag, period / 2) {
            doubtOctave(peak.lag)
        } else if suspension.isSuspended {
            takeUp(peak.lag)
        } else if agreeing >= 3, agrees(peak.lag, 2 * period) {
            period = peak.lag / 2
            isHalf = period < HarmonicTest.slowTicks
        } else if agreeing >= 3, !isHalf, agrees(peak.lag, period / 2) {
            period = peak.lag
            isHalf = true
            harmonics.reset()
        } else {
            takeUp(peak.lag)
        }
        return true
    }

    /// Where the similarity of now is weak on someone who has pedalled, that of the last quarter minute is asked.
    private func personPeak(_ curve: LagCurve) -> LagCurve.Peak? {
        let found = curve.personPeak(recentPeriod: recentPeriod)
        if let found, found.height > threshold(found, isOnBike: false) { return found }
        guard isOpen || recentPeriod > 0, let slow = slowCurve.personPeak(recentPeriod: recentPeriod),
            slow.height > RevolutionGate.personSlowStrength
        else { return nil }
        return agreeing == 0 || agrees(slow.lag, period) ? slow : nil
    }

    /// The peak that a crank magnet speaks for, unless something else is followed.
    private func magneticPeak(_ curve: LagCurve) -> LagCurve.Peak? {
        field.supportedPeak(curve).flatMap { agreeing == 0 || !isOpen || agrees($0.lag, period) ? $0 : nil }
    }

    private func threshold(_ peak: LagCurve.Peak, isOnBike: Bool) -> Float {
        if !isOnBike, agrees(peak.lag, recentPeriod) { return RevolutionGate.recallStrength }
        if isOpen || suspension.isSuspended { return RevolutionGate.closingStrength }
        return isOnBike ? RevolutionGate.slowOpeningStrength : RevolutionGate.personOpeningStrength
    }

    /// The period is as likely at each of its multiples, so the one that is tracked is kept as long as it is nearly as
    /// similar as the first strong one; only a shorter one that lasts is believed. Where nothing is tracked and the similarity is
    /// weak, that of the last quarter minute is asked.
    private mutating func trackedPeak(_ curve: LagCurve) -> LagCurve.Peak? {
        let found = curve.bikePeak()
        if !isOpen, !suspension.isSuspended, (found?.height ?? 0) <= RevolutionGate.openingStrength {
            return slowCurve.bikePeak()
        }
        guard let first = found, agreeing >= RevolutionGate.openingEvaluations, !agrees(first.lag, period) else {
            octaveDoubts = max(octaveDoubts - 1, 0)
            return found
        }
        guard let near = curve.highestPeak(near: period), near.height >= RevolutionGate.trackedShare * first.height
        else { return first }
        octaveDoubts = first.lag < period ? min(octaveDoubts + 1, RevolutionGate.octaveEvaluations) : octaveDoubts
        guard octaveDoubts >= RevolutionGate.bikeOctaveEvaluations else { return near }
        octaveDoubts = 0
        return first
    }

    /// On a person a gesture may favour twice or half the period for a while; only what lasts is believed.
    private mutating func doubtOctave(_ lag: Float) {
        octaveDoubts += 1
        guard octaveDoubts >= RevolutionGate.octaveEvaluations else { return }
        let agreed = agreeing
        takeUp(lag)
        agreeing = agreed
    }

    private mutating func takeUp(_ lag: Float) {
        suspension.end()
        period = lag
        agreeing = 1
        harmonics.reset()
        coherence.release()
        evidence = 0
        isHalf = false
        octaveDoubts = 0
        field.forgetPeriod()
    }

    private func agrees(_ lag: Float, _ expected: Float) -> Bool {
        expected > 0 && abs(lag - expected) <= 0.15 * expected
    }

    private mutating func weighHarmonics(_ curve: LagCurve) {
        harmonics.evaluate(periodTicks: period)
        if harmonics.isMature(periodTicks: period), harmonics.hasHalfLine || harmonics.wouldShow {
            isHalf = harmonics.hasHalfLine
        } else if 1 / (period * Tick.seconds) > RevolutionGate.likelyRate {
            isHalf = true
        } else if harmonics.isMature(periodTicks: period) {
            isHalf = false
        }
        if field.speaksForHalf { isHalf = true }
    }

    private func hasStopped(_ features: SignalFeatures, isOnBike: Bool) -> Bool {
        guard isOnBike else { return typicalMovement.hasStopped(features.shortMovement, isOnBike: false) }
        return features.shortMovement < RevolutionGate.stopShare * features.slowMovement
    }

    /// Whether the last moments are unlike the period before them, though the machine moves on: a stop, or noise.
    private func seemsStopped(hasFallen: Bool) -> Bool {
        guard isOpen, let now = coherence.coherence else { return false }
        return now < (hasFallen ? RevolutionGate.fallenCoherenceShare : RevolutionGate.coherenceShare) * strength
    }

    /// Ends a bout that may go on: the period is followed further, and when it proves itself again the bout does, too.
    private mutating func suspend(_ features: SignalFeatures, hasFallen: Bool, into events: inout MotionEvents) {
        let fall = rise.fall(reference: features.slowMovement, before: features.timeMicroseconds)
        let end = features.timeMicroseconds - delay
        integrator.advance(
            to: hasFallen ? max(end, fall - RevolutionGate.fallDelayMicroseconds) : end, ratePerSecond: rate,
            unit: .revolutions, into: &events)
        isOpen = false
        evidence = 0
        suspension.begin()
    }

    /// Evaluations through which a period is held that is not seen.
    private func heldEvaluations(isOnBike: Bool) -> Int {
        if isOpen { return isOnBike ? RevolutionGate.holdEvaluations : RevolutionGate.personHoldEvaluations }
        return isOnBike || agreeing == 0 ? 0 : RevolutionGate.candidateHoldEvaluations
    }

    /// Goes on through a moment in which a person's gesture hides the pedalling; closes when it lasts.
    mutating func bridge(_ features: SignalFeatures, into events: inout MotionEvents) {
        held += 1
        guard isOpen, held <= RevolutionGate.bridgeEvaluations, !hasStopped(features, isOnBike: false) else {
            close(features, into: &events)
            return
        }
        forgetOldPeriod()
        count(features, resolvesHarmonics: false, into: &events)
    }

    /// Ends a bout: what was pedalled until the movement fell, or until a period ago, is counted.
    mutating func close(_ features: SignalFeatures, into events: inout MotionEvents) {
        if isOpen {
            let fall = rise.fall(reference: features.slowMovement, before: features.timeMicroseconds)
            let end = min(
                fall,
                features.timeMicroseconds - Int64(min(repetition, 100) * RevolutionGate.stopPeriods) * Tick.microseconds
            )
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
        if isOpen || suspension.isSuspended { slowCurve.clear() }
        isOpen = false
        agreeing = 0
        held = 0
        octaveDoubts = 0
        evidence = 0
        period = 0
        isHalf = false
        isSpinning = false
        strength = 0
        coherence.release()
        harmonics.reset()
        suspension.end()
        field.forgetPeriod()
    }

    /// The UTC time until which revolutions are counted, µs.
    var countedThrough: Int64 { integrator.time }

    /// What happened until this time is counted as something else.
    mutating func exclude(until timeMicroseconds: Int64) {
        integrator.exclude(until: timeMicroseconds)
    }

    /// Forgets the time until which revolutions are counted (after the clock was set back).
    mutating func rebase() {
        integrator.reset()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isOpen)
        coder.code(&strength)
        coder.code(&period, in: 0...100)
        coder.code(&recentPeriod, in: 0...100)
        coder.code(&recentAge, in: 0...RevolutionGate.recallEvaluations)
        typicalMovement.transfer(&coder)
        coder.code(&evidence, in: 0...RevolutionGate.weakOpeningEvidence)
        coder.code(&isHalf)
        coder.code(&agreeing, in: 0...100)
        coder.code(&held, in: 0...100)
        coder.code(&octaveDoubts, in: 0...RevolutionGate.octaveEvaluations)
        coder.code(&isSpinning)
        coder.code(&spinRate)
        rise.transfer(&coder)
        integrator.transfer(&coder)
        harmonics.transfer(&coder)
        coherence.transfer(&coder)
        spin.transfer(&coder)
        suspension.transfer(&coder)
        field.transfer(&coder)
        slowCurve.transfer(&coder)
    }
}
