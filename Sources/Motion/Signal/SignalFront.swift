/// From ticks to what the counters look at: filters, lag products and energies of every sensor.
struct SignalFront {
    /// Forgetting per tick: exp(−0.04 s / 2.5 s) for gait.
    static let gaitDecay: Float = 0.984_127
    /// exp(−0.04 s / 4 s) for pedalling, which is steadier.
    static let bikeDecay: Float = 0.990_050

    private(set) var gauge = UnitGauge()
    private var accelerationFilter = BandFilter()
    private var turningFilter = BandFilter()
    private var fieldFilter = BandFilter()
    private(set) var acceleration = LagProducts(channelCount: 3)
    private(set) var norm = LagProducts(channelCount: 1)
    private(set) var turning = LagProducts(channelCount: 3)
    private(set) var energies = SignalEnergies()
    private(set) var sensors: SensorSet = []

    mutating func reset() {
        accelerationFilter = BandFilter()
        turningFilter = BandFilter()
        fieldFilter = BandFilter()
        acceleration.reset()
        norm.reset()
        turning.reset()
        energies.reset()
        sensors = []
    }

    /// Forgets what the lag products remember, and keeps the filters.
    mutating func forgetPeriod() {
        acceleration.reset()
        norm.reset()
        turning.reset()
    }

    mutating func push(_ tick: Tick, decay: Float) {
        var squares = SIMD8<Float>.zero
        sensors = tick.sensors
        if tick.sensors.contains(.acceleration) {
            pushAcceleration(tick, decay: decay, &squares)
        }
        if tick.sensors.contains(.angularVelocity) {
            let filtered = turningFilter.filter(tick.angularVelocity)
            turning.push(filtered, decay: Self.bikeDecay)
            squares[SignalEnergies.Lane.turning.rawValue] = filtered.axesSquareSum
        }
        if tick.sensors.contains(.magneticField) {
            let filtered = fieldFilter.filter(tick.magneticField)
            squares[SignalEnergies.Lane.field.rawValue] = filtered.axesSquareSum
        }
        energies.push(squares)
    }

    private mutating func pushAcceleration(_ tick: Tick, decay: Float, _ squares: inout SIMD8<Float>) {
        if gauge.weigh(tick.acceleration) {
            accelerationFilter = BandFilter()
            acceleration.reset()
            norm.reset()
        }
        let filtered = accelerationFilter.filter(tick.acceleration * gauge.scale)
        acceleration.push(filtered, decay: decay)
        norm.push(SIMD4(filtered.w, 0, 0, 0), decay: decay)
        squares[SignalEnergies.Lane.vector.rawValue] = filtered.axesSquareSum
        squares[SignalEnergies.Lane.norm.rawValue] = filtered.w * filtered.w
        squares[SignalEnergies.Lane.wide.rawValue] = accelerationFilter.detrended.axesSquareSum
        squares[SignalEnergies.Lane.change.rawValue] = accelerationFilter.difference.axesSquareSum
    }

    /// What one (rad/s)² weighs beside one (m/s²)², so that both sensors speak equally.
    var turningWeight: Float {
        let turning = energies.slowDeviation(.turning)
        guard turning > RevolutionCounter.turningFloor else { return 0 }
        let ratio = energies.slowDeviation(.vector) / turning
        return ratio > 0 ? ratio * ratio : 1
    }

    /// The newest filtered values of all axes, each sensor on its own scale: acceleration in lanes 0…2, angular
    /// velocity in lanes 4…6.
    var channels: SIMD8<Float> {
        SIMD8(lowHalf: acceleration.newest, highHalf: turning.newest * turningWeight.squareRoot())
    }

    func features(tick: Tick) -> SignalFeatures {
        SignalFeatures(
            vectorDeviation: energies.slowDeviation(.vector), normDeviation: energies.slowDeviation(.norm),
            shortVectorDeviation: energies.shortDeviation(.vector), shortNormDeviation: energies.shortDeviation(.norm),
            turningDeviation: energies.slowDeviation(.turning),
            shortTurningDeviation: energies.shortDeviation(.turning),
            roughness: energies.roughness, sensors: tick.sensors,
            timeMicroseconds: Tick.endMicroseconds(ofTick: tick.index), tick: tick.index)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        gauge.transfer(&coder)
        accelerationFilter.transfer(&coder)
        turningFilter.transfer(&coder)
        fieldFilter.transfer(&coder)
        acceleration.transfer(&coder)
        norm.transfer(&coder)
        turning.transfer(&coder)
        energies.transfer(&coder)
        coder.code(&sensors)
    }
}
