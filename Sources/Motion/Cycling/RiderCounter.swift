/// Counts crank revolutions with a sensor on whoever pedals, by integrating the pedalling rate.
struct RiderCounter {
    private(set) var isOpen = false
    private(set) var strength: Float = 0
    /// The period found, ticks; 0 for none.
    private var period: Float = 0
    /// Whether the period is likely that of pedalling, though it is too soon to count.
    private var isLikely = false
    /// The last period, ticks, that held for a while.
    private var recentPeriod: Float = 0
    /// Evaluations since it was last seen.
    private var recentAge = 0
    /// The last period, ticks, that held for long, and evaluations since it did.
    private var lastingPeriod: Float = 0
    private var lastingAge = 0
    private var agreeing = 0
    /// How many of them were clear enough for a bout to open, and those since then that were not.
    private var proving = 0
    private var weak = 0
    private var held = 0
    /// Evaluations in a row that spoke for twice or half the period.
    private var octaveDoubts = 0
    private var typicalMovement = TypicalMovement()
    private var endedMovement = EndedMovement()
    private(set) var rise = MovementEnvelope()
    var integrator = PhaseIntegrator()
    private var change = CadenceChange()
    /// The similarity of the last quarter minute.
    private var slowCurve = LagCurve()

    private var site: Site
    /// Whether the sensor turns with a leg, as it is known now. No state: it is told anew at each evaluation.
    private var turnsWithLeg = false

    init(placement: Placement) {
        site = Site(placement)
    }

    /// Goes on with a sensor that turns out to sit elsewhere.
    mutating func move(to placement: Placement) {
        site = Site(placement)
    }

    /// What follows from where the sensor sits.
    private struct Site {
        /// The periods that are looked for, ticks.
        let lags: ClosedRange<Int>
        let isLeg: Bool
        let isOnArm: Bool
        /// Whether the sensor may lie on a leg: at the hip of who sits it does not.
        let mayBeOnLeg: Bool
        let mayBeOnThigh: Bool

        init(_ placement: Placement) {
            lags = RevolutionThresholds.lags(on: placement)
            isLeg = placement.isLeg
            isOnArm = placement.mayTurn
            mayBeOnLeg = placement.maySwingWithLeg
            mayBeOnThigh = placement.mayBeOnThigh
        }
    }

    /// Whether a cadence is told: that of a bout, or one that is likely to become a bout's.
    var isTold: Bool { isOpen || isLikely }

    /// How likely the cadence is right.
    var confidence: Float {
        (isOpen ? Calibration.riding : Calibration.likelyRiding).probability(strength: strength)
    }

    /// Revolutions a second.
    var rate: Float { period > 0 ? 1 / (period * Tick.seconds) : 0 }

    /// The rate that has been pedalled for a while, a second; 0 where none has.
    var settledRate: Float { isOpen && agreeing >= RevolutionThresholds.settledEvaluations ? rate : 0 }

    /// The same, or the one that was pedalled for longer a short while ago.
    var rememberedRate: Float {
        let settled = settledRate
        return settled > 0 || lastingPeriod == 0 ? settled : 1 / (lastingPeriod * Tick.seconds)
    }

    mutating func push(shortDeviation: Float, tick: Int64) {
        rise.push(shortDeviation, tick: tick)
    }

    /// Looks for the period and counts.
    mutating func evaluate(curve: LagCurve, features: SignalFeatures, into events: inout MotionEvents) {
        forgetOldPeriod()
        endedMovement.learn(features)
        slowCurve.approach(curve, gain: RevolutionThresholds.slowGain * (1 - endedMovement.share))
        change.learn(curve)
        typicalMovement.learn(features.shortMovement)
        turnsWithLeg = site.isLeg || features.turnsWithLeg
        let isInVehicle = features.vibration == .vehicle && !turnsWithLeg
        guard features.mayBePedalling(isOnBike: false), !hasStopped(features), follow(curve, isInVehicle: isInVehicle)
        else {
            close(features, into: &events)
            return
        }
        count(features, into: &events)
    }

    private mutating func hasStopped(_ features: SignalFeatures) -> Bool {
        let hasStopped = typicalMovement.hasStopped(features.shortMovement)
        if hasStopped, isOpen { endedMovement.end() }
        return hasStopped
    }

