/// Counts one device: samples in, events out. A value without clock or I/O; its size does not grow.
public struct MotionPipeline: Sendable {
    /// The most bytes that ``save(into:)`` appends.
    public static let maximumStateBytes = 8192

    /// What was known about the device.
    public let configuration: MotionConfiguration
    /// What was not used, and why.
    public internal(set) var diagnostics = MotionDiagnostics()

    var sampleGuard = SampleGuard()
    var rateGauge = RateGauge()
    var resampler = Resampler()
    var front: SignalFront
    var steps = StepCounter()
    var revolutions: RevolutionCounter
    var prototype: PrototypeCounter?
    /// What follows from the configuration, and is asked at every tick.
    let isPrototype: Bool
    /// Whether what counts is what a bike needs; of a device that nobody described, as it seems now.
    var isOnBike: Bool
    let isUndescribed: Bool
    var bearer = BearerJudge()
    let mayTurn: Bool
    var vibration = VibrationTrail()
    var classifier = ActivityClassifier()
    var reporter = SecondReporter()
    /// Memory for evaluations, not state; the second for |a| on a person and the magnetic field on a bike.
    var curve = LagCurve()
    private var normCurve = LagCurve()

    /// A pipeline that has seen nothing.
    public init(configuration: MotionConfiguration) {
        self.configuration = configuration
        isOnBike = configuration.isBike
        isUndescribed = configuration.isUndescribed
        mayTurn = configuration.placement.mayTurn
        let isLeg = configuration.placement.isLeg
        front = SignalFront(isLevelled: !isOnBike, isLeg: isLeg)
        revolutions = RevolutionCounter(isOnBike: isOnBike, placement: configuration.placement)
        if case .prototype(let settings) = configuration.estimator {
            prototype = PrototypeCounter(settings: settings)
            isPrototype = true
        } else {
            isPrototype = false
        }
    }

    /// Takes the device's word that its acceleration is in m/s² and without gravity, which its signal would tell after
    /// seconds. Only the first time counts, and six seconds of a signal that says otherwise are stronger.
    public mutating func tellWithoutGravity() {
        front.tellWithoutGravity()
    }

    /// Takes the next sample and appends what follows from it.
    public mutating func process(_ sample: MotionSample, into events: inout MotionEvents) {
        if sampleGuard.isPlain(sample), !resampler.isGap(before: sample.timeMicroseconds) {
            sampleGuard.accept(sample)
            take(sample, into: &events)
        } else {
            processUnusual(sample, into: &events)
        }
    }

    /// Takes a sample that may have to be left out, clipped or taken as the first one after a gap.
    @inline(never)
    private mutating func processUnusual(_ sample: MotionSample, into events: inout MotionEvents) {
        var sample = sample
        switch sampleGuard.admit(&sample, &diagnostics) {
        case .ignored:
            diagnostics.ignoredSamples &+= 1
            return
        case .rebased:
            flush(into: &events)
            forgetTime()
        case .accepted:
            if resampler.isGap(before: sample.timeMicroseconds) {
                diagnostics.gaps &+= 1
                flush(into: &events)
            }
        }
        take(sample, into: &events)
    }

    @inline(__always)
    private mutating func take(_ sample: MotionSample, into events: inout MotionEvents) {
        rateGauge.push(sample.timeMicroseconds)
        resampler.accept(sample)
        if isPrototype {
            prototype?.process(sample, into: &events)
        }
        while resampler.isTickDue {
            withUnsafePointer(to: resampler.tick(rate: rateGauge)) {
                advance(UnsafeBufferPointer(start: $0, count: 1), into: &events)
            }
        }
        resampler.rest()
    }

    /// Settles what is pending because the signal ends here or pauses; a later sample starts it anew.
    public mutating func flush(into events: inout MotionEvents) {
        guard let end = resampler.signalEndMicroseconds else { return }
        reporter.cut(report, into: &events)
        settleSwings(into: &events)
        steps.settle(
            at: end, placement: configuration.placement, normDeviation: front.energies.slowDeviation(.norm),
            into: &events)
        revolutions.settle(at: end, into: &events)
        prototype?.reset()
        resampler.disarm()
        front.reset()
        bearer.pause()
        vibration.reset()
        classifier.reset()
    }

    private mutating func forgetTime() {
        steps.rebase()
        revolutions.rebase()
        prototype?.rebase()
        reporter.reset()
    }

