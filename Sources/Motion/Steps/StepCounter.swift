#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts steps by integrating the step rate while the signal is periodic as walking is. Counting by frequency was the most
/// accurate of ten methods at the wrist in Pilkar et al. 2023.
struct StepCounter {
    private(set) var isOpen = false
    /// Steps a second of the last agreeing evaluation.
    private(set) var rate: Float = 0
    /// Similarity at the period, 0…1.
    private(set) var strength: Float = 0
    /// The similarity that this bout had when it was clearest, of late.
    private var clearest: Float = 0
    private var agreeing = 0
    /// The rate of the last open bout, to recognise it when it goes on.
    private var recentRate: Float = 0
    private var recentTime: Int64 = 0
    private var rhythm = Rhythm()
    private var rise = RiseHistory()
    private var integrator = PhaseIntegrator()
    private var footfalls = FootfallCounter()

    /// Whether what moves is no pedalling: steps were found of late and agree, or the rhythm is still that of a walk.
    var mayBeWalking: Bool { agreeing >= StepGate.clearEvaluations || isRhythmOfWalk }

    /// Whether the rhythm has not broken since the last bout.
    private var isRhythmOfWalk: Bool { recentTime > 0 && rhythm.start < recentTime }

    /// Takes a tick of |a|: single footfalls.
    @inline(__always)
    mutating func push(
        norm: Float, energies: borrowing SignalEnergies, rate: borrowing RateGauge, tick: Int64, mayTurn: Bool
    ) {
        footfalls.push(norm: norm, energies: energies, rate: rate, tick: tick, isWrist: mayTurn)
    }

    mutating func push(shortDeviation: Float, tick: Int64) {
        rise.push(shortDeviation, tick: tick)
    }

    mutating func evaluate(
        curve: LagCurve, normCurve: LagCurve, features: SignalFeatures, placement: Placement,
        into events: inout MotionEvents
    ) {
        let hypothesis = StepHypothesis(
            curve: curve, normCurve: normCurve, features: features,
            trackedRate: recalledRate(at: features.timeMicroseconds))
        rhythm.follow(hypothesis, at: features.timeMicroseconds)
        guard let hypothesis, isWalk(hypothesis, features, placement) else {
            if isOpen { strength = min(strength, similarity(curve)) }
            close(features, into: &events)
            footfalls.weigh(normCurve)
            countFootfalls(at: features.timeMicroseconds, placement, isEnd: false, into: &events)
            return
        }
        let agrees = agreeing > 0 && abs(hypothesis.rate - rate) <= StepGate.agreement * rate
        agreeing = agrees ? min(agreeing + 1, 100) : 1
        rate = hypothesis.rate
        strength = hypothesis.strength
        if !isOpen, agreeing >= neededEvaluations(features, placement) {
            open(features, placement, into: &events)
        }
        if isOpen {
            if agreeing >= StepGate.openingEvaluations {
                recentRate = rate
                recentTime = features.timeMicroseconds
            }
            clearest = max(strength, clearest - StepGate.clearestFall)
            let settled = features.timeMicroseconds - max(StepGate.delayMicroseconds, fadingTime(strength))
            integrator.advance(to: settled, ratePerSecond: rate, unit: .steps, into: &events)
        }
    }

    /// Takes note that nothing moves as walkers do.
    mutating func rest(_ features: SignalFeatures, placement: Placement, into events: inout MotionEvents) {
        rhythm = Rhythm()
        close(features, into: &events)
        countFootfalls(at: features.timeMicroseconds, placement, isEnd: false, into: &events)
    }

    /// The similarity at the step or stride of the open bout.
    private func similarity(_ curve: LagCurve) -> Float {
        let step = 1 / (max(rate, 0.4) * Tick.seconds)
        return max(curve.highestPeak(near: step)?.height ?? 0, curve.highestPeak(near: 2 * step)?.height ?? 0)
    }

    /// For how long, µs, there has been no walk if that is why the similarity is no longer as high as it was: what the lag
    /// products remember fades with their time constant.
    private func fadingTime(_ strength: Float) -> Int64 {
        let ratio = clearest / max(strength, 0.2)
        return ratio > 1 ? Int64(1e6 * StepGate.memorySeconds * log(ratio)) : 0
    }

