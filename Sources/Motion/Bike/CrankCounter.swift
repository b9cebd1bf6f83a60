#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Counts crank revolutions with a sensor on the bike. Revolutions are counted with a fixed lag of 2.4 s.
struct CrankCounter {
    /// The age, in evaluations of 0.4 s, at which a period is read for the count.
    private static let readAge = 3
    /// Evaluations of rest after which the crank is at rest.
    private static let restAge = 3
    /// The expected similarity of a turning crank, at first and at least. It follows the measured one within 20 s, and
    /// returns within 80 s of rest.
    private static let firstExpected: Float = 0.3
    private static let leastExpected: Float = 0.25
    private static let expectedGain: Float = 0.02
    /// The similarity that noise along one axis reaches by chance: 1.35 standard deviations. Along n axes it is √n
    /// lower. No less than this is expected of a crank.
    private static let chance: Float = 0.5
    private static let forgetting: Float = 0.005
    /// The largest distance of an interpolated period from its step, in steps of the grid.
    private static let mostShift: Float = 2.1
    /// A period that changes by more than this many steps within 0.4 s is another line of the signal.
    private static let mostSteps = 8
    /// Above this similarity there is little noise: a signal-to-noise ratio of about 3.
    private static let clearStrength: Float = 0.6
    /// With a shorter period, ticks, the push of both feet lies near 6.25 Hz, where products at every other tick alias.
    private static let leastClearTicks: Float = 12
    /// Half an evaluation, and the extra time of a first turn from rest, ticks.
    private static let startTicks: Float = 7.5

    /// Whether the crank turned ``readAge`` ago.
    var isOpen = false
    /// The smoothed similarity at that period.
    var strength: Float = 0
    /// The period at ``readAge``, ticks.
    private var period: Float = 0
    private var similarity = PeriodSimilarity()
    private var trellis = PeriodTrellis()
    private var harmonics = HarmonicResolver()
    private var steadiness = LineSteadiness()
    private var prior = CadencePrior()
    private var tally = RevolutionTally()
    var integrator = PhaseIntegrator()
    var spin = RotationRateEstimator()
    private var field = MagnetometerEvidence()
    private var movement = PedallingMovement()
    private var expected = CrankCounter.firstExpected
    /// The effective number of independent axes in the last seconds; 0 before the first evaluation.
    private var axisCount: Float = 0
    /// The similarity that noise along these axes reaches by chance.
    private var chance: Float = 0
    /// Interpolated periods of the last evaluations, the newest first: each of the moment ``readAge`` before.
    private var readings = SIMD4<Float>.zero
    /// The state settled last.
    private var settled = PeriodTrellis.rest
    /// When pedalling began before the counter looked for it, UTC µs; 0 for none.
    var begun: Int64 = 0
    /// The longest time that is counted of a movement that was known as pedalling later, µs.
    private static let mostBegunMicroseconds: Int64 = 30_000_000
    /// The end of the newest evaluation, UTC µs.
    private var now: Int64 = 0
    var isSpinning = false
    var spinRate: Float = 0
    var spinEvaluations = 0

    /// Whether there is little noise, and every other tick is enough for the autocorrelation.
    var isClear: Bool { isOpen && strength > Self.clearStrength && period > Self.leastClearTicks }

    /// Whether a cadence is told. It is that of the newest moment, which is not settled.
    var isTold: Bool { isSpinning || isTurning }
    private var isTurning: Bool { trellis.state(age: 0) != PeriodTrellis.rest && !steadiness.isHidden }

    /// Revolutions a second, where a cadence is told.
    var rate: Float {
        if isSpinning { return spinRate }
        return told.map { (isHalf ? 0.5 : 1) / ($0.lag * Tick.seconds) } ?? 0
    }

    /// The newest period, ticks, and its smoothed similarity; nil at rest, and where it may be a floor's resonance.
    private var told: (lag: Float, strength: Float)? {
        isTurning ? similarity.reading(at: trellis.state(age: 0)) : nil
    }

    /// The rate of the found line, Hz.
    var lineRate: Float { isSpinning || period <= 0 ? 0 : 1 / (period * Tick.seconds) }

    private var isHalf: Bool { harmonics.isHalf }

