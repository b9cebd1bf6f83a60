/// Makes the features that a pipeline's model would see, for the fit: the same guard, resampler and front.
package struct FeatureRecorder {
    /// Numbers of a moment: the curves without their repeated ends, the levels and the best periods.
    package static let count =
        Autocorrelation.Curve.allCases.count * PeriodAxis.count + MotionFeatures.levelCount + MotionFeatures.bestCount
    /// How many of them, at the end, are levels and best periods.
    package static let levelCount = MotionFeatures.levelCount + MotionFeatures.bestCount
    /// Time from a moment to the tick at which its features are made, µs.
    package static let delayMicroseconds = Int64(Autocorrelation.delayTicks) * Tick.microseconds

    private var sampleGuard = SampleGuard()
    private var diagnostics = MotionDiagnostics()
    private var resampler = Resampler()
    private var rateGauge = SampleRateEstimator()
    private var front = MotionFront()
    private var memory = [Float](repeating: 0, count: MotionFeatures.count)

    /// A recorder that has seen nothing.
    package init() {}

    /// Takes a sample, and gives the time, sensors and features of each moment that follows from it. A signal with a
    /// gap begins anew.
    package mutating func process(
        _ sample: MotionSample, _ body: (_ timeMicroseconds: Int64, SensorSet, _ features: [Float]) -> Void
    ) {
        var sample = sample
        guard sampleGuard.admit(&sample, &diagnostics) != .ignored else { return }
        if resampler.isGap(before: sample.timeMicroseconds) {
            resampler.disarm()
            front.reset()
        }
        rateGauge.push(sample.timeMicroseconds)
        resampler.accept(sample)
        while resampler.isTickDue {
            let tick = resampler.tick(rate: rateGauge)
            front.push(tick)
            if tick.index % Int64(SignalWindow.blockTicks) == 0 { evaluate(tick, body) }
        }
        resampler.rest()
    }

    private mutating func evaluate(_ tick: Tick, _ body: (Int64, SensorSet, [Float]) -> Void) {
        memory.withUnsafeMutableBufferPointer { front.evaluate(into: $0) }
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