    /// The rate of the last bout unless that is long ago.
    private func recalledRate(at timeMicroseconds: Int64) -> Float {
        timeMicroseconds - recentTime < StepGate.recallMicroseconds ? recentRate : 0
    }

    /// Evaluations that must agree before a bout opens: fewer on a clear signal, more on an arm that has work of its own,
    /// and most where that has another rhythm than walking.
    private func neededEvaluations(_ features: SignalFeatures, _ placement: Placement) -> Int {
        let isRunning = features.normDeviation > StepGate.runningNormDeviation && rate > StepGate.runningRate
        if placement.isOnArm, !isRunning, !StepGate.walkingRates.contains(rate) {
            return StepGate.unlikelyArmEvaluations
        }
        if strength > StepGate.clearStrength * features.similarityShare { return StepGate.clearEvaluations }
        return placement.isOnArm ? StepGate.openingArmEvaluations : StepGate.openingEvaluations
    }

    /// Starts a bout where its movement rose; one that goes on where the last one paused.
    private mutating func open(
        _ features: SignalFeatures, _ placement: Placement, into events: inout MotionEvents
    ) {
        isOpen = true
        clearest = strength
        let now = features.timeMicroseconds
        let risen = rise.onset(
            reference: features.shortNormDeviation, share: StepGate.onsetShare, rate: rate, before: now)
        let goesOn =
            recentRate > 0 && abs(rate - recentRate) <= StepGate.agreement * recentRate
            && (now - recentTime < StepGate.pauseMicroseconds || isRhythmOfWalk)
        let start = max(goesOn ? risen : beginning(risen: risen, features, placement), integrator.time)
        if !placement.isLeg {
            footfalls.handOver(at: start, placement: placement, into: &events)
        }
        integrator.start(at: start)
    }

    /// When a bout began that is not the last one going on: what moved before its rhythm was found is credited for a while
    /// only, and where no gesture is felt, nothing before its first footfall.
    private func beginning(risen: Int64, _ features: SignalFeatures, _ placement: Placement) -> Int64 {
        let usual = placement.isOnArm ? StepGate.armCreditMicroseconds : StepGate.creditMicroseconds
        let credit = max(usual, Int64(1e6 * StepGate.creditSteps / max(rate, 0.4)))
        let start = max(risen, min(features.timeMicroseconds - credit, rhythm.start))
        guard !placement.mayTurn, features.normDeviation > StepGate.normDeviation,
            let first = footfalls.beginning(rate: rate)
        else { return start }
        return max(start, first - Int64(0.5e6 / max(rate, 0.4)))
    }

    /// Counts the footfalls that no period took over.
    private mutating func countFootfalls(
        at timeMicroseconds: Int64, _ placement: Placement, isEnd: Bool, into events: inout MotionEvents
    ) {
        guard !placement.isLeg else { return }
        let through = footfalls.settle(
            now: timeMicroseconds, countedThrough: integrator.time, placement: placement, isEnd: isEnd,
            into: &events)
        integrator.exclude(until: through)
    }

    private func isWalk(_ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement) -> Bool {
        let threshold = (isOpen ? StepGate.closingStrength : StepGate.openingStrength) * features.similarityShare
        guard hypothesis.strength > threshold, StepGate.rates.contains(hypothesis.rate) else { return false }
        guard !StepGate.hasFaded(features, rate: hypothesis.rate) else { return false }
        guard isRough(hypothesis, features, placement) else { return false }
        if placement.isLeg, !StepGate.isWalkingLeg(features, isOpen: isOpen) { return false }
        if hypothesis.rate > StepGate.fastRate, features.normDeviation < StepGate.fastNormDeviation { return false }
        if features.normDeviation > StepGate.runningNormDeviation, hypothesis.rate > StepGate.runningRate {
            return true
        }
        let needed = StepGate.neededNormDeviation(
            strength: hypothesis.normStrength, rate: hypothesis.rate, mayTurn: placement.mayTurn)
        guard features.normDeviation > needed else { return false }
        if features.normDeviation > StepGate.normShare * features.vectorDeviation { return true }
        if hypothesis.isClear(features, placement) { return true }
        if placement.mayTurn,
            features.roughness < (isOpen ? StepGate.closingArmRoughness : StepGate.openingArmRoughness)
        {
            return false
        }
        return features.normDeviation > StepGate.plainNormDeviation && hypothesis.normStrength > StepGate.normStrength
    }

