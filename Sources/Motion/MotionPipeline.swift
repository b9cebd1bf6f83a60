internal import CMotion

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
    var accelerometer = Accelerometer()
    var grain = Grain()
    /// The front of a bike, and of an undescribed device.
    var front = MotionPipeline.unusedFront
    var crank = MotionPipeline.unusedCrank
    /// The counter of a person.
    var decoder = MotionPipeline.unusedDecoder
    private let model: StateModel
    var rule: PrototypeCounter?
    let counting: Counting
    var mount = MountClassifier()
    var classifier = ActivityClassifier()
    var reporter = SecondReporter()
    /// Memory of evaluations, not state: the autocorrelations of movement and of the magnetic field.
    var curve = MotionPipeline.unusedCurve
    var fieldCurve = MotionPipeline.unusedCurve

    /// Empty values, whose memory all pipelines share until they write to it.
    private static let unusedFront = BikeFront()
    private static let unusedCrank = CrankCounter()
    private static let unusedCurve = LagCurve()
    private static let unusedDecoder = MotionDecoder(model: .fitted, placement: .unknown)

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
        if isOnPerson {
            decoder = MotionDecoder(model: model, placement: configuration.placement)
        }
    }

    /// Whether the device is counted as a bike; for an undescribed one, the present decision.
    var isOnBike: Bool { counting == .bike || counting == .deciding && mount.isOnFrame }

    /// Whether it is counted as a person, at least until a decision.
    var isOnPerson: Bool { counting == .person || counting == .deciding && !mount.isOnFrame }

    /// Whether there is a bike's front.
    var hasFront: Bool { counting != .person }

    /// Takes the device's statement that its acceleration is in m/s² and without gravity, which its signal would show
    /// within seconds. Only the first call counts, and six seconds of signal to the contrary override it.
    public mutating func markWithoutGravity() {
        if accelerometer.markWithoutGravity() { forgetAcceleration() }
    }

    /// Restarts the acceleration, whose unit or gravity was wrong.
    private mutating func forgetAcceleration() {
        if isOnPerson { decoder.forgetAcceleration() }
        if hasFront { front.forgetAcceleration() }
    }

    /// Takes the next samples and appends their events. Frames of any length say what their samples say one by one.
    public mutating func process(_ samples: Span<MotionSample>, into events: inout MotionEvents) {
        var index = 0
        while index < samples.count {
            index = processPlain(samples, from: index, into: &events)
            guard index < samples.count else { return }
            processUnlike(samples[index], into: &events)
            index += 1
        }
    }

    /// Takes a sample that may be ignored, clipped, of other sensors than the one before, or the first one after a gap.
    @inline(never)
    private mutating func processUnlike(_ sample: MotionSample, into events: inout MotionEvents) {
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
        resampler.push(sample)
        rule?.process(sample, into: &events)
        while resampler.isTickDue {
            var tick = resampler.tick(rate: rateGauge)
            withUnsafeMutablePointer(to: &tick) {
                advance(UnsafeMutableBufferPointer(start: $0, count: 1), into: &events)
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
            if isOnPerson {
                decoder.finish(endOfBlock: resampler.line.endOfBlock, goesOn: true, counts: counts, into: &events)
            }
        }
        rule?.reset()
        resampler.disarm()
        accelerometer.reset()
        if hasFront { front.reset(isOnBike: isOnBike) }
        mount.pause()
        classifier.reset()
    }

    /// Starts the other counter, once the mount has been found to be another.
    mutating func turn() {
        crank = Self.unusedCrank
        front.forgetPeriod()
        decoder = isOnBike ? Self.unusedDecoder : MotionDecoder(model: model, placement: configuration.placement)
    }

    private mutating func forgetTime() {
        if isOnBike { crank.integrator.reset() }
        if isOnPerson { decoder.rebase() }
        rule?.rebase()
        reporter.reset()
    }

    /// Takes ticks of the same sensors, of which only the last may be followed by an evaluation. Not inlined into the
    /// path of samples.
    @inline(never)
    mutating func advance(_ ticks: UnsafeMutableBufferPointer<Tick>, into events: inout MotionEvents) {
        guard let last = ticks.last else { return }
        if accelerometer.convert(ticks) { forgetAcceleration() }
        if hasFront { front.push(ticks, remembers: isOnBike) }
        if isOnBike {
            if last.sensors.contains(.angularVelocity) { crank.spin.push(ticks) }
        } else {
            decode(ticks)
        }
        finish(ticks, last, into: &events)
    }

    /// Takes ticks of a person.
    private mutating func decode(_ ticks: UnsafeMutableBufferPointer<Tick>) {
        guard isOnPerson else { return }
        var start = 0
        for index in ticks.indices {
            diagnostics.isTooSlow = ticks[index].rate.isTooSlow(isOnBike: false)
            guard diagnostics.isTooSlow else { continue }
            decoder.push(UnsafeMutableBufferPointer(rebasing: ticks[start..<index]))
            start = index + 1
        }
        decoder.push(UnsafeMutableBufferPointer(rebasing: ticks[start...]))
    }

    /// Reports the second that ends within these ticks, and evaluates after the last.
    @inline(__always)
    private mutating func finish(
        _ ticks: UnsafeMutableBufferPointer<Tick>, _ last: Tick, into events: inout MotionEvents
    ) {
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

/// Plain samples, which most are, in one loop.
extension MotionPipeline {
    /// Processes samples as long as each is later than the one before, in range, and of the live sensors. Returns the
    /// index of the first one that is not.
    private mutating func processPlain(
        _ samples: Span<MotionSample>, from start: Int, into events: inout MotionEvents
    ) -> Int {
        let sensors = resampler.liveSensors
        guard counting != .rule, resampler.isArmed, sampleGuard.newestMicroseconds == resampler.line.time,
            !sensors.isEmpty, sensors.isSubset(of: [.acceleration, .angularVelocity, .magneticField])
        else { return start }
        var (line, run) = (resampler.line, motion_run(sample: start, ticks: 0, is_within: 0))
        withUnsafeTemporaryAllocation(of: Tick.self, capacity: Tick.mostAtOnce) { ticks in
            samples.withUnsafeBufferPointer { samples in
                var isComplete = true
                while isComplete {
                    let wanted = accelerometer.isSettling ? 1 : Tick.mostAtOnce - line.place
                    line.follow(samples, sensors, &rateGauge, ticks, wanted: wanted, &run)
                    isComplete = run.ticks == wanted
                    if isComplete { grain.take(samples[min(run.sample, samples.count - 1)].acceleration) }
                    advance(UnsafeMutableBufferPointer(rebasing: ticks[..<run.ticks]), into: &events)
                    run.ticks = 0
                }
            }
        }
        if run.sample > start {
            resampler.resume(line)
            sampleGuard.push(samples[run.sample - 1])
        }
        return run.sample
    }
}
