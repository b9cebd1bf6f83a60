#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts steps by integrating the step rate while the signal is periodic as walking is. Counting by frequency was the
/// most accurate of ten methods at the wrist in Pilkar et al. 2023.
struct StepCounter {
    /// Whether a bout is open that the period of the movement told.
    var isSteady = false
    /// Steps a second of the last agreeing evaluation.
    private(set) var rate: Float = 0
    /// Similarity at the period, 0…1.
    private(set) var strength: Float = 0
    /// Whether slow steps are counted that only the landing feet tell.
    var isByFeet = false
    var feet = ImpactCadence()
    /// The similarity that this bout had when it was clearest, of late.
    private var clearest: Float = 0
    private var agreeing = 0
    /// Evaluations since strokes were found.
    private var withoutStrokes = 0
    /// The rate of the last open bout, to recognise it when it goes on.
    var recentRate: Float = 0
    var recentTime: Int64 = 0
    private(set) var rhythm = Rhythm()
    private(set) var rise = MovementEnvelope()
    var integrator = PhaseIntegrator()
    var footfalls = FootfallCounter()
    /// Whether a body carries what moves, as the last evaluation found.
    private(set) var isCarried = false
    /// Whether one may carry it, though it is too soon to be sure; asked right after each evaluation, so not kept.
    private(set) var mayBeCarried = false
    /// What repeats itself, as the last evaluation found; asked right after it, so not kept.
    private(set) var swing: AnklePlacementDetector.Swing?
    /// Whether what repeats itself is a leg on a pedal.
    var leg = PedalVersusWalkScore()
    var uneven = UnevenWalk()
    /// What is told of them.
    var told = ReportedCadence()

    /// Whether steps are counted now, and how like each other they are, 0…1.
    var isOpen: Bool { isSteady || isByFeet }
    var likeness: Float { isSteady || !isByFeet ? strength : feet.strength }

    /// Follows what is told of the steps that are counted now, or were a moment ago.
    mutating func tell(_ features: SignalFeatures) {
        if isSteady || isByFeet && (told.rate > 0 || feet.isTold) {
            told.take(rate: isSteady ? rate : feet.rate, likeness: likeness, features)
        } else if told.rate > 0 {
            told.wait(features)
        }
    }

    /// Whether what moves is no pedalling: steps were found of late and agree, or the rhythm is still that of a walk
    /// and the feet are heard, or a body carries what moves, or feet land in a rhythm where no leg pedals and no
    /// handlebar shakes a wrist.
    @inline(__always)
    func mayBeWalking(hearsFeet: Bool, on placement: Placement) -> Bool {
        agreeing >= StepThresholds.clearEvaluations || isRhythmOfWalk && hearsFeet || isCarried
            || feet.mayBeHeard && !placement.mayBeOnThigh && placement != .wrist
    }

    /// Whether the rhythm has not broken since the last bout.
    private var isRhythmOfWalk: Bool { recentTime > 0 && rhythm.start < recentTime }

    mutating func push(shortDeviation: Float, tick: Int64) {
        rise.push(shortDeviation, tick: tick)
    }

    mutating func evaluate(
        curve: LagCurve, normCurve: LagCurve, features: SignalFeatures, placement: Placement,
        movement: MovementEnvelope, into events: inout MotionEvents
    ) {
        let runningRate = leg.runningRate(features)
        let hypothesis = StepHypothesis(
            curve: curve, normCurve: normCurve, features: features,
            trackedRate: runningRate > 0 ? runningRate : recalledRate(at: features.timeMicroseconds),
            placement: placement)
        swing = hypothesis.map { AnklePlacementDetector.Swing($0) }
        mayBeCarried = hypothesis.map { mayBeCarried($0, features, placement) } ?? false
        let isPedalled = placement.mayTurn && hypothesis?.isPedalled(features) == true
        isCarried =
            placement.mayTurn && !isPedalled && hypothesis?.isCarried(features, isKnown: agreeing > 0) == true
        if placement.mayBeOnLeg {
            leg.take(hypothesis, features, placement, isOpen: isSteady)
        }
        let isPedalling = leg.forbidsSteps(on: placement)
        rhythm.follow(isPedalling ? nil : hypothesis, at: features.timeMicroseconds)
        if isPedalling, !placement.isBelowKnee { footfalls.reset() }
        guard let hypothesis, !isPedalling, !isPedalled, isSteady || !leg.doubts || placement.isLeg,
            isWalk(hypothesis, features, placement)
        else {
            let mayGoOn = isSteady && !isPedalling && !isPedalled && hypothesis?.isOfStrokes != true
            if mayGoOn, goesOnUnevenly(features, placement) {
                advanceUnevenly(features, placement, into: &events)
                return
            }
            if isSteady { strength = min(strength, similarity(curve)) }
            close(features, placement, into: &events)
            footfalls.weigh(normCurve, isOfStrokes: hypothesis?.isOfStrokes ?? false)
            countFootfalls(features, placement, into: &events)
            return
        }
        let agrees = agreeing > 0 && abs(hypothesis.rate - rate) <= StepThresholds.agreement * rate
        agreeing = agrees ? min(agreeing + 1, 100) : 1
        rate = hypothesis.rate
        strength = hypothesis.strength
        if !isSteady { approach(hypothesis, normCurve, features, placement, movement, into: &events) }
        if isSteady {
            if agreeing >= StepThresholds.openingEvaluations {
                recentRate = rate
                recentTime = features.timeMicroseconds
            }
            uneven.take(features)
            clearest = max(strength, clearest - BoutThresholds.clearestFall)
            let settled = features.timeMicroseconds - max(BoutThresholds.delayMicroseconds, fadingTime)
            integrator.advance(to: settled, ratePerSecond: rate, unit: .steps, into: &events)
        }
    }