    /// The probability, 0…1, that the cadence is right.
    var confidence: Float {
        if isSpinning { return Calibration.bike.probability(strength: strength) }
        guard let told else { return 0 }
        let similar = Calibration.bike.probability(strength: min(told.strength, 1))
        return similar * harmonics.probability * steadiness.probability
    }

    /// Takes the autocorrelation of the last moments. The front is only read: `inout` avoids a copy.
    mutating func evaluate(
        curve: LagCurve, front: inout BikeFront, features: SignalFeatures, into events: inout MotionEvents
    ) {
        now = features.timeMicroseconds
        guard !followsSpin(features, into: &events) else { return }
        if features.mayBePedalling { similarity.push(curve) } else { similarity.pushNothing() }
        movement.learn(features.shortMovement, isPedalling: trellis.state(age: 0) != PeriodTrellis.rest)
        // The count covers 3.2 s: while a crank turns clearly, every 2.4 s are enough.
        if axisCount == 0 || !isClear || trellis.isFirstOfLag {
            axisCount = Self.axisCount(&front, features)
        }
        chance = Self.chance / axisCount.squareRoot()
        trellis.push(
            similarity.values, axisCount: axisCount, expected: max(expected, chance),
            doubt: movement.doubt(features.shortMovement))
        learnExpected()
        read()
        guard let lag = settle(age: PeriodTrellis.delay, into: &events) else { return }
        weighOctave(lag, &front, isOnCrank: features.isOnCrank)
        count(lag, age: PeriodTrellis.delay, isOnCrank: features.isOnCrank, into: &events)
    }

    /// The effective number of independent axes. For two sensors, whose autocorrelations are averaged, it is twice the
    /// harmonic mean of theirs.
    private static func axisCount(_ front: inout BikeFront, _ features: SignalFeatures) -> Float {
        switch (features.hasAcceleration, features.hasTurning) {
        case (true, true):
            let (moved, turned) = (front.axisCount(of: .acceleration), front.axisCount(of: .turning))
            return 4 * moved * turned / (moved + turned)
        case (true, false): return front.axisCount(of: .acceleration)
        case (false, true): return front.axisCount(of: .turning)
        case (false, false): return front.axisCount(of: .field)
        }
    }

    /// Takes the autocorrelation of the magnetic field.
    mutating func take(field curve: LagCurve) {
        field.take(curve, periodTicks: period)
    }

