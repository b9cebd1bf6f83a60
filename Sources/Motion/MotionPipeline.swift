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
    var revolutions = RevolutionCounter()
    var prototype: PrototypeCounter?
    /// What follows from the configuration, and is asked at every tick.
    private let isPrototype: Bool
    private let isOnBike: Bool
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
        if resampler.isTickDue {
            advance(into: &events)
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

    /// Goes through the ticks that end before the newest sample; apart from what every sample needs.
    @inline(never)
    private mutating func advance(into events: inout MotionEvents) {
        while resampler.isTickDue {
            advance(resampler.tick(), into: &events)
        }
    }

    @inline(__always)
    private mutating func advance(_ tick: Tick, into events: inout MotionEvents) {
        front.push(tick)
        if countsSteps, tick.sensors.contains(.acceleration) {
            steps.push(
                norm: front.filteredNorm, energies: front.energies, rate: rateGauge, tick: tick.index, mayTurn: mayTurn)
        }
        if resolvesHarmonics {
            pushBike(tick)
        }
        if tick.index % RiseHistory.spacingTicks == 0 {
            pushRise(tick)
            if tick.index % Self.evaluationTicks == 0 {
                evaluate(tick, into: &events)
            }
        }
        if reporter.push(tick: tick, isActive: isActive) {
            closeSecond(into: &events)
        }
    }

    @inline(never)
    private mutating func closeSecond(into events: inout MotionEvents) {
        reporter.close(report, into: &events)
    }

    /// What only a bike needs.
    @inline(__always)
    private mutating func pushBike(_ tick: Tick) {
        if tick.sensors.contains(.angularVelocity) {
            revolutions.push(angularVelocity: tick.angularVelocity)
        }
        if revolutions.followsPeriod {
            revolutions.push(front.moment(lag: revolutions.coherenceLag, hearsField: revolutions.hearsMagnet))
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
        let hasAcceleration = features.vectorDeviation > RevolutionGate.accelerationFloor
        let hasTurning = features.turningDeviation > RevolutionGate.turningFloor
        curve.clear()
        let turningShare: Float = isOnBike ? 0.5 : 0.7
        if hasAcceleration {
            front.addAccelerationSimilarity(weight: hasTurning ? 1 - turningShare : 1, to: &curve)
        }
        if hasTurning {
            front.addTurningSimilarity(weight: hasAcceleration ? turningShare : 1, to: &curve)
        }
        if isOnBike { hearField(features, isAlone: !hasAcceleration && !hasTurning) }
        let hasEnded = revolutions.evaluate(
            curve: curve, features: features, resolvesHarmonics: resolvesHarmonics, into: &events)
        if revolutions.isOpen {
            steps.exclude(until: features.timeMicroseconds)
        }
        if hasEnded, isOnBike {
            front.forgetPeriod()
        }
    }

    /// Asks the magnetic field about a bike's crank. Alone it counts where the sensor turns with the crank.
    private mutating func hearField(_ features: SignalFeatures, isAlone: Bool) {
        guard features.sensors.contains(.magneticField), features.fieldDeviation > FieldVoice.floor else {
            revolutions.hearNoField()
            return
        }
        normCurve.clear()
        front.addFieldSimilarity(weight: 1, to: &normCurve)
        revolutions.hear(field: normCurve)
        if isAlone, features.isOnCrank { curve.add(normCurve, weight: 1) }
    }

    private var countsSteps: Bool { !isPrototype && !isOnBike }

    /// A bike's frame shakes at twice the crank's rate; slow arm movement at the wrist would only feign a half.
    private var resolvesHarmonics: Bool { isOnBike }

    /// Whether a sensor that is not on a bike may be on someone pedalling. Of someone who pedals already the last moments
    /// are asked: a gesture is over sooner than it is forgotten.
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
            report.confidence = revolutions.confidence(resolvesHarmonics: resolvesHarmonics)
        }
        return report
    }
}
