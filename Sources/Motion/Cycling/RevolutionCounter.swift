/// Counts crank revolutions by integrating the pedalling rate.
struct RevolutionCounter {
    /// Periods searched, in ticks: 0.32…3.1 s, 19…187 rpm.
    static let lags = 8...78
    static let openingStrength: Float = 0.45
    static let closingStrength: Float = 0.30
    static let openingEvaluations = 3
    /// Sensor noise: less movement than this is none, m/s² and rad/s.
    static let accelerationFloor: Float = 0.02
    static let turningFloor: Float = 0.006
    static let stopShare: Float = 0.45
    static let delayMicroseconds: Int64 = 800_000

    private(set) var isOpen = false
    /// Revolutions a second.
    private(set) var rate: Float = 0
    private(set) var strength: Float = 0
    private var agreeing = 0
    private var rise = RiseHistory()
    private var integrator = PhaseIntegrator()

    mutating func push(shortDeviation: Float, tick: Int64) {
        rise.push(shortDeviation, tick: tick)
    }

    /// Whether anything moves that could be pedalling.
    static func moves(_ features: SignalFeatures) -> Bool {
        features.vectorDeviation > accelerationFloor || features.turningDeviation > turningFloor
    }

    mutating func evaluate(curve: LagCurve, features: SignalFeatures, into events: inout MotionEvents) {
        guard Self.moves(features), !hasStopped(features), let peak = strongPeak(curve) else {
            close(features, into: &events)
            return
        }
        let found = 1 / (peak.lag * Tick.seconds)
        let agrees = agreeing > 0 && abs(found - rate) <= 0.15 * rate
        agreeing = agrees ? min(agreeing + 1, 100) : 1
        rate = found
        strength = min(peak.height, 1)
        if !isOpen, agreeing >= Self.openingEvaluations {
            isOpen = true
            integrator.start(at: rise.onset(reference: shortDeviation(features), before: features.timeMicroseconds))
        }
        if isOpen {
            let settled = features.timeMicroseconds - Self.delayMicroseconds
            integrator.advance(to: settled, ratePerSecond: rate, unit: .revolutions, into: &events)
        }
    }

    private func strongPeak(_ curve: LagCurve) -> LagCurve.Peak? {
        guard let peak = curve.firstStrongPeak(in: Self.lags, share: 0.85) else { return nil }
        return peak.height > (isOpen ? Self.closingStrength : Self.openingStrength) ? peak : nil
    }

    func shortDeviation(_ features: SignalFeatures) -> Float {
        features.sensors.contains(.acceleration) ? features.shortVectorDeviation : features.shortTurningDeviation
    }

    func slowDeviation(_ features: SignalFeatures) -> Float {
        features.sensors.contains(.acceleration) ? features.vectorDeviation : features.turningDeviation
    }

    private func hasStopped(_ features: SignalFeatures) -> Bool {
        shortDeviation(features) < Self.stopShare * slowDeviation(features)
    }

    mutating func close(_ features: SignalFeatures, into events: inout MotionEvents) {
        if isOpen {
            let end = rise.fall(reference: slowDeviation(features), before: features.timeMicroseconds)
            integrator.advance(to: end, ratePerSecond: rate, unit: .revolutions, into: &events)
        }
        isOpen = false
        agreeing = 0
        rate = 0
        strength = 0
    }

    mutating func settle(at timeMicroseconds: Int64, into events: inout MotionEvents) {
        if isOpen {
            integrator.advance(to: timeMicroseconds, ratePerSecond: rate, unit: .revolutions, into: &events)
        }
        isOpen = false
        agreeing = 0
        rate = 0
        strength = 0
        rise = RiseHistory()
    }

    mutating func rebase() {
        integrator.reset()
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&isOpen)
        coder.code(&rate)
        coder.code(&strength)
        coder.code(&agreeing, in: 0...100)
        rise.transfer(&coder)
        integrator.transfer(&coder)
    }
}