    /// Whether a bout may open.
    private func isProven(_ features: SignalFeatures) -> Bool {
        if features.isUndecidedLeg { return false }
        if site.isLeg, features.hasAcceleration, features.vectorDeviation < RevolutionThresholds.leastLegMovement {
            return false
        }
        if features.mayBeCarried, proving >= RevolutionThresholds.memorableEvaluations {
            return proving >= RevolutionThresholds.carriedOpeningEvaluations
        }
        if agrees(period, recentPeriod) { return proving >= RevolutionThresholds.openingEvaluations }
        let isClear =
            strength > RevolutionThresholds.clearStrength
            && (site.isLeg || features.shortNormDeviation <= StepThresholds.sureNormDeviation && !features.mayBeCarried)
        return proving
            >= (isClear ? RevolutionThresholds.clearOpeningEvaluations : RevolutionThresholds.personOpeningEvaluations)
    }

    /// Whether more moves than on a bike: a hand or a trunk goes farther than one that a handlebar or a saddle holds, or
    /// comes back sooner than a crank; or a body is lifted beside its thigh.
    private func isBeyondBike(_ features: SignalFeatures) -> Bool {
        let angularRate = 2 * .pi * rate
        if site.mayBeOnThigh {
            return features.smoothNormDeviation > RevolutionThresholds.thighMetres * angularRate * angularRate
        }
        if site.mayBeOnLeg { return false }
        let swayed = RevolutionThresholds.handlebarMetres * angularRate * angularRate
        let most = min(RevolutionThresholds.handlebarTilt + swayed, RevolutionThresholds.handlebarMovement)
        return min(features.vectorDeviation, features.shortVectorDeviation) > most || slowCurve.isQuicker(than: period)
    }

    /// Whether a cadence may be told before it is sure that someone pedals: a whole turn goes by in which the same
    /// period is found, and no foot is heard. Nothing is counted by that.
    private func isLikelyPedalling(_ features: SignalFeatures) -> Bool {
        var needed = max(Int(period) / RevolutionThresholds.evaluationTicks, RevolutionThresholds.tellingEvaluations)
        if !turnsWithLeg {
            guard site.isOnArm, features.vibration == .none else { return false }
            let normDeviation = max(features.normDeviation, features.shortNormDeviation)
            guard normDeviation < RevolutionThresholds.tellingNormDeviation else { return false }
            if normDeviation > RevolutionThresholds.quietNormDeviation {
                needed += RevolutionThresholds.doubtedEvaluations
            }
            if features.mayBeCarried { needed += RevolutionThresholds.doubtedEvaluations }
        }
        return agreeing >= needed && held <= RevolutionThresholds.tellingHold && !isBeyondBike(features)
    }

    /// Forgets the last period.
    mutating func forgetPeriod() {
        (recentPeriod, lastingPeriod) = (0, 0)
    }

    private mutating func forgetOldPeriod() {
        recentAge = min(recentAge + 1, RevolutionThresholds.recallEvaluations)
        if recentAge == RevolutionThresholds.recallEvaluations { recentPeriod = 0 }
        lastingAge = min(lastingAge + 1, RevolutionThresholds.recallEvaluations)
        if agreeing >= RevolutionThresholds.lastingEvaluations { (lastingPeriod, lastingAge) = (period, 0) }
        if lastingAge == RevolutionThresholds.recallEvaluations { lastingPeriod = 0 }
    }

    private mutating func count(_ features: SignalFeatures, into events: inout MotionEvents) {
        let now = features.timeMicroseconds
        if !isOpen, isProven(features), !isBeyondBike(features) {
            isOpen = true
            integrator.start(at: rise.onset(fallbackSteps: RevolutionThresholds.creditedEntries, before: now))
        }
        isLikely = !isOpen && isLikelyPedalling(features)
        guard isOpen else { return }
        integrator.advance(to: now - delay, ratePerSecond: rate, unit: .revolutions, into: &events)
    }

