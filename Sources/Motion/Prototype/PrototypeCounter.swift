/// Feeds the prototype's rule with the signal at 30 Hz, on the line between samples, and integrates its cadence.
struct PrototypeCounter {
    private(set) var estimator: PrototypeEstimator
    private var integrator = PhaseIntegrator()
    private var lastTime: Int64 = -1
    private var lastValue: Float = 0
    /// The number of the next value at 30 Hz since 1970.
    private var nextIndex: Int64 = 0

    init(settings: PrototypeEstimator.Settings) {
        estimator = PrototypeEstimator(settings: settings)
    }

    mutating func process(_ sample: MotionSample, into events: inout MotionEvents) {
        guard let value = value(sample) else { return }
        let time = sample.timeMicroseconds
        guard lastTime >= 0 else {
            lastTime = time
            lastValue = value
            nextIndex = Self.index(atOrAfter: time)
            integrator.start(at: time)
            feed(until: time, value, from: time, into: &events)
            return
        }
        feed(until: time, value, from: lastTime, into: &events)
        lastTime = time
        lastValue = value
    }

    private mutating func feed(until time: Int64, _ value: Float, from start: Int64, into events: inout MotionEvents) {
        nextIndex = max(nextIndex, Self.index(atOrAfter: max(start, time - PhaseIntegrator.creditMicroseconds)))
        while Self.time(of: nextIndex) <= time {
            let at = Self.time(of: nextIndex)
            let fraction = time > start ? Float(at - start) / Float(time - start) : 1
            integrator.advance(
                to: at, ratePerSecond: estimator.cadenceRPM / 60, unit: .revolutions, into: &events)
            estimator.process(lastValue + (value - lastValue) * fraction)
            nextIndex += 1
        }
    }

    private func value(_ sample: MotionSample) -> Float? {
        let vector: SIMD3<Float>
        switch estimator.settings.sensor {
        case .acceleration where sample.sensors.contains(.acceleration): vector = sample.acceleration
        case .angularVelocity where sample.sensors.contains(.angularVelocity): vector = sample.angularVelocity
        case .magneticField where sample.sensors.contains(.magneticField): vector = sample.magneticField
        default: return nil
        }
        switch estimator.settings.axis {
        case .x: return vector.x
        case .y: return vector.y
        case .z: return vector.z
        }
    }

    private static func index(atOrAfter time: Int64) -> Int64 { (time * 3 + 99_999) / 100_000 }

    private static func time(of index: Int64) -> Int64 { index * 100_000 / 3 }

    mutating func reset() {
        estimator.reset()
        lastTime = -1
        lastValue = 0
    }

    mutating func rebase() {
        reset()
        integrator.reset()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        estimator.transfer(&coder)
        integrator.transfer(&coder)
        coder.code(time: &lastTime)
        coder.code(&lastValue)
        coder.code(&nextIndex, in: 0...Self.index(atOrAfter: SampleGuard.latestMicroseconds))
    }
}
