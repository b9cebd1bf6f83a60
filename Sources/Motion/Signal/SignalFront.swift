/// From ticks to what the counters look at: filters, lag products and energies of every sensor.
struct SignalFront {
    /// Forgetting per tick: exp(−0.04 s / 2.5 s) for gait.
    static let gaitDecay: Float = 0.984_127
    /// exp(−0.04 s / 4 s) for pedalling, which is steadier.
    static let bikeDecay: Float = 0.990_050
    /// Lags followed on a person: up to 2.5 s; nothing slower is looked for there.
    private static let personGroupCount = 8
    /// Levels under which a signal is not raised, m/s² and rad/s.
    private static let accelerationLevelFloor: Float = 0.2
    private static let turningLevelFloor: Float = 0.05

    private(set) var gauge = UnitGauge()
    private var accelerationFilter = BandFilter()
    private var turningFilter = BandFilter()
    private var fieldFilter = BandFilter()
    private var accelerationLevel = LevelControl()
    private var normLevel = LevelControl()
    private var turningLevel = LevelControl()
    private(set) var acceleration: LagProducts
    private(set) var norm: LagProducts
    private(set) var turning: LagProducts
    private(set) var energies = SignalEnergies()
    private(set) var sensors: SensorSet = []
    /// The newest filtered |a|, m/s².
    private(set) var filteredNorm: Float = 0
    /// Whether the lag products hold levelled signals (on a person) or plain ones (on a bike).
    let isLevelled: Bool

    init(isLevelled: Bool) {
        self.isLevelled = isLevelled
        let groupCount = isLevelled ? Self.personGroupCount : LagProducts.groupCount
        acceleration = LagProducts(
            channelCount: 3, groupCount: groupCount, decay: isLevelled ? Self.gaitDecay : Self.bikeDecay)
        norm = LagProducts(channelCount: 1, groupCount: groupCount, decay: Self.gaitDecay)
        turning = LagProducts(
            channelCount: 3, groupCount: groupCount, decay: Self.bikeDecay, isSparse: isLevelled)
    }

    mutating func reset() {
        accelerationFilter = BandFilter()
        turningFilter = BandFilter()
        fieldFilter = BandFilter()
        accelerationLevel = LevelControl()
        normLevel = LevelControl()
        turningLevel = LevelControl()
        acceleration.reset()
        norm.reset()
        turning.reset()
        energies.reset()
        filteredNorm = 0
        sensors = []
    }

    /// Brings the lag products up to date before they are looked at: those of a signal that no counter would look at pass.
    mutating func settle(isMoving: Bool, needsTurning: Bool) {
        if isMoving {
            acceleration.settle()
            norm.settle()
        } else {
            acceleration.pass()
            norm.pass()
        }
        if isMoving, needsTurning {
            turning.settle()
        } else {
            turning.pass()
        }
    }

    /// Forgets what the lag products remember, and keeps the filters.
    mutating func forgetPeriod() {
        acceleration.reset()
        norm.reset()
        turning.reset()
    }

    @inline(__always)
    mutating func push(_ tick: Tick) {
        sensors = tick.sensors
        var squares = SIMD8<Float>.zero
        if sensors.contains(.acceleration) { squares = pushAcceleration(tick) }
        if sensors.contains(.angularVelocity) { squares[SignalEnergies.Lane.turning.rawValue] = pushTurning(tick) }
        if sensors.contains(.magneticField) {
            squares[SignalEnergies.Lane.field.rawValue] = fieldFilter.filter(tick.magneticField).axesSquareSum
        }
        energies.push(squares)
    }

    /// The square of the filtered angular velocity.
    @inline(__always)
    private mutating func pushTurning(_ tick: Tick) -> Float {
        let filtered = turningFilter.filter(tick.angularVelocity)
        let square = filtered.axesSquareSum
        if isLevelled {
            let levelled = turningLevel.level(filtered, square: square, floor: Self.turningLevelFloor)
            turning.push(levelled, square: levelled.axesSquareSum)
        } else {
            turning.push(filtered, square: square)
        }
        return square
    }

