#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts crank revolutions with a sensor on the bike. A moment is settled 2.4 s after it happened, and revolutions are
/// counted as far as that.
struct CrankCounter {
    /// Evaluations (0.4 s) after which a moment's period is read for the count.
    private static let readAge = 3
    /// A crank that has rested for so many evaluations, as it seems now, rests.
    private static let restAge = 3
    /// What is expected of a turning crank's similarity at first and at least; it follows what is found within 20 s,
    /// and goes back within 80 s of rest.
    private static let firstExpected: Float = 0.3
    private static let leastExpected: Float = 0.25
    private static let expectedGain: Float = 0.02
    /// No less is expected than what noise along one axis shows by chance, 1.35 times its deviation; along several axes
    /// it shows less.
    private static let chance: Float = 0.5
    private static let forgetting: Float = 0.005
    /// How far a fine reading may be from its step, in steps of the grid.
    private static let mostShift: Float = 2.1
    /// A period that changes by more than this many steps within 0.4 s is another line of the signal.
    private static let mostSteps = 8
    /// A similarity from which on there is little noise: about that of a signal three times as strong as its noise.
    private static let clearStrength: Float = 0.6
    /// Of a shorter period, ticks, the push of both feet lies about 6.25 Hz, and what it makes of products at every
    /// other tick stands still.
    private static let leastClearTicks: Float = 12
    /// Half an evaluation, and what a leg that starts from rest takes longer for its first turn, ticks.
    private static let startTicks: Float = 7.5

    /// Whether the crank turned ``readAge`` ago.
    var isOpen = false
    /// The similarity of late at the period that is read.
    var strength: Float = 0
    /// The period that is read, ticks.
    private var period: Float = 0
    private var similarity = PeriodSimilarity()
    private var trellis = PeriodTrellis()
    private var judge = HarmonicResolver()
    private var steadiness = LineSteadiness()
    private var prior = CadencePrior()
    private var account = RevolutionTally()
    var integrator = PhaseIntegrator()
    var spin = RotationRateEstimator()
    private var field = MagnetometerEvidence()
    private var movement = PedallingMovement()
    private var expected = CrankCounter.firstExpected
    /// How many axes speak by themselves, of late; 0 before anything was heard.
    private var freedom: Float = 0
    /// What noise shows by chance along these axes.
    private var chance: Float = 0
    /// The fine readings of the last evaluations, newest first: each is of the moment ``readAge`` before.
    private var readings = SIMD4<Float>.zero
    /// The state settled last.
    private var settled = PeriodTrellis.rest
    /// When pedalling began that nobody listened to, UTC µs; 0 where there was none.
    var begun: Int64 = 0
    /// Axes are counted over 3.2 s, so while a crank turns every 2 s is often enough.
    private static let freedomTicks: Int64 = 50
    /// For so long, µs, what is found first is believed to have been so since.
    private static let mostBegunMicroseconds: Int64 = 30_000_000
    /// The end of the newest evaluation, UTC µs.
    private var now: Int64 = 0
    var isSpinning = false
    var spinRate: Float = 0
    var spinEvaluations = 0

    /// Whether little noise is beside a period, and nothing that half the products would not tell.
    var isClear: Bool { isOpen && strength > Self.clearStrength && period > Self.leastClearTicks }

    /// Whether a cadence is told: as it seems now, though what follows may still change it.
    var isTold: Bool { isSpinning || told != nil }

    /// Revolutions a second, where a cadence is told.
    var rate: Float {
        if isSpinning { return spinRate }
        return told.map { (isHalf ? 0.5 : 1) / ($0.lag * Tick.seconds) } ?? 0
    }

    /// The newest period, ticks, and the similarity of late at it; nil at rest, and where a ringing floor hides it.
    private var told: (lag: Float, strength: Float)? {
        let state = trellis.state(age: 0)
        return state == PeriodTrellis.rest || steadiness.isHidden ? nil : similarity.reading(at: state)
    }

    /// The rate of the found line, Hz.
    var lineRate: Float { isSpinning || period <= 0 ? 0 : 1 / (period * Tick.seconds) }

    private var isHalf: Bool { judge.isHalf }

    /// How likely the cadence is right.
    var confidence: Float {
        if isSpinning { return Calibration.bike.probability(strength: strength) }
        guard let told else { return 0 }
        let similar = Calibration.bike.probability(strength: min(told.strength, 1))
        return similar * judge.probability * steadiness.probability
    }