    /// Whether a walking body may carry an arm, or be the trunk that is jolted.
    private func mayBeCarried(
        _ hypothesis: StepHypothesis, _ features: SignalFeatures, _ placement: Placement
    ) -> Bool {
        if placement.mayTurn { return hypothesis.mayBeCarried(features) }
        return !placement.isLeg && !placement.mayBeOnThigh && hypothesis.mayBeJolted(features)
    }

    /// Opens a bout when enough evaluations agree, none of which found strokes: how alike two steps are is known sooner
    /// than how alike two strides are.
    private mutating func approach(
        _ hypothesis: StepHypothesis, _ normCurve: LagCurve, _ features: SignalFeatures, _ placement: Placement,
        _ movement: MovementEnvelope, into events: inout MotionEvents
    ) {
        let isOfStrokes =
            placement.mayTurn && hypothesis.isOfStrokes || placement == .pocket && hypothesis.isOfPushes(features)
        footfalls.weigh(normCurve, isOfStrokes: isOfStrokes)
        if isOfStrokes {
            withoutStrokes = 0
        } else if placement.isOnArm, hypothesis.isToAndFro(features) {
            withoutStrokes = 0
        } else {
            withoutStrokes = min(withoutStrokes + 1, 100)
        }
        let hearsFeet = hypothesis.footLikeness(features, placement) > 0
        if min(agreeing, withoutStrokes) >= neededEvaluations(features, placement, hearsFeet: hearsFeet) {
            open(features, placement, movement, into: &events)
        }
    }

    /// Takes note that nothing moves as walkers do.
    mutating func rest(_ features: SignalFeatures, placement: Placement, into events: inout MotionEvents) {
        rhythm = Rhythm()
        told = ReportedCadence()
        isCarried = false
        leg.reset()
        close(features, placement, into: &events)
        countFootfalls(features, placement, into: &events)
    }

    /// The similarity at the step or stride of the open bout.
    private func similarity(_ curve: LagCurve) -> Float {
        let step = 1 / (max(rate, 0.4) * Tick.seconds)
        return max(curve.highestPeak(near: step)?.height ?? 0, curve.highestPeak(near: 2 * step)?.height ?? 0)
    }

    /// For how long, µs, there has been no walk if that is why the similarity is no longer as high as it was: what the
    /// lag products remember fades with their time constant.
    // Inlined as others here are, because a call would copy the counter.
    @inline(__always)
    var fadingTime: Int64 {
        let ratio = clearest / max(strength, 0.2)
        return ratio > 1 ? Int64(1e6 * BoutThresholds.memorySeconds * log(ratio)) : 0
    }

    /// The rate of the last bout unless that is long ago.
    func recalledRate(at timeMicroseconds: Int64) -> Float {
        timeMicroseconds - recentTime < BoutThresholds.recallMicroseconds ? recentRate : 0
    }

    /// Starts a bout where its movement rose; one that goes on where the last one paused.
    private mutating func open(
        _ features: SignalFeatures, _ placement: Placement, _ movement: MovementEnvelope,
        into events: inout MotionEvents
    ) {
        isSteady = true
        uneven.begin(features)
        clearest = strength
        let now = features.timeMicroseconds
        let share = isFast ? BoutThresholds.fastOnsetShare : BoutThresholds.onsetShare
        let risen = rise.onset(
            reference: features.shortNormDeviation, share: share, rate: placement.heardRate(rate), before: now)
        let goesOn =
            recentRate > 0 && abs(rate - recentRate) <= StepThresholds.agreement * recentRate
            && (now - recentTime < BoutThresholds.pauseMicroseconds || isRhythmOfWalk)
        let moved = goesOn ? risen : beginning(risen: risen, features, placement)
        let begun = max(moved, softImpacts(features, placement)?.lowerBound ?? moved)
        let lead = placement.isBelowKnee ? Int64(ShankThresholds.leadSteps * 1e6 / max(rate, 0.4)) : 0
        let felt = withFirstSteps(begun, placement) + lead
        let mayHaveSwings = placement.isBelowKnee && !isFast
        let start = max(
            mayHaveSwings ? beginningOfSwings(felt, movement, into: &events) : felt, integrator.time)
        if !placement.isBelowKnee {
            footfalls.handOver(
                at: start, placement: placement, recentRate: recalledRate(at: now), into: &events)
        }
        integrator.start(at: start)
    }