    /// Takes ticks of the same sensors, one after the other, of which none but the last is one that the counters look
    /// at; apart from what every sample needs.
    @inline(never)
    mutating func advance(_ ticks: UnsafeBufferPointer<Tick>, into events: inout MotionEvents) {
        guard let last = ticks.last else { return }
        withUnsafeTemporaryAllocation(of: FilteredTick.self, capacity: Tick.mostAtOnce) { memory in
            let filtered = UnsafeMutableBufferPointer(rebasing: memory[..<min(ticks.count, memory.count)])
            front.filter(ticks, into: filtered)
            if countsSteps, last.sensors.contains(.acceleration) {
                remember(ticks, filtered)
            } else {
                weigh(ticks, filtered)
                front.remember(filtered)
            }
        }
        if isOnBike { pushBike(ticks) }
        finish(ticks, last, into: &events)
    }

    /// Remembers ticks and looks for footfalls in them.
    @inline(__always)
    private mutating func remember(
        _ ticks: UnsafeBufferPointer<Tick>, _ filtered: UnsafeMutableBufferPointer<FilteredTick>
    ) {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: FootfallDetector.memoryCount) { memory in
            guard let memory = memory.baseAddress else { return }
            let energies = front.energies
            steps.footfalls.begin(filtered, in: memory)
            steps.hear(ticks, filtered)
            weigh(ticks, filtered)
            steps.footfalls.smooth(count: ticks.count, in: memory)
            front.remember(filtered)
            steps.footfalls.finish(
                ticks, filtered, energiesBefore: energies, isShaken: vibration.source != .none,
                least: configuration.placement.leastFootfallHeight, in: memory)
        }
    }

    /// Takes the energies of ticks, and notes them at every fifth.
    @inline(__always)
    private mutating func weigh(
        _ ticks: UnsafeBufferPointer<Tick>, _ filtered: UnsafeMutableBufferPointer<FilteredTick>
    ) {
        var first = 0
        while first < ticks.count {
            let place = Int(truncatingIfNeeded: ticks[first].index % RiseHistory.spacingTicks)
            let needed = place == 0 ? 1 : Int(RiseHistory.spacingTicks) - place + 1
            let end = min(first + needed, ticks.count)
            front.weigh(filtered, first..<end)
            if end == first + needed { pushRise(tick: ticks[end - 1].index, ticks[end - 1].sensors) }
            first = end
        }
    }

    /// Reports the second that ends among ticks, and lets the counters look at the last one.
    @inline(__always)
    private mutating func finish(_ ticks: UnsafeBufferPointer<Tick>, _ last: Tick, into events: inout MotionEvents) {
        let untilSecond = Tick.rateHz - 1 - Int(truncatingIfNeeded: ticks[0].index % Int64(Tick.rateHz))
        var left = ticks.count - 1
        if untilSecond < left {
            reporter.push(tickCount: untilSecond, isActive: isActive)
            if reporter.push(tick: ticks[untilSecond], isActive: isActive) { closeSecond(into: &events) }
            left -= untilSecond + 1
        }
        reporter.push(tickCount: left, isActive: isActive)
        if last.index % Self.evaluationTicks == 0 {
            evaluate(last, into: &events)
        }
        if reporter.push(tick: last, isActive: isActive) {
            closeSecond(into: &events)
        }
    }

    @inline(never)
    private mutating func closeSecond(into events: inout MotionEvents) {
        reporter.close(report, into: &events)
    }

    /// What only a bike needs.
    @inline(never)
    private mutating func pushBike(_ ticks: UnsafeBufferPointer<Tick>) {
        for tick in ticks where tick.sensors.contains(.angularVelocity) {
            revolutions.push(angularVelocity: tick.angularVelocity)
        }
    }

    @inline(never)
    private mutating func pushRise(tick: Int64, _ sensors: SensorSet) {
        if !isOnBike { steps.push(shortDeviation: front.energies.shortDeviation(.norm), tick: tick) }
        let lane: SignalEnergies.Lane =
            sensors.contains(.acceleration) ? .vector : sensors.contains(.angularVelocity) ? .turning : .field
        revolutions.push(shortDeviation: front.energies.shortDeviation(lane), tick: tick)
    }

    /// Ticks between evaluations: 0.4 s; a multiple of ``RiseHistory/spacingTicks``. None is the last tick of a second.
    private static let evaluationTicks = Int64(Tick.mostAtOnce)

    @inline(never)
    private mutating func evaluate(_ tick: Tick, into events: inout MotionEvents) {
        diagnostics.isTooSlow = rateGauge.isTooSlow(isOnBike: isOnBike)
        diagnostics.isInStandardGravities = front.gauge.isInG
        diagnostics.isWithoutGravity = front.gauge.isWithoutGravity
        var features = front.features(tick: tick, isOnCrank: isOnBike && configuration.placement == .crank)
            .asSampled(rateGauge)
        front.settle(features, needsTurning: !steps.isOpen || asksForSwing(features), isClear: revolutions.isClear)
        guard !diagnostics.isTooSlow else {
            steps.close(features, configuration.placement, into: &events)
            steps.forgetFootfalls()
            revolutions.close(features, into: &events)
            return
        }
        if isUndescribed { evaluateBearer(features, into: &events) }
        feelVibration(&features)
        evaluateSteps(&features, into: &events)
        if countsSteps {
            steps.followSlow(features, configuration.placement, isPedalling: revolutions.isOpen, into: &events)
        }
        evaluateSwings(features, into: &events)
        evaluateRevolutions(features, into: &events)
        tellActivity(features)
    }

    private mutating func evaluateSteps(_ features: inout SignalFeatures, into events: inout MotionEvents) {
        steps.leg.swing = nil
        guard countsSteps, features.sensors.contains(.acceleration) else { return }
        guard !isUndescribed || !bearer.leansToFrame else {
            steps.forgetFootfalls()
            steps.rest(features, placement: configuration.placement, into: &events)
            return
        }
        guard features.vectorDeviation > StepGate.leastMovement(features, configuration.placement) else {
            steps.rest(features, placement: configuration.placement, into: &events)
            return
        }
        if asksForSwing(features) { steps.leg.swing = swing() }
        normCurve.clear()
        front.addNormSimilarity(weight: 1, to: &normCurve)
        curve.clear()
        front.addAccelerationSimilarity(weight: 1 - StepGate.normWeight, to: &curve)
        steps.leg.swing?.take(
            movement: curve, weight: 1 - StepGate.normWeight, similarityShare: features.similarityShare)
        features.turnsWithLeg = steps.leg.turnsWithLeg(features)
        if configuration.placement.isLeg, !features.turnsWithLeg { features.opposition = curve.opposition }
        curve.add(normCurve, weight: StepGate.normWeight)
        let (wasOpen, countedThrough) = (steps.isOpen, steps.countedThrough)
        features.pedalledRate = revolutions.settledRate
        steps.evaluate(
            curve: curve, normCurve: normCurve, features: features, placement: configuration.placement,
            movement: revolutions.movement, into: &events)
        features.mayBeCarried = steps.mayBeCarried
        features.isUndecidedLeg =
            configuration.placement.isLeg && !steps.leg.mayPedal(features, configuration.placement)
        if steps.countedThrough > countedThrough { revolutions.forgetPeriod() }
        if steps.isOpen {
            revolutions.exclude(until: features.timeMicroseconds)
        } else if wasOpen, StepGate.hasFaded(features) {
            front.forgetPeriod()
        }
    }

    /// Whether it matters how a limb swings: on a leg, and in a pocket, which may be on one, unless it is known that
    /// someone walks.
    // Inlined because a call would copy the pipeline.
    @inline(__always)
    private func asksForSwing(_ features: SignalFeatures) -> Bool {
        guard configuration.placement.isLeg || configuration.placement == .pocket, features.hasTurning else {
            return false
        }
        return !steps.isOpen || !steps.leg.isWalking
    }

    /// How the limb swings, as its angular velocity tells, which no shaking of the machine reaches.
    private mutating func swing() -> LegSwing? {
        curve.clear()
        front.addTurningSimilarity(weight: 1, to: &curve)
        return LegSwing(turning: curve, placement: configuration.placement)
    }

    private mutating func evaluateRevolutions(_ features: SignalFeatures, into events: inout MotionEvents) {
        guard !isPrototype else { return }
        guard !steps.isOpen, isOnBike || !isUndescribed || !bearer.leansToFrame else {
            revolutions.close(features, into: &events)
            return
        }
        guard isOnBike || mayCycle(features) && !mayWalk(features) else {
            revolutions.bridge(features, into: &events)
            return
        }
        let (hasAcceleration, hasTurning) = (features.hasAcceleration, features.hasTurning)
        curve.clear()
        let turningShare: Float = isOnBike ? 0.5 : 0.7
        addSimilarity(of: .acceleration, weight: hasAcceleration ? hasTurning ? 1 - turningShare : 1 : 0)
        addSimilarity(of: .angularVelocity, weight: hasTurning ? hasAcceleration ? turningShare : 1 : 0)
        if isOnBike { hearField(features, isAlone: !hasAcceleration && !hasTurning) }
        revolutions.evaluate(curve: curve, front: &front, features: features, into: &events)
        if revolutions.isOpen {
            steps.exclude(until: features.timeMicroseconds)
        }
    }

    /// Adds what one sensor says: of a bike's last moments, of a person's last seconds.
    private mutating func addSimilarity(of sensor: SensorSet, weight: Float) {
        guard weight > 0 else { return }
        if isOnBike {
            front.addFreshSimilarity(of: sensor, weight: weight, to: &curve)
        } else if sensor == .acceleration {
            front.addAccelerationSimilarity(weight: weight, to: &curve)
        } else {
            front.addTurningSimilarity(weight: weight, to: &curve)
        }
    }

    /// Asks the magnetic field about a bike's crank. Alone it counts where the sensor turns with the crank.
    private mutating func hearField(_ features: SignalFeatures, isAlone: Bool) {
        guard features.sensors.contains(.magneticField), features.fieldDeviation > FieldVoice.floor else {
            revolutions.hear(field: nil)
            return
        }
        normCurve.clear()
        front.addFreshSimilarity(of: .magneticField, weight: 1, to: &normCurve)
        revolutions.hear(field: normCurve)
        if isAlone, features.isOnCrank { curve.add(normCurve, weight: 1) }
    }

    private var countsSteps: Bool { !isPrototype && !isOnBike }

    /// Whether a sensor that is not on a bike may be on someone pedalling. Of someone who pedals already the last
    /// moments are asked: a gesture is over sooner than it is forgotten.
    @inline(__always)
    private func mayCycle(_ features: SignalFeatures) -> Bool {
        if configuration.placement.isLeg {
            return !steps.leg.walks(features, configuration.placement, isOpen: false)
                && (revolutions.isOpen || !steps.mayBeginToWalk(features, configuration.placement))
        }
        guard !steps.leg.isWalking else { return false }
        return steps.leg.isPedalling
            || StepGate.isSmall(features.normDeviation, beside: features.vectorDeviation)
                && !StepGate.isBeyondHandlebar(features, configuration.placement)
            || revolutions.isOpen
                && StepGate.isSmall(features.shortNormDeviation, beside: features.shortVectorDeviation)
    }

    /// Whether steps may go on or come. Of a rhythm that was a walk's nothing is left on an arm where the last moments
    /// do not change |a| even as much as soft feet do: who wiped the face at the rate of the pedals pedals on.
    @inline(__always)
    private func mayWalk(_ features: SignalFeatures) -> Bool {
        let hearsFeet = !mayTurn || features.shortNormDeviation > StepGate.sureNormDeviation
        return steps.mayBeWalking(hearsFeet: hearsFeet, on: configuration.placement)
    }

    private var isActive: Bool {
        if isPrototype { return prototype.map { $0.estimator.cadenceRPM > 0 } ?? false }
        return steps.isOpen || revolutions.isOpen
    }

    /// The state now, without time and active time.
    private var report: SecondReport {
        @inline(__always) get { makeReport() }
    }

    @inline(__always)
    private func makeReport() -> SecondReport {
        var report = SecondReport(
            timeMicroseconds: 0, activity: classifier.activity, activityConfidence: classifier.confidence)
        if let prototype {
            report.cadenceRPM = prototype.estimator.cadenceRPM
            report.activity = report.cadenceRPM > 0 ? .cycling : classifier.activity
        } else if steps.isOpen {
            report.cadenceSPM = steps.stepRate * 60
            report.confidence = Calibration.walking.probability(strength: steps.likeness)
        } else if revolutions.isTold {
            report.cadenceRPM = revolutions.rate * 60
            report.confidence = revolutions.confidence
        }
        return report
    }
}