    /// Takes an evaluation without a magnetic field.
    mutating func takeNoField() {
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

    /// Settles the moment of an age in evaluations, and returns its period in ticks, or nil for rest.
    private mutating func settle(age: Int, into events: inout MotionEvents) -> Float? {
        let (state, before, end) = (trellis.state(age: age), settled, end(age: age))
        settled = state
        guard state != PeriodTrellis.rest else {
            if before != PeriodTrellis.rest {
                endBout(at: end - RevolutionThresholds.evaluationMicroseconds, into: &events)
            }
            return nil
        }
        let lag = fineLag(state)
        if before == PeriodTrellis.rest {
            begin(lag, at: end - RevolutionThresholds.evaluationMicroseconds)
        } else if abs(state - before) > Self.mostSteps {
            endBout(at: end - RevolutionThresholds.evaluationMicroseconds, into: &events)
        }
        tally.add(Double(RevolutionThresholds.evaluationTicks) / Double(lag))
        return lag
    }

    /// The end of the moment of an age in evaluations, UTC µs.
    private func end(age: Int) -> Int64 { now - Int64(age * RevolutionThresholds.evaluationTicks) * Tick.microseconds }

    /// Counts the settled revolutions, once it is known whether the period is a whole one or half of one.
    private mutating func count(_ lag: Float, age: Int, isOnCrank: Bool, into events: inout MotionEvents) {
        guard !steadiness.isHidden || isOnCrank else {
            // A floor's resonance is not counted later either.
            tally = RevolutionTally()
            return integrator.exclude(until: end(age: age))
        }
        let mayCount = (harmonics.isSettled || field.indicatesHalf) && steadiness.isProven
        guard mayCount || isOnCrank else { return }
        tally.count(share: isHalf ? 0.5 : 1, until: end(age: age), &integrator, into: &events)
        if harmonics.isSure { prior.learn(60 * (isHalf ? 0.5 : 1) / (lag * Tick.seconds)) }
    }

    /// The interpolated period of the moment that is settled now, ticks.
    private func fineLag(_ state: Int) -> Float {
        let (step, read) = (PeriodGrid.shared.lags[state], readings.w)
        guard abs(read - step) < Self.mostShift * PeriodGrid.logStep * step else { return step }
        return read
    }

    private mutating func weighOctave(_ lag: Float, _ front: inout BikeFront, isOnCrank: Bool) {
        let oldest = (PeriodTrellis.delay + 1) * RevolutionThresholds.evaluationTicks - 1
        let turningScale = front.turningWeight.squareRoot()
        front.lendTicks(oldestAge: oldest) { harmonics.push(periodTicks: lag, $0, secondScale: turningScale) }
        // A sensor on the crank turns through gravity: that is no floor.
        if !isOnCrank { steadiness.take(harmonics.lineEnergies, periodTicks: lag) }
        if let share = similarity.halfPeriodShare(at: trellis.state(age: Self.readAge)) {
            harmonics.take(halfPeriodShare: share)
        }
        guard harmonics.isDue else { return }
        var beforehand = prior.oddsOfHalf(periodTicks: lag)
        if field.indicatesHalf { beforehand += MagnetometerEvidence.odds }
        if isOnCrank { beforehand -= MagnetometerEvidence.odds }
        harmonics.weigh(beforehand: beforehand, periodTicks: lag)
    }

    /// Starts counting where pedalling began: similarity rises only after several periods.
    private mutating func begin(_ lag: Float, at time: Int64) {
        let needed = 0.5 * min(max(expected, chance), PeriodTrellis.mostExpected) / max(strength, 0.2)
        let ticks = lag * PeriodGrid.shared.repetitions(share: needed, lag: lag) + Self.startTicks
        var start = time - Int64(ticks) * Tick.microseconds
        if begun > 0 { start = min(start, max(begun, time - Self.mostBegunMicroseconds)) }
        begun = 0
        start = max(start, integrator.time)
        integrator.start(at: start)
        tally.add(Double(time - start) / Double(Tick.microseconds) / Double(lag))
    }

    /// Ends a bout: what is likely pedalling is counted, and the next line needs evidence of its own.
    private mutating func endBout(at end: Int64, into events: inout MotionEvents) {
        if !tally.isEmpty, steadiness.isLikely {
            tally.count(share: isHalf ? 0.5 : 1, until: end, &integrator, into: &events)
        }
        tally = RevolutionTally()
        harmonics.restart()
        steadiness.restart()
    }

    /// Ends the signal, or what it is followed by. Unsettled moments are counted as they seem now; what is known of the
    /// bike and its rider stays.
    mutating func close(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        if isSpinning, isOpen { integrator.advance(to: timeMicroseconds, ratePerSecond: spinRate, into: &events) }
        for age in (0..<PeriodTrellis.delay).reversed() {
            readings = SIMD4(0, readings.x, readings.y, readings.z)
            if let lag = settle(age: age, into: &events) { count(lag, age: age, isOnCrank: false, into: &events) }
        }
        if settled != PeriodTrellis.rest {
            let ticks = Double(max(timeMicroseconds - now, 0)) / Double(Tick.microseconds)
            tally.add(ticks / Double(fineLag(settled)))
            endBout(at: timeMicroseconds, into: &events)
        }
        (isOpen, isSpinning, spinEvaluations) = (false, false, 0)
        (strength, period, axisCount, settled, readings) = (0, 0, 0, PeriodTrellis.rest, .zero)
        trellis.reset()
        similarity.reset()
        field.forgetPeriod()
    }

    mutating func copy(_ state: inout StateCopy) {
        state.part(&self)
        state.expect(settled <= PeriodTrellis.rest && integrator.isSound && trellis.isSound)
        state.expect((0...6).contains(axisCount) && (0...1).contains(chance) && (0...1).contains(expected))
        similarity.copyValues(&state)
        trellis.copyPaths(&state)
        field.copyCurve(&state)
    }
}