    /// Whether steps come faster than any walker's.
    var isFast: Bool { rate > StepThresholds.walkingRates.upperBound }

    private mutating func countFootfalls(
        _ features: SignalFeatures, _ placement: Placement, into events: inout MotionEvents
    ) {
        countFootfalls(
            at: features.timeMicroseconds, placement,
            isShaken: features.mayBeShaken || features.isSquat(placement), isEnd: false, into: &events)
    }

    /// Counts the footfalls that no period took over.
    private mutating func countFootfalls(
        at timeMicroseconds: Int64, _ placement: Placement, isShaken: Bool, isEnd: Bool,
        into events: inout MotionEvents
    ) {
        guard !placement.isBelowKnee else { return }
        let through = footfalls.settle(
            now: timeMicroseconds, countedThrough: integrator.time, placement: placement,
            recentRate: recalledRate(at: timeMicroseconds), isShaken: isShaken, isEnd: isEnd, into: &events)
        integrator.exclude(until: through)
    }

    /// Ends a bout: what was walked until the movement fell is counted.
    mutating func close(_ features: SignalFeatures, _ placement: Placement, into events: inout MotionEvents) {
        if isSteady {
            let fallen = fall(features, placement)
            let end = min(withLastStep(fallen, placement), features.timeMicroseconds)
            integrator.advance(to: end, ratePerSecond: rate, unit: .steps, into: &events)
        }
        forgetBout()
    }

    /// Ends a bout because the signal ends here, when it moved by `normDeviation` in the last seconds; where footfalls
    /// are told apart, at most a step after the last one.
    mutating func settle(
        at timeMicroseconds: Int64, placement: Placement, normDeviation: Float, into events: inout MotionEvents
    ) {
        if isSteady {
            var end = ending(normDeviation, placement, before: timeMicroseconds)
            if hearsFootfalls(placement), let last = footfalls.ending(rate: rate, placement: placement) {
                end = min(end, last + Int64(1e6 / max(rate, 0.4)))
            }
            if hasSoftEdges(placement), end < timeMicroseconds - Int64(1e6 / rate) {
                end = min(withLastStep(end, placement), timeMicroseconds)
            }
            integrator.advance(to: end, ratePerSecond: rate, unit: .steps, into: &events)
        }
        settleFeet(at: timeMicroseconds, into: &events)
        forgetFeet()
        countFootfalls(at: timeMicroseconds, placement, isShaken: false, isEnd: true, into: &events)
        footfalls.reset()
        rhythm = Rhythm()
        told = ReportedCadence()
        forgetBout()
        rise = MovementEnvelope()
    }

    private mutating func forgetBout() {
        isSteady = false
        agreeing = 0
        withoutStrokes = 0
        rate = 0
        strength = 0
    }

    /// Goes on with a sensor that turns out to sit elsewhere.
    mutating func move() {
        footfalls.reset()
        leg.reset()
    }

    /// Forgets the footfalls that wait: the signal is too slow to trust them.
    mutating func forgetFootfalls() {
        footfalls.reset()
        forgetFeet()
    }

    private mutating func forgetFeet() {
        isByFeet = false
        feet.reset()
    }

    /// The UTC time until which steps are counted, µs.
    var countedThrough: Int64 { integrator.time }

    /// What happened until this time is counted as something else.
    mutating func exclude(until timeMicroseconds: Int64) {
        told = ReportedCadence()
        integrator.exclude(until: timeMicroseconds)
    }

    /// Forgets the time until which steps are counted (after the clock was set back).
    mutating func rebase() {
        forgetFootfalls()
        integrator.reset()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isSteady)
        coder.code(&isByFeet)
        coder.code(&isCarried)
        feet.transfer(&coder)
        leg.transfer(&coder)
        uneven.transfer(&coder)
        told.transfer(&coder)
        coder.code(&rate)
        coder.code(&strength)
        coder.code(&clearest)
        coder.code(&recentRate)
        coder.code(time: &recentTime)
        coder.code(&agreeing, in: 0...100)
        coder.code(&withoutStrokes, in: 0...100)
        rhythm.transfer(&coder)
        rise.transfer(&coder)
        integrator.transfer(&coder)
        footfalls.transfer(&coder)
    }
}