    /// Revolutions are integrated this long after they happened, µs: by then a stop would have shown.
    private var delay: Int64 {
        400_000 + Int64(min(period, 100) * RevolutionThresholds.stopPeriods) * Tick.microseconds
    }

    /// Finds the period in the curve. False when there is none and the last one is not held any longer.
    private mutating func follow(_ curve: LagCurve, isInVehicle: Bool) -> Bool {
        if isOpen, followChange(curve) { return true }
        guard let peak = isInVehicle && (!isOpen || site.mayBeOnLeg) ? clearPeak(curve) : strongPeak(curve) else {
            held += 1
            return held <= heldEvaluations
        }
        held = 0
        strength = min(peak.height, 1)
        if agrees(peak.lag, period) {
            agreeing = min(agreeing + 1, 100)
            prove(peak)
            period = peak.lag
            octaveDoubts = 0
            if proving >= RevolutionThresholds.memorableEvaluations {
                recentPeriod = period
                recentAge = 0
            }
        } else if agreeing >= 3, agrees(peak.lag, 2 * period) || agrees(peak.lag, period / 2) {
            doubtOctave(peak)
        } else {
            takeUp(peak)
        }
        return true
    }

    /// Goes on with the period that the last moments have, the same or another. False when they tell none.
    private mutating func followChange(_ curve: LagCurve) -> Bool {
        let found = change.find(
            curve, besides: period, in: site.lags, over: slowCurve, isLeg: turnsWithLeg, feigned: endedMovement.share)
        let peak: LagCurve.Peak
        switch found {
        case .nothing: return false
        case .same(let same):
            agreeing = min(agreeing + 1, 100)
            peak = same
        case .changed(let changed):
            agreeing = 1
            peak = changed
        }
        period = peak.lag
        strength = min(peak.height, 1)
        (recentPeriod, recentAge) = (period, 0)
        (held, octaveDoubts) = (0, 0)
        return true
    }

    /// Where the similarity of now is weak on someone who has pedalled, that of the last quarter minute is asked.
    private func strongPeak(_ curve: LagCurve) -> LagCurve.Peak? {
        let found = curve.personPeak(in: site.lags, recentPeriod: recentPeriod, over: slowCurve, isLeg: turnsWithLeg)
        if let found, found.height - endedMovement.share > threshold(found) { return found }
        guard isOpen || recentPeriod > 0,
            let slow = slowCurve.personPeak(
                in: site.lags, recentPeriod: recentPeriod, over: slowCurve, isLeg: turnsWithLeg),
            slow.height > RevolutionThresholds.personSlowStrength, agreeing == 0 || agrees(slow.lag, period),
            slow.height - endedMovement.share > threshold(slow)
        else { return nil }
        return slow
    }

    /// The springs of a vehicle swing once or twice a second, each time otherwise: what begins there must be clear,
    /// and all that may be a leg, whose movement is more alike, somewhat clear.
    private func clearPeak(_ curve: LagCurve) -> LagCurve.Peak? {
        curve.personPeak(in: site.lags, recentPeriod: recentPeriod, over: slowCurve, isLeg: turnsWithLeg).flatMap {
            let isKnown = site.mayBeOnLeg || agrees($0.lag, recentPeriod)
            let least = isKnown ? RevolutionThresholds.knownClearStrength : RevolutionThresholds.clearStrength
            let height = $0.height - endedMovement.share
            return height > least || height > threshold($0) && slowCurve.lasts($0.lag) ? $0 : nil
        }
    }

    private func threshold(_ peak: LagCurve.Peak) -> Float {
        if agrees(peak.lag, recentPeriod) { return RevolutionThresholds.recallStrength }
        if isOpen { return RevolutionThresholds.closingStrength }
        guard site.isOnArm else { return RevolutionThresholds.personOpeningStrength }
        return agrees(peak.lag, period) ? RevolutionThresholds.closingStrength : RevolutionThresholds.noticedStrength
    }

    /// The similarity at which an evaluation counts among those that open a bout.
    private func provingThreshold(_ peak: LagCurve.Peak) -> Float {
        if agrees(peak.lag, recentPeriod) { return RevolutionThresholds.recallStrength }
        return isOpen ? RevolutionThresholds.closingStrength : RevolutionThresholds.personOpeningStrength
    }

