/// Counts one device: samples in, events out. A value without clock or I/O; its size does not grow.
public struct MotionPipeline: Sendable {
    /// The most bytes that ``save(into:)`` appends.
    public static let maximumStateBytes = 8192

    /// What was known about the device.
    public let configuration: MotionConfiguration
    /// What was not used, and why.
    public internal(set) var diagnostics = MotionDiagnostics()

    var sampleGuard = SampleGuard()
    var rateGauge = SampleRateEstimator()
    var resampler = Resampler()
    var front: SignalFrontEnd
    var steps = StepCounter()
    var revolutions: RevolutionCounter
    var prototype: PrototypeCounter?
    var decoder: MotionDecoder?
    /// What follows from the configuration, and is asked at every tick.
    let isPrototype: Bool
    /// Whether what counts is what a bike needs; of a device that nobody described, as it seems now.
    var isOnBike: Bool
    let isUndescribed: Bool
    var bearer = MountClassifier()
    /// Where the counters take the sensor to sit: as was told, or below the knee where the signal says so.
    var placement: Placement
    var shank = AnklePlacementDetector()
    var mayTurn: Bool
    var vibration = VibrationTrail()
    var classifier = ActivityClassifier()
    var reporter = SecondReporter()
    /// Memory for evaluations, not state; the second for |a| on a person and the magnetic field on a bike.
    var curve = LagCurve()
    var normCurve = LagCurve()

    /// A pipeline that has seen nothing.
    public init(configuration: MotionConfiguration) {
        self.init(configuration: configuration, model: .fitted)
    }

    /// A pipeline that counts with a model of its own, where the model counts.
    package init(configuration: MotionConfiguration, model: StateModel) {
        self.configuration = configuration
        isOnBike = configuration.isBike
        isUndescribed = configuration.isUndescribed
        placement = configuration.placement
        mayTurn = placement.mayTurn
        front = SignalFrontEnd(isLevelled: !isOnBike, isLeg: placement.isLeg)
        revolutions = RevolutionCounter(isOnBike: isOnBike, placement: placement)
        decoder = configuration.isFitted ? MotionDecoder(model: model, placement: configuration.placement) : nil
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
        decoder?.tellWithoutGravity()
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
        decoder?.finish(into: &events)
        settleSwings(into: &events)
        steps.settle(
            at: end, placement: placement, normDeviation: front.energies.slowDeviation(.norm),
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
        guard decoder == nil else {
            decode(ticks, last, into: &events)
            return
        }
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
                least: placement.leastFootfallHeight, in: memory)
        }
    }

    /// Takes the energies of ticks, and notes them at every fifth.
    @inline(__always)
    private mutating func weigh(
        _ ticks: UnsafeBufferPointer<Tick>, _ filtered: UnsafeMutableBufferPointer<FilteredTick>
    ) {
        var first = 0
        while first < ticks.count {
            let place = Int(truncatingIfNeeded: ticks[first].index % MovementEnvelope.spacingTicks)
            let needed = place == 0 ? 1 : Int(MovementEnvelope.spacingTicks) - place + 1
            let end = min(first + needed, ticks.count)
            front.weigh(filtered, first..<end)
            if end == first + needed { pushRise(tick: ticks[end - 1].index, ticks[end - 1].sensors) }
            first = end
        }
    }

    /// Lets the fitted model take ticks.
    private mutating func decode(_ ticks: UnsafeBufferPointer<Tick>, _ last: Tick, into events: inout MotionEvents) {
        for tick in ticks {
            diagnostics.isTooSlow = tick.rate.isTooSlow(isOnBike: false)
            if !diagnostics.isTooSlow { decoder?.push(tick) }
        }
        diagnostics.isInStandardGravities = decoder?.isInG ?? false
        diagnostics.isWithoutGravity = decoder?.isWithoutGravity ?? false
        finish(ticks, last, into: &events)
    }

    private mutating func evaluateDecoder(into events: inout MotionEvents) {
        guard !diagnostics.isTooSlow else { return }
        decoder?.evaluate(into: &events)
        let live = decoder?.live ?? MotionDecoder.LiveState()
        classifier.take(live.activity, isPedalling: live.pedalRate > 0)
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
            if decoder == nil {
                evaluate(last, into: &events)
            } else {
                evaluateDecoder(into: &events)
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
    private mutating func pushRise(tick: Int64, _ sensors: SensorSet) {
        if !isOnBike { steps.push(shortDeviation: front.energies.shortDeviation(.norm), tick: tick) }
        let lane: SignalEnergies.Lane =
            sensors.contains(.acceleration) ? .vector : sensors.contains(.angularVelocity) ? .turning : .field
        revolutions.push(shortDeviation: front.energies.shortDeviation(lane), tick: tick)
    }
}