    /// The squares of acceleration, in the lanes of ``SignalEnergies``.
    @inline(__always)
    private mutating func pushAcceleration(_ tick: Tick) -> SIMD8<Float> {
        if gauge.isSettling { weigh(tick.acceleration) }
        let filtered = accelerationFilter.filter(tick.acceleration * gauge.scale)
        filteredNorm = filtered.w
        let square = filtered.axesSquareSum
        pushLags(filtered, square: square)
        let (wide, change) = (accelerationFilter.detrended, accelerationFilter.difference)
        return SIMD8(
            square, filtered.w * filtered.w, wide.axesSquareSum, change.axesSquareSum, 0, 0, wide.w * wide.w,
            change.w * change.w)
    }

    private mutating func weigh(_ measured: SIMD4<Float>) {
        guard gauge.weigh(measured) else { return }
        accelerationFilter = BandFilter()
        acceleration.reset()
        norm.reset()
    }

    @inline(__always)
    private mutating func pushLags(_ filtered: SIMD4<Float>, square: Float) {
        guard isLevelled else {
            acceleration.push(filtered, square: square)
            return
        }
        let floor = Self.accelerationLevelFloor
        let levelled = accelerationLevel.level(filtered, square: square, floor: floor)
        acceleration.push(levelled, square: levelled.axesSquareSum)
        let normSquare = filtered.w * filtered.w
        let norm = normLevel.level(SIMD4(filtered.w, 0, 0, 0), square: normSquare, floor: floor)
        self.norm.push(norm, square: norm.x * norm.x)
    }

    /// What one (rad/s)² weighs beside one (m/s²)², so that both sensors speak equally.
    @inline(__always)
    var turningWeight: Float {
        guard !isLevelled else { return 1 }
        let turning = energies.slowSquare(.turning)
        guard turning > RevolutionGate.turningFloor * RevolutionGate.turningFloor else { return 0 }
        let ratio = energies.slowSquare(.vector) / turning
        return ratio > 0 ? ratio : 1
    }

    /// The newest filtered values of all axes, each sensor on its own scale: acceleration in lanes 0…2, angular
    /// velocity in lanes 4…6.
    @inline(__always)
    func channels(turningWeight: Float) -> SIMD8<Float> {
        SIMD8(lowHalf: acceleration.newest, highHalf: turning.newest * turningWeight.squareRoot())
    }

    /// The newest values of all axes times those a lag before, and the mean of both squares, on the scale of acceleration.
    @inline(__always)
    func pair(lag: Int, turningWeight weight: Float) -> (product: Float, energy: Float) {
        let (turningProduct, turningEnergy) = turning.pair(lag: lag)
        let (product, energy) = acceleration.pair(lag: lag)
        return (product + weight * turningProduct, energy + weight * turningEnergy)
    }

    @inline(__always)
    func features(tick: Tick) -> SignalFeatures {
        SignalFeatures(
            vectorDeviation: energies.slowDeviation(.vector), normDeviation: energies.slowDeviation(.norm),
            shortVectorDeviation: energies.shortDeviation(.vector), shortNormDeviation: energies.shortDeviation(.norm),
            turningDeviation: energies.slowDeviation(.turning),
            shortTurningDeviation: energies.shortDeviation(.turning),
            roughness: energies.roughness, normRoughness: energies.normRoughness, sensors: tick.sensors,
            timeMicroseconds: Tick.endMicroseconds(ofTick: tick.index), tick: tick.index)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        gauge.transfer(&coder)
        accelerationFilter.transfer(&coder)
        turningFilter.transfer(&coder)
        fieldFilter.transfer(&coder)
        accelerationLevel.transfer(&coder)
        normLevel.transfer(&coder)
        turningLevel.transfer(&coder)
        acceleration.transfer(&coder)
        norm.transfer(&coder)
        turning.transfer(&coder)
        energies.transfer(&coder)
        coder.code(&sensors)
    }
}
