/// Counts one device: samples in, events out. A value without clock or I/O; its size does not grow.
public struct MotionPipeline: Sendable {
    /// The most bytes that ``save(into:)`` appends.
    public static let maximumStateBytes = 8192

    /// The description of the device.
    public let configuration: MotionConfiguration
    /// Samples that were not used, and why.
    public internal(set) var diagnostics = MotionDiagnostics()

    var sampleGuard = SampleGuard()
    var rateGauge = SampleRateEstimator()
    var resampler: Resampler
    /// The front of a bike, and of an undescribed device.
    var front = MotionPipeline.unusedFront
    var crank = MotionPipeline.unusedCrank
    /// The counter of a person; nil on a bike, and with the prototype's rule.
    var decoder: MotionDecoder?
    private let model: StateModel
    var rule: PrototypeCounter?
    let counting: Counting
    var mount = MountClassifier()
    var classifier = ActivityClassifier()
    var reporter = SecondReporter()
    /// Memory of evaluations, not state: the autocorrelations of movement and of the magnetic field.
    var curve = LagCurve()
    var fieldCurve = LagCurve()

    /// Empty values, whose memory all pipelines share until they write to it.
    private static let unusedFront = SignalFrontEnd()
    private static let unusedCrank = CrankCounter()

    /// A new pipeline.
    public init(configuration: MotionConfiguration) {
        self.init(configuration: configuration, model: .fitted)
    }

    /// A pipeline that counts a person with a model of its own.
    package init(configuration: MotionConfiguration, model: StateModel) {
        self.configuration = configuration
        counting = configuration.counting
        resampler = Resampler(isBike: configuration.isBike)
        if case .prototype(let settings) = configuration.estimator { rule = PrototypeCounter(settings: settings) }
        self.model = model
        if counting == .person || counting == .deciding {
            decoder = MotionDecoder(model: model, placement: configuration.placement)
        }
    }

    /// Whether the device is counted as a bike; for an undescribed one, the present decision.
    var isOnBike: Bool { counting == .bike || counting == .deciding && mount.isOnFrame }

    /// Whether there is a bike's front.
    var hasFront: Bool { counting != .person }

    /// Takes the device's statement that its acceleration is in m/s² and without gravity, which its signal would show
    /// within seconds. Only the first call counts, and six seconds of signal to the contrary override it.
    public mutating func markWithoutGravity() {
        decoder?.markWithoutGravity()
        if hasFront { front.markWithoutGravity() }
    }

    /// Takes the next samples and appends their events. Frames of any length say what their samples say one by one.
    public mutating func process(_ samples: Span<MotionSample>, into events: inout MotionEvents) {
        var index = 0
        while index < samples.count {
            index = followLine(samples, from: index, into: &events)
            guard index < samples.count else { return }
            takeUnlike(samples[index], into: &events)
            index += 1
        }
    }

    /// Takes a sample that may be ignored, clipped, of other sensors than the one before, or the first one after a gap.
    @inline(never)
    private mutating func takeUnlike(_ sample: MotionSample, into events: inout MotionEvents) {
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
        rateGauge.push(sample.timeMicroseconds)
        resampler.accept(sample)
        rule?.process(sample, into: &events)
        while resampler.isTickDue {
            withUnsafePointer(to: resampler.tick(rate: rateGauge)) {
                advance(UnsafeBufferPointer(start: $0, count: 1), into: &events)
            }
        }
        resampler.rest()
    }

    /// Ends the signal: counts what is pending. A later sample starts a new one.
    public mutating func flush(into events: inout MotionEvents) {
        guard let end = resampler.signalEndMicroseconds else { return }
        reporter.cut(report, into: &events)
        if isOnBike {
            crank.close(at: end, into: &events)
            crank.spin = RotationRateEstimator()
        } else {
            let counts = !isLeaningToFrame
            decoder?.finish(endOfBlock: resampler.line.endOfBlock, goesOn: true, counts: counts, into: &events)
        }
        rule?.reset()
        resampler.disarm()
        if hasFront { front.reset(isOnBike: isOnBike) }
        mount.pause()
        classifier.reset()
    }

    /// Starts the other counter, once the mount has been found to be another.
    mutating func turn() {
        crank = Self.unusedCrank
        front.forgetPeriod()
        decoder = isOnBike ? nil : MotionDecoder(model: model, placement: configuration.placement)
    }

    private mutating func forgetTime() {
        if isOnBike { crank.integrator.reset() }
        decoder?.rebase()
        rule?.rebase()
        reporter.reset()
    }

    /// Takes ticks of the same sensors, of which only the last may be followed by an evaluation. Not inlined into the
    /// path of samples.
    @inline(never)
    mutating func advance(_ ticks: UnsafeBufferPointer<Tick>, into events: inout MotionEvents) {
        guard let last = ticks.last else { return }
        if hasFront { filter(ticks) }
        if isOnBike {
            for tick in ticks where tick.sensors.contains(.angularVelocity) {
                crank.spin.push(tick.angularVelocity)
            }
        } else {
            decode(ticks)
        }
        finish(ticks, last, into: &events)
    }

    private mutating func filter(_ ticks: UnsafeBufferPointer<Tick>) {
        withUnsafeTemporaryAllocation(of: FilteredTick.self, capacity: Tick.mostAtOnce) { memory in
            let filtered = UnsafeMutableBufferPointer(rebasing: memory[..<min(ticks.count, memory.count)])
            front.filter(ticks, into: filtered)
            front.weigh(filtered)
            if isOnBike { front.remember(filtered) }
        }
    }

    /// Takes ticks of a person.
    private mutating func decode(_ ticks: UnsafeBufferPointer<Tick>) {
        guard decoder != nil else { return }
        for tick in ticks {
            diagnostics.isTooSlow = tick.rate.isTooSlow(isOnBike: false)
            if !diagnostics.isTooSlow { decoder?.push(tick) }
        }
    }

    /// Reports the second that ends within these ticks, and evaluates after the last.
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
        if last.isLastOfBlock { evaluate(last, into: &events) }
        if reporter.push(tick: last, isActive: isActive) {
            closeSecond(into: &events)
        }
    }

    @inline(never)
    private mutating func closeSecond(into events: inout MotionEvents) {
        reporter.close(report, into: &events)
    }
}