    /// Takes the similarity of the last moments to their past. The front is only read, but would be copied whole to be
    /// lent.
    mutating func evaluate(
        curve: LagCurve, front: inout SignalFrontEnd, features: SignalFeatures, into events: inout MotionEvents
    ) {
        now = features.timeMicroseconds
        guard !followsSpin(features, into: &events) else { return }
        if features.mayBePedalling { similarity.take(curve) } else { similarity.takeNothing() }
        movement.learn(features.shortMovement, isPedalling: trellis.state(age: 0) != PeriodTrellis.rest)
        if freedom == 0 || !isClear || features.tick % Self.freedomTicks == 0 {
            freedom = Self.freedom(&front, features)
        }
        chance = Self.chance / freedom.squareRoot()
        trellis.push(
            similarity.values, freedom: freedom, expected: max(expected, chance),
            doubt: movement.doubt(features.shortMovement))
        learnExpected()
        read()
        guard let lag = settle(age: PeriodTrellis.delay, into: &events) else { return }
        weighOctave(lag, &front, isOnCrank: features.isOnCrank)
        credit(lag, age: PeriodTrellis.delay, isOnCrank: features.isOnCrank, into: &events)
    }

    /// How many axes speak by themselves: of two sensors, whose similarities are averaged, twice the harmonic mean.
    private static func freedom(_ front: inout SignalFrontEnd, _ features: SignalFeatures) -> Float {
        switch (features.hasAcceleration, features.hasTurning) {
        case (true, true):
            let (moved, turned) = (front.axisCount(of: .acceleration), front.axisCount(of: .angularVelocity))
            return 4 * moved * turned / (moved + turned)
        case (true, false): return front.axisCount(of: .acceleration)
        case (false, true): return front.axisCount(of: .angularVelocity)
        case (false, false): return front.axisCount(of: .magneticField)
        }
    }

    /// Takes the similarity of the magnetic field at each lag.
    mutating func hear(field curve: LagCurve) {
        field.listen(curve, periodTicks: period)
    }

    /// Takes note that the magnetic field says nothing.
    mutating func hearNoField() {
        field.reset()
    }

    private mutating func learnExpected() {
        let state = trellis.state(age: 0)
        if state == PeriodTrellis.rest {
            expected += (Self.firstExpected - expected) * Self.forgetting
        } else {
            expected = max(expected + (similarity.values[state] - expected) * Self.expectedGain, Self.leastExpected)
        }
    }

    /// Reads the period for the count.
    private mutating func read() {
        let state = trellis.state(age: Self.readAge)
        let hasStopped = (0..<Self.restAge).allSatisfy { trellis.state(age: $0) == PeriodTrellis.rest }
        isOpen = state != PeriodTrellis.rest && !hasStopped && !steadiness.isHidden
        readings = SIMD4(0, readings.x, readings.y, readings.z)
        guard state != PeriodTrellis.rest else { return }
        let reading = similarity.reading(at: state)
        readings.x = reading.lag
        strength = min(reading.strength, 1)
        period = reading.lag
    }

    /// Settles what was so many evaluations ago: its period in ticks, or nil for rest.
    private mutating func settle(age: Int, into events: inout MotionEvents) -> Float? {
        let (state, before, end) = (trellis.state(age: age), settled, end(age: age))
        settled = state
        guard state != PeriodTrellis.rest else {
            if before != PeriodTrellis.rest { finishBout(at: end - Self.evaluationMicroseconds, into: &events) }
            return nil
        }
        let lag = fineLag(state)
        if before == PeriodTrellis.rest {
            begin(lag, at: end - Self.evaluationMicroseconds)
        } else if abs(state - before) > Self.mostSteps {
            finishBout(at: end - Self.evaluationMicroseconds, into: &events)
        }
        account.add(Double(RevolutionThresholds.evaluationTicks) / Double(lag))
        return lag
    }

    /// The end of the moment that was so many evaluations ago.
    private func end(age: Int) -> Int64 { now - Int64(age * RevolutionThresholds.evaluationTicks) * Tick.microseconds }

    /// Credits what is settled, once it is known whether its period is that of a revolution.
    private mutating func credit(_ lag: Float, age: Int, isOnCrank: Bool, into events: inout MotionEvents) {
        guard !steadiness.isHidden || isOnCrank else {
            // What looks like a floor's ringing is not credited later either.
            account.close()
            return integrator.exclude(until: end(age: age))
        }
        let mayCount = (judge.isSettled || field.speaksForHalf) && steadiness.isProven
        guard mayCount || isOnCrank else { return }
        account.credit(share: isHalf ? 0.5 : 1, until: end(age: age), &integrator, into: &events)
        if judge.isSure { prior.learn(60 * (isHalf ? 0.5 : 1) / (lag * Tick.seconds)) }
    }

    private static let evaluationMicroseconds = Int64(RevolutionThresholds.evaluationTicks) * Tick.microseconds

    /// The period of the moment that is settled now, as it was read.
    private func fineLag(_ state: Int) -> Float {
        let (step, read) = (PeriodGrid.shared.lags[state], readings.w)
        guard abs(read - step) < Self.mostShift * PeriodGrid.logStep * step else { return step }
        return read
    }

