/// The front of a person's sensor: ticks in, features every 0.4 s out.
struct MotionFront {
    /// The least mean square around a moment, relative to that of 4 s, for its rhythm to be there: 0.15 is an amplitude
    /// of 0.4.
    static let leastShare: Float = 0.15
    /// The span around a moment, as a share of the period on each side.
    static let nearShare: Float = 0.6
    /// The span of the reference, ticks on each side: 2 s.
    static let farTicks = 5 * SignalWindow.blockTicks

    private var window = SignalWindow()
    private var autocorrelation = Autocorrelation()
    private(set) var sensors: SensorSet = []
    /// Whether ``autocorrelation`` has not taken the newest blocks.
    private var isBehind = false

    /// Takes ticks of the same sensors. ``look(in:)`` follows after the last one of a block.
    mutating func push(_ ticks: UnsafeMutableBufferPointer<Tick>) {
        sensors = ticks.first?.sensors ?? sensors
        window.push(ticks)
    }

    /// Floats of memory for an evaluation.
    static let memoryCount = EvaluatedWindow.memoryCount + Autocorrelation.memoryCount

    /// The window, when the newest block is complete.
    /// - Parameter memory: ``memoryCount`` floats, in which it lies.
    mutating func look(in memory: UnsafeMutablePointer<Float>) -> EvaluatedWindow {
        EvaluatedWindow(&window, in: memory)
    }

    /// Writes the features of the moment 2.8 s ago. Each window is given to this or to ``skip()``.
    mutating func describe(_ evaluated: EvaluatedWindow, into features: UnsafeMutablePointer<Float>) {
        evaluated.expandRecent(window)
        if isBehind {
            evaluated.expandEarlier(window)
            autocorrelation.restore(evaluated, newestAge: 1)
            isBehind = false
        } else {
            autocorrelation.push(evaluated)
        }
        MotionFeatures.write(evaluated, autocorrelation, sensors, to: features, evaluated.rest)
    }

    /// Leaves out the features of a window, in which nothing moves.
    mutating func skip() { isBehind = true }

    /// Writes the rows of a window that settled moments reach into.
    func expandEarlier(_ evaluated: EvaluatedWindow) { evaluated.expandEarlier(window) }

    /// Begins the next block.
    mutating func advance() {
        window.shift()
    }

    /// Restarts the acceleration, whose unit or gravity was wrong.
    mutating func forgetAcceleration() {
        window.forgetAcceleration()
        restoreProducts()
        sensors.remove(.acceleration)
    }

    mutating func copyRows(_ state: inout StateCopy) {
        state.expect(autocorrelation.isSound)
        window.copyRows(&state)
        if state.isReading, state.isSound { restoreProducts() }
    }

    private mutating func restoreProducts() {
        withUnsafeTemporaryAllocation(of: Float.self, capacity: EvaluatedWindow.memoryCount) { memory in
            guard let memory = memory.baseAddress else { return }
            // All blocks but the newest, which is not complete.
            autocorrelation.restore(EvaluatedWindow(&window, in: memory, isRestored: true), newestAge: 2)
        }
    }
}

extension EvaluatedWindow {
    /// Whether the movement around a row is not far below that of four seconds there: over its window, autocorrelation
    /// shows a rhythm before it begins and after it ends.
    /// - Parameter period: The period of the rhythm, in ticks.
    func moves(around row: Int, period: Float) -> Bool {
        let (near, far) = (max(Int(MotionFront.nearShare * period), SignalWindow.blockTicks), MotionFront.farTicks)
        let (now, all) = (energy((row - near)..<(row + near)), energy((row - far)..<(row + far)))
        let share = MotionFront.leastShare * Float(near) / Float(far)
        return now.y > share * all.y || now.w > share * all.w
    }

    /// Root mean squares of the last block, m/s²: of the change of acceleration from tick to tick, and of the acceleration.
    var newestMovement: (change: Float, movement: Float) {
        var (changes, movements) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        for row in SignalWindow.tickCount - SignalWindow.blockTicks..<SignalWindow.tickCount {
            let (now, before) = (moved(row), moved(row - 1))
            changes += (now - before) * (now - before)
            movements += now * now
        }
        // Behind |a| lie x, y and z.
        func rootMean(_ squares: SIMD4<Float>) -> Float {
            ((squares.y + squares.z + squares.w) / Float(SignalWindow.blockTicks)).squareRoot()
        }
        return (rootMean(changes), rootMean(movements))
    }
}

/// Computes features for the fit with the guard, resampler and front of the pipeline.
package struct FeatureRecorder {
    /// Numbers of a moment: the curves without their repeated ends, the levels and the best periods.
    package static let count =
        Autocorrelation.Curve.allCases.count * PeriodAxis.count + MotionFeatures.levelCount + MotionFeatures.bestCount
    /// The number of levels and best periods, at the end.
    package static let levelCount = MotionFeatures.levelCount + MotionFeatures.bestCount
    /// Time from a moment to the evaluation of its features, µs.
    package static let delayMicroseconds = Int64(Autocorrelation.delayTicks) * Tick.microseconds

    private var sampleGuard = SampleGuard()
    private var diagnostics = MotionDiagnostics()
    private var resampler = Resampler(isBike: false)
    private var rateGauge = SampleRateEstimator()
    private var accelerometer = Accelerometer()
    private var front = MotionFront()
    private var memory = [Float](repeating: 0, count: MotionFeatures.count)
    private var rest = [Float](repeating: 0, count: MotionFront.memoryCount)

    /// A new recorder.
    package init() {}

    /// Takes a sample, and passes on the time, sensors and features of each moment that is evaluated. A gap starts anew.
    package mutating func process(
        _ sample: MotionSample, _ body: (_ timeMicroseconds: Int64, SensorSet, _ features: [Float]) -> Void
    ) {
        var sample = sample
        guard sampleGuard.admit(&sample, &diagnostics) != .ignored else { return }
        if resampler.isGap(before: sample.timeMicroseconds) {
            resampler.disarm()
            accelerometer.reset()
            front = MotionFront()
        }
        rateGauge.push(sample.timeMicroseconds)
        resampler.push(sample)
        while resampler.isTickDue {
            var tick = resampler.tick(rate: rateGauge)
            withUnsafeMutablePointer(to: &tick) {
                let ticks = UnsafeMutableBufferPointer(start: $0, count: 1)
                if accelerometer.convert(ticks) { front.forgetAcceleration() }
                front.push(ticks)
            }
            if tick.isLastOfBlock { evaluate(tick, body) }
        }
        resampler.rest()
    }

    private mutating func evaluate(_ tick: Tick, _ body: (Int64, SensorSet, [Float]) -> Void) {
        accelerometer.doubt(turnsOver: false)
        memory.withUnsafeMutableBufferPointer { memory in
            rest.withUnsafeMutableBufferPointer { rest in
                guard let memory = memory.baseAddress, let rest = rest.baseAddress else { return }
                front.describe(front.look(in: rest), into: memory)
            }
        }
        var features: [Float] = []
        features.reserveCapacity(Self.count)
        for curve in Autocorrelation.Curve.allCases {
            let start = curve.rawValue * Autocorrelation.stride
            features += memory[start..<start + PeriodAxis.count]
        }
        features += memory[MotionFeatures.curveCount...]
        body(Tick.endMicroseconds(ofTick: tick.index) - Self.delayMicroseconds, front.sensors, features)
        front.advance()
    }
}
