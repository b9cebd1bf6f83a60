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
    let isOnBike: Bool
    private let mayTurn: Bool
    var classifier = ActivityClassifier()
    var reporter = SecondReporter()
    /// Memory for evaluations, not state; the second for |a| on a person and the magnetic field on a bike.
    private var curve = LagCurve()
    private var normCurve = LagCurve()

    /// A pipeline that has seen nothing.
    public init(configuration: MotionConfiguration) {
        self.configuration = configuration
        isOnBike = configuration.isBike
        mayTurn = configuration.placement.mayTurn
        front = SignalFront(isLevelled: !isOnBike)
        revolutions = RevolutionCounter(isOnBike: isOnBike)
        if case .prototype(let settings) = configuration.estimator {
            prototype = PrototypeCounter(settings: settings)
            isPrototype = true
        } else {
            isPrototype = false
        }
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
        steps.settle(
            at: end, placement: configuration.placement, normDeviation: front.energies.slowDeviation(.norm),
            into: &events)
        revolutions.settle(at: end, into: &events)
        prototype?.reset()
        resampler.disarm()
        front.reset()
        classifier.reset()
    }

    private mutating func forgetTime() {
        steps.rebase()
        revolutions.rebase()
        prototype?.rebase()
        reporter.reset()
    }

    /// Takes ticks of the same sensors, of which none but the last is one that the counters or the report look at; apart from
    /// what every sample needs.
    @inline(never)
    mutating func advance(_ ticks: UnsafeBufferPointer<Tick>, into events: inout MotionEvents) {
        guard let last = ticks.last else { return }
        withUnsafeTemporaryAllocation(of: FilteredTick.self, capacity: Tick.mostAtOnce) { filtered in
            let count = min(ticks.count, filtered.count)
            for index in 0..<count {
                filtered.initializeElement(at: index, to: filter(ticks[index]))
            }
            let filtered = UnsafeBufferPointer(rebasing: filtered[..<count])
            front.remember(filtered)
        }
        if isOnBike { pushBike(ticks) }
        finish(last, count: ticks.count, into: &events)
    }

    @inline(__always)
    private mutating func filter(_ tick: Tick) -> FilteredTick {
        let filtered = front.filter(tick)
        if countsSteps, tick.sensors.contains(.acceleration) {
            steps.push(
                norm: front.filteredNorm, energies: front.energies, rate: tick.rate, tick: tick.index, mayTurn: mayTurn)
        }
        return filtered
    }

    /// Lets the counters and the report look at the last one of so many ticks.
    @inline(__always)
    private mutating func finish(_ last: Tick, count: Int, into events: inout MotionEvents) {
        reporter.push(tickCount: count - 1, isActive: isActive)
        if last.index % RiseHistory.spacingTicks == 0 {
            pushRise(last)
            if last.index % Self.evaluationTicks == 0 {
                evaluate(last, into: &events)
            }
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
    private mutating func pushRise(_ tick: Tick) {
        steps.push(shortDeviation: front.energies.shortDeviation(.norm), tick: tick.index)
        let lane: SignalEnergies.Lane =
            tick.sensors.contains(.acceleration)
            ? .vector : tick.sensors.contains(.angularVelocity) ? .turning : .field
        revolutions.push(shortDeviation: front.energies.shortDeviation(lane), tick: tick.index)
    }

    /// Ticks between evaluations: 0.4 s; a multiple of ``RiseHistory/spacingTicks``.
    private static let evaluationTicks: Int64 = 10

    @inline(never)
    private mutating func evaluate(_ tick: Tick, into events: inout MotionEvents) {
        diagnostics.isTooSlow = rateGauge.isTooSlow(isOnBike: isOnBike)
        diagnostics.isInStandardGravities = front.gauge.isInG
        diagnostics.isWithoutGravity = front.gauge.isWithoutGravity
        var features = front.features(tick: tick, isOnCrank: isOnBike && configuration.placement == .crank)
            .asSampled(roughnessShare: rateGauge.roughnessShare)
        front.settle(
            isMoving: features.mayBePedalling(isOnBike: isOnBike), needsTurning: !steps.isOpen)
        guard !diagnostics.isTooSlow else {
            steps.close(features, into: &events)
            steps.forgetFootfalls()
            revolutions.close(features, into: &events)
            return
        }
        evaluateSteps(&features, into: &events)
        evaluateRevolutions(features, into: &events)
        classifier.evaluate(features: features, steps: steps, revolutions: revolutions)
    }

    private mutating func evaluateSteps(_ features: inout SignalFeatures, into events: inout MotionEvents) {
        guard countsSteps, features.sensors.contains(.acceleration) else { return }
        guard features.vectorDeviation > StepGate.vectorDeviation else {
            steps.rest(features, placement: configuration.placement, into: &events)
            return
        }
        normCurve.clear()
        front.addNormSimilarity(weight: 1, to: &normCurve)
        curve.clear()
        front.addAccelerationSimilarity(weight: 0.4, to: &curve)
        if configuration.placement.isLeg { features.opposition = curve.opposition }
        curve.add(normCurve, weight: 0.6)
        let wasOpen = steps.isOpen
        steps.evaluate(
            curve: curve, normCurve: normCurve, features: features, placement: configuration.placement, into: &events)
        if steps.isOpen {
            revolutions.exclude(until: features.timeMicroseconds)
        } else if wasOpen, StepGate.hasFaded(features) {
            front.forgetPeriod()
        }
    }

    private mutating func evaluateRevolutions(_ features: SignalFeatures, into events: inout MotionEvents) {
        guard !isPrototype else { return }
        guard !steps.isOpen else {
            revolutions.close(features, into: &events)
            return
        }
        guard isOnBike || mayCycle(features) && !steps.mayBeWalking else {
            revolutions.bridge(features, into: &events)
            return
        }
        let (hasAcceleration, hasTurning) = (features.hasAcceleration, features.hasTurning)
        curve.clear()
        let turningShare: Float = isOnBike ? 0.5 : 0.7
        addSimilarity(of: .acceleration, weight: hasAcceleration ? hasTurning ? 1 - turningShare : 1 : 0)
        addSimilarity(of: .angularVelocity, weight: hasTurning ? hasAcceleration ? turningShare : 1 : 0)
        if isOnBike { hearField(features, isAlone: !hasAcceleration && !hasTurning) }
        revolutions.evaluate(curve: curve, front: front, features: features, into: &events)
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

    /// Whether a sensor that is not on a bike may be on someone pedalling. Of someone who pedals already the last moments
    /// are asked: a gesture is over sooner than it is forgotten.
    @inline(__always)
    private func mayCycle(_ features: SignalFeatures) -> Bool {
        if configuration.placement.isLeg { return !StepGate.isWalkingLeg(features, isOpen: false) }
        return StepGate.isSmall(features.normDeviation, beside: features.vectorDeviation)
            && !StepGate.isBeyondHandlebar(features, configuration.placement)
            || revolutions.isOpen
                && StepGate.isSmall(features.shortNormDeviation, beside: features.shortVectorDeviation)
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
            report.cadenceSPM = steps.rate * 60
            report.confidence = Calibration.walking.probability(strength: steps.strength)
        } else if revolutions.isOpen {
            report.cadenceRPM = revolutions.rate * 60
            report.confidence = revolutions.confidence
        }
        return report
    }
}