    private mutating func weighOctave(_ lag: Float, _ front: inout SignalFrontEnd, isOnCrank: Bool) {
        let oldest = (PeriodTrellis.delay + 1) * RevolutionThresholds.evaluationTicks - 1
        let turningScale = front.turningWeight.squareRoot()
        withUnsafeTemporaryAllocation(of: EightFloats.self, capacity: RevolutionThresholds.evaluationTicks) {
            channels in
            front.read(into: channels, oldestAge: oldest, turningScale: turningScale)
            judge.push(periodTicks: lag, UnsafeBufferPointer(channels))
        }
        // Gravity goes round with a crank: no floor does that.
        if !isOnCrank { steadiness.take(judge.lineEnergies, periodTicks: lag) }
        if let likeness = similarity.halfLikeness(at: trellis.state(age: Self.readAge)) {
            judge.take(likeness: likeness)
        }
        guard judge.isDue else { return }
        var beforehand = prior.oddsOfHalf(periodTicks: lag)
        if field.speaksForHalf { beforehand += MagnetometerEvidence.odds }
        if isOnCrank { beforehand -= MagnetometerEvidence.odds }
        judge.weigh(beforehand: beforehand)
    }

    /// Starts counting where pedalling began: similarity shows it only once some of the periods that are asked for have
    /// come.
    private mutating func begin(_ lag: Float, at time: Int64) {
        let needed = 0.5 * min(max(expected, chance), PeriodTrellis.mostExpected) / max(strength, 0.2)
        let ticks = lag * PeriodGrid.shared.repetitions(share: needed, lag: lag) + Self.startTicks
        var start = time - Int64(ticks) * Tick.microseconds
        if begun > 0, time - begun < Self.mostBegunMicroseconds { start = min(start, begun) }
        begun = 0
        start = max(start, integrator.time)
        integrator.start(at: start)
        restartJudges()
        account.add(Double(time - start) / Double(Tick.microseconds) / Double(lag))
    }

    private mutating func finishBout(at end: Int64, into events: inout MotionEvents) {
        if !account.isEmpty, steadiness.isLikely {
            account.credit(share: isHalf ? 0.5 : 1, until: end, &integrator, into: &events)
        }
        account.close()
        restartJudges()
    }

    private mutating func restartJudges() {
        judge.restart()
        steadiness.restart()
    }

    /// Ends a bout because the signal ends here or is not listened to: what is not settled yet is counted as it looks
    /// now.
    mutating func close(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        if isSpinning { endSpin(at: timeMicroseconds, into: &events) }
        for age in (0..<PeriodTrellis.delay).reversed() {
            readings = SIMD4(0, readings.x, readings.y, readings.z)
            if let lag = settle(age: age, into: &events) { credit(lag, age: age, isOnCrank: false, into: &events) }
        }
        if settled != PeriodTrellis.rest {
            let ticks = Double(max(timeMicroseconds - now, 0)) / Double(Tick.microseconds)
            account.add(ticks / Double(fineLag(settled)))
            finishBout(at: timeMicroseconds, into: &events)
        }
        release()
    }

    /// Forgets the signal, too.
    mutating func settle(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        close(at: timeMicroseconds, into: &events)
        spin = RotationRateEstimator()
    }

    /// What happened until this time is counted as something else.
    mutating func exclude(until timeMicroseconds: Int64) {
        integrator.exclude(until: timeMicroseconds)
    }

    /// Forgets the time until which revolutions are counted (after the clock was set back).
    mutating func rebase() {
        integrator.reset()
    }

    private mutating func release() {
        isOpen = false
        isSpinning = false
        spinEvaluations = 0
        strength = 0
        period = 0
        settled = PeriodTrellis.rest
        readings = .zero
        freedom = 0
        trellis.reset()
        similarity.reset()
        restartJudges()
        account.close()
        field.forgetPeriod()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isOpen)
        coder.code(&strength)
        coder.code(&period, in: 0...100)
        similarity.transfer(&coder)
        trellis.transfer(&coder)
        judge.transfer(&coder)
        steadiness.transfer(&coder)
        prior.transfer(&coder)
        account.transfer(&coder)
        integrator.transfer(&coder)
        spin.transfer(&coder)
        field.transfer(&coder)
        movement.transfer(&coder)
        coder.code(&expected, in: 0...1)
        coder.code(&freedom, in: 0...6)
        coder.code(&chance, in: 0...1)
        coder.code(&readings)
        coder.code(&settled, in: 0...PeriodTrellis.rest)
        coder.code(time: &begun)
        coder.code(time: &now)
        coder.code(&isSpinning)
        coder.code(&spinRate)
        coder.code(&spinEvaluations, in: 0...10)
    }
}