    /// Whether |a| has the high notes of footfalls: where gestures are felt, a bout must begin with more of them than a
    /// smooth movement has.
    private func isRough(_ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement) -> Bool {
        if !isOpen, placement.isOnArm, !isArmWalking(hypothesis, features) { return false }
        let isRunning = features.normDeviation > StepGate.runningNormDeviation && hypothesis.rate > StepGate.fastRate
        let mustConvince = !isOpen && placement.mayTurn && !isRunning
        let share = mustConvince ? StepGate.openingSineRoughness : StepGate.closingSineRoughness
        let least = isOpen ? StepGate.closingRoughness : StepGate.openingRoughness
        return features.normRoughness > min(least, StepGate.slowSineRoughness * hypothesis.sineRoughness)
            && features.normRoughness > share * hypothesis.sineRoughness
    }

    /// Whether an arm moves as a walker's does: the body under it rises and falls by centimetres each step, so that |a| changes
    /// with the square of the rate, and softens the jolts that work with a hand makes. Who runs repeats it like clockwork; who
    /// scrubs or brushes does not.
    private func isArmWalking(_ hypothesis: StepHypothesis, _ features: SignalFeatures) -> Bool {
        guard hypothesis.rate < StepGate.walkingRates.upperBound || hypothesis.strength > StepGate.fastArmStrength
        else { return false }
        return max(features.normDeviation, features.shortNormDeviation)
            > StepGate.leastArmNormDeviation(rate: hypothesis.rate) && features.normRoughness < StepGate.armRoughness
    }

    /// Ends a bout: what was walked until the movement fell is counted.
    mutating func close(_ features: SignalFeatures, into events: inout MotionEvents) {
        if isOpen {
            let fall = rise.fall(reference: features.normDeviation, before: features.timeMicroseconds)
            let end = min(fall - StepGate.fallDelayMicroseconds, features.timeMicroseconds - fadingTime(strength))
            integrator.advance(to: end, ratePerSecond: rate, unit: .steps, into: &events)
        }
        isOpen = false
        agreeing = 0
        rate = 0
        strength = 0
    }

    /// Ends a bout because the signal ends here, when it moved by `normDeviation` in the last seconds; where no gesture is
    /// felt, a step after its last footfall.
    mutating func settle(
        at timeMicroseconds: Int64, placement: Placement, normDeviation: Float, into events: inout MotionEvents
    ) {
        if isOpen {
            var fall = rise.fall(reference: normDeviation, before: timeMicroseconds)
            if !placement.mayTurn, let last = footfalls.ending(rate: rate) {
                fall = min(fall, last + Int64(1e6 / max(rate, 0.4)))
            }
            integrator.advance(to: fall, ratePerSecond: rate, unit: .steps, into: &events)
        }
        countFootfalls(at: timeMicroseconds, placement, isEnd: true, into: &events)
        footfalls.reset()
        rhythm = Rhythm()
        isOpen = false
        agreeing = 0
        rate = 0
        strength = 0
        rise = RiseHistory()
    }

    /// Forgets the footfalls that wait: the signal is too slow to trust them.
    mutating func forgetFootfalls() {
        footfalls.reset()
    }

    /// The UTC time until which steps are counted, µs.
    var countedThrough: Int64 { integrator.time }

    /// What happened until this time is counted as something else.
    mutating func exclude(until timeMicroseconds: Int64) {
        integrator.exclude(until: timeMicroseconds)
    }

    /// Forgets the time until which steps are counted (after the clock was set back).
    mutating func rebase() {
        footfalls.reset()
        integrator.reset()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isOpen)
        coder.code(&rate)
        coder.code(&strength)
        coder.code(&clearest)
        coder.code(&recentRate)
        coder.code(time: &recentTime)
        coder.code(&agreeing, in: 0...100)
        rhythm.transfer(&coder)
        rise.transfer(&coder)
        integrator.transfer(&coder)
        footfalls.transfer(&coder)
    }
}