    /// Counts the evaluations that are clear enough to open a bout.
    private mutating func prove(_ peak: LagCurve.Peak) {
        weak = peak.height > provingThreshold(peak) ? 0 : min(weak + 1, 100)
        if weak == 0 {
            proving = min(proving + 1, 100)
        } else if !isOpen, weak > RevolutionThresholds.candidateHoldEvaluations {
            proving = 0
        }
    }

    /// A gesture may favour twice or half the period for a while; only what lasts is believed.
    private mutating func doubtOctave(_ peak: LagCurve.Peak) {
        octaveDoubts += 1
        let needed = isOpen ? RevolutionThresholds.octaveEvaluations : RevolutionThresholds.candidateOctaveEvaluations
        guard octaveDoubts >= needed else { return }
        let (agreed, proved) = (agreeing, proving)
        takeUp(peak)
        (agreeing, proving) = (agreed, proved)
    }

    private mutating func takeUp(_ peak: LagCurve.Peak) {
        period = peak.lag
        agreeing = 1
        proving = peak.height > provingThreshold(peak) ? 1 : 0
        weak = 0
        octaveDoubts = 0
    }

    static func agrees(_ lag: Float, _ expected: Float) -> Bool {
        expected > 0 && abs(lag - expected) <= 0.15 * expected
    }

    private func agrees(_ lag: Float, _ expected: Float) -> Bool { Self.agrees(lag, expected) }

    /// Evaluations through which a period is held that is not seen.
    private var heldEvaluations: Int {
        if isOpen { return RevolutionThresholds.personHoldEvaluations }
        return agreeing == 0 ? 0 : RevolutionThresholds.candidateHoldEvaluations
    }

    /// Goes on through a moment in which a gesture hides the pedalling; closes when it lasts.
    mutating func bridge(_ features: SignalFeatures, into events: inout MotionEvents) {
        held += 1
        endedMovement.learn(features)
        guard isOpen, held <= RevolutionThresholds.bridgeEvaluations, !hasStopped(features) else {
            close(features, into: &events)
            return
        }
        forgetOldPeriod()
        count(features, into: &events)
    }

    /// Ends a bout: what was pedalled until the movement fell, or until a period ago, is counted.
    mutating func close(_ features: SignalFeatures, into events: inout MotionEvents) {
        if isOpen {
            let fall = rise.fall(reference: features.slowMovement, before: features.timeMicroseconds)
            let stopped = Int64(min(period, 100) * RevolutionThresholds.stopPeriods) * Tick.microseconds
            integrator.advance(
                to: min(fall, features.timeMicroseconds - stopped), ratePerSecond: rate, unit: .revolutions,
                into: &events)
        }
        release()
    }

    /// Ends a bout because the signal ends here.
    mutating func settle(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        if isOpen {
            integrator.advance(to: timeMicroseconds, ratePerSecond: rate, unit: .revolutions, into: &events)
        }
        release()
        rise = MovementEnvelope()
    }

    private mutating func release() {
        if isOpen { slowCurve.clear() }
        isOpen = false
        isLikely = false
        agreeing = 0
        proving = 0
        weak = 0
        held = 0
        octaveDoubts = 0
        period = 0
        strength = 0
    }

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
        coder.code(&isLikely)
        coder.code(&strength)
        coder.code(&period, in: 0...100)
        coder.code(&recentPeriod, in: 0...100)
        coder.code(&recentAge, in: 0...RevolutionThresholds.recallEvaluations)
        coder.code(&lastingPeriod, in: 0...100)
        coder.code(&lastingAge, in: 0...RevolutionThresholds.recallEvaluations)
        typicalMovement.transfer(&coder)
        endedMovement.transfer(&coder)
        coder.code(&agreeing, in: 0...100)
        coder.code(&proving, in: 0...100)
        coder.code(&weak, in: 0...100)
        coder.code(&held, in: 0...100)
        coder.code(&octaveDoubts, in: 0...RevolutionThresholds.octaveEvaluations)
        rise.transfer(&coder)
        integrator.transfer(&coder)
        change.transfer(&coder)
        slowCurve.transfer(&coder)
    }
}
