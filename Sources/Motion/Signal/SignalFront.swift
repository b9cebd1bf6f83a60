/// From ticks to what the counters look at: filters, lag products and energies of every sensor.
struct SignalFront {
    /// Forgetting per tick: exp(−0.04 s / 2.5 s) for gait.
    static let gaitDecay: Float = 0.984_127
    /// exp(−0.04 s / 4 s) for pedalling, which is steadier.
    static let bikeDecay: Float = 0.990_050
    /// Lags followed on a person: up to 2.5 s; nothing slower is looked for there.
    private static let personGroupCount = 8
    /// The numbers of the voices.
    private static let accelerationVoice = 0
    private static let turningVoice = 1
    private static let normVoice = 2
    private static let fieldVoice = 2

    private(set) var gauge = UnitGauge()
    private var accelerationFilter = BandFilter()
    private var turningFilter = BandFilter()
    private var fieldFilter = BandFilter()
    private var levels = LevelControl()
    private var lags: LagProducts
    private let acceleration: LagVoice
    private let turning: LagVoice
    /// |a|, on a person, and the magnetic field, on a bike.
    private let norm: LagVoice
    private let field: LagVoice
    private(set) var energies = SignalEnergies()
    private(set) var sensors: SensorSet = []
    /// The newest filtered |a|, m/s².
    private(set) var filteredNorm: Float = 0
    /// Whether the lag products hold levelled signals (on a person) or plain ones (on a bike).
    let isLevelled: Bool

    init(isLevelled: Bool) {
        self.isLevelled = isLevelled
        let groupCount = isLevelled ? Self.personGroupCount : LagProducts.groupCount
        acceleration = LagVoice(
            number: Self.accelerationVoice, channelCount: 3, groupCount: groupCount,
            decay: isLevelled ? Self.gaitDecay : Self.bikeDecay, isFresh: !isLevelled)
        turning = LagVoice(
            number: Self.turningVoice, channelCount: 3, groupCount: groupCount, decay: Self.bikeDecay,
            isSparse: isLevelled, isFresh: !isLevelled)
        norm = LagVoice(number: Self.normVoice, channelCount: 1, groupCount: groupCount, decay: Self.gaitDecay)
        field = LagVoice(
            number: Self.fieldVoice, channelCount: 3, groupCount: groupCount, decay: Self.bikeDecay, isFresh: true)
        lags = LagProducts([acceleration, turning, isLevelled ? norm : field])
    }

    mutating func reset() {
        accelerationFilter = BandFilter()
        turningFilter = BandFilter()
        fieldFilter = BandFilter()
        levels = LevelControl()
        lags.reset()
        energies.reset()
        filteredNorm = 0
        sensors = []
    }

    /// Brings the lag products up to date before they are looked at: those of a signal that no counter would look at pass.
    mutating func settle(isMoving: Bool, needsTurning: Bool) {
        settle(acceleration, isWanted: isMoving)
        settle(turning, isWanted: isMoving && needsTurning)
        settle(
            isLevelled ? norm : field,
            isWanted: isLevelled ? isMoving : energies.slowDeviation(.field) > FieldVoice.floor)
        lags.endWait()
    }

    private mutating func settle(_ voice: LagVoice, isWanted: Bool) {
        if isWanted, lags.energy(voice) > 0 { lags.settle(voice) } else { lags.pass(voice) }
    }

    /// Forgets what the lag products remember, and keeps the filters.
    mutating func forgetPeriod() {
        lags.reset()
    }

    /// Filters a tick and takes its energies.
    @inline(__always)
    mutating func filter(_ tick: Tick) -> FilteredTick {
        var (moved, wide, change) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
        var (turned, magnetic) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
        if tick.sensors.contains(.acceleration) {
            if gauge.isSettling { weigh(tick.acceleration) }
            moved = accelerationFilter.filter(tick.acceleration * gauge.scale)
            (wide, change) = (accelerationFilter.detrended, accelerationFilter.difference)
            filteredNorm = moved.w
        }
        if tick.sensors.contains(.angularVelocity) {
            turned = turningFilter.filter(tick.angularVelocity)
        }
        var squares = SignalEnergies.squares(moved, wide: wide, change: change, turned: turned)
        if tick.sensors.contains(.magneticField) {
            magnetic = fieldFilter.filter(tick.magneticField)
            squares[SignalEnergies.Lane.field.rawValue] = magnetic.axesSquareSum
        }
        if sensors != tick.sensors { follow(tick.sensors, squares) }
        energies.push(squares)
        return FilteredTick(
            moved: moved, turned: turned, magnetic: magnetic, squares: EightFloats(squares))
    }

    /// Whether ticks must be worked on one by one, because one may turn out to be in another unit.
    var isSettling: Bool { gauge.isSettling }

    /// Remembers filtered ticks, all of the same sensors.
    @inline(__always)
    mutating func remember(_ ticks: UnsafeBufferPointer<FilteredTick>) {
        if isLevelled { rememberLevelled(ticks) } else { rememberPlain(ticks) }
    }

    private mutating func weigh(_ measured: SIMD4<Float>) {
        guard gauge.weigh(measured) else { return }
        accelerationFilter = BandFilter()
        lags.reset(acceleration)
        if isLevelled { lags.reset(norm) }
    }

    /// Begins with the sensors that are heard now, and forgets those that are not.
    private mutating func follow(_ heard: SensorSet, _ squares: SIMD8<Float>) {
        let (new, silent) = (heard.subtracting(sensors), sensors.subtracting(heard))
        if new.contains(.acceleration) {
            levels.begin(.acceleration, square: squares[SignalEnergies.Lane.vector.rawValue])
            levels.begin(.norm, square: squares[SignalEnergies.Lane.norm.rawValue])
        }
        if new.contains(.angularVelocity) {
            levels.begin(.turning, square: squares[SignalEnergies.Lane.turning.rawValue])
        }
        if silent.contains(.acceleration) {
            levels.end(.acceleration)
            levels.end(.norm)
            lags.reset(acceleration)
            if isLevelled { lags.reset(norm) }
        }
        if silent.contains(.angularVelocity) {
            levels.end(.turning)
            lags.reset(turning)
        }
        if silent.contains(.magneticField), !isLevelled { lags.reset(field) }
        sensors = heard
    }

    /// Remembers the signals of a person.
    @inline(__always)
    private mutating func rememberLevelled(_ ticks: UnsafeBufferPointer<FilteredTick>) {
        let sensors = sensors
        var levels = levels
        lags.push(count: ticks.count) { index, rows in
            let tick = ticks[index]
            let squares = tick.squares.vector
            let factors = levels.factors(
                squares: SIMD4(
                    squares[SignalEnergies.Lane.vector.rawValue], squares[SignalEnergies.Lane.norm.rawValue],
                    squares[SignalEnergies.Lane.turning.rawValue], 0))
            if sensors.contains(.acceleration) {
                let move = tick.moved * factors.x
                rows.write(voice: Self.accelerationVoice, move, square: move.axesSquareSum, decay: Self.gaitDecay)
                rows.write(voice: Self.normVoice, tick.moved.w * factors.y, decay: Self.gaitDecay)
            }
            if sensors.contains(.angularVelocity) {
                let turn = tick.turned * factors.z
                rows.write(voice: Self.turningVoice, turn, square: turn.axesSquareSum, decay: Self.bikeDecay)
            }
        }
        self.levels = levels
    }

    /// Remembers the signals of a bike.
    @inline(__always)
    private mutating func rememberPlain(_ ticks: UnsafeBufferPointer<FilteredTick>) {
        let sensors = sensors
        lags.push(count: ticks.count) { index, rows in
            let tick = ticks[index]
            let squares = tick.squares.vector
            if sensors.contains(.acceleration) {
                rows.write(
                    voice: Self.accelerationVoice, tick.moved, square: squares[SignalEnergies.Lane.vector.rawValue],
                    decay: Self.bikeDecay)
            }
            if sensors.contains(.angularVelocity) {
                rows.write(
                    voice: Self.turningVoice, tick.turned, square: squares[SignalEnergies.Lane.turning.rawValue],
                    decay: Self.bikeDecay)
            }
            if sensors.contains(.magneticField) {
                rows.write(
                    voice: Self.fieldVoice, tick.magnetic, square: squares[SignalEnergies.Lane.field.rawValue],
                    decay: Self.bikeDecay)
            }
        }
    }

    /// Adds a signal's normalised similarity at each lag, times a weight, to `curve`.
    func addAccelerationSimilarity(weight: Float, to curve: inout LagCurve) {
        lags.addSimilarity(acceleration, weight: weight, to: &curve)
    }

    /// The same of |a|, on a person.
    func addNormSimilarity(weight: Float, to curve: inout LagCurve) {
        lags.addSimilarity(norm, weight: weight, to: &curve)
    }

    /// The same of angular velocity.
    func addTurningSimilarity(weight: Float, to curve: inout LagCurve) {
        lags.addSimilarity(turning, weight: weight, to: &curve)
    }

    /// Adds the similarity of the last moments to what was at each lag before them, times a weight, to `curve`, on a bike.
    func addFreshSimilarity(of sensor: SensorSet, weight: Float, to curve: inout LagCurve) {
        lags.addFreshSimilarity(voice(of: sensor), weight: weight, to: &curve)
    }

    /// Along how many axes one sensor moved of late, 1…3, on a bike.
    func axisCount(of sensor: SensorSet) -> Float { lags.axisCount(voice(of: sensor)) }

    private func voice(of sensor: SensorSet) -> LagVoice {
        sensor == .acceleration ? acceleration : sensor == .angularVelocity ? turning : field
    }

    /// What one (rad/s)² weighs beside one (m/s²)², so that both sensors speak equally.
    var turningWeight: Float {
        guard !isLevelled else { return 1 }
        let turning = energies.slowSquare(.turning)
        guard turning > RevolutionGate.turningFloor * RevolutionGate.turningFloor else { return 0 }
        let ratio = energies.slowSquare(.vector) / turning
        return ratio > 0 ? ratio : 1
    }

    /// What a bike's sensors said so many ticks ago, each on its own scale: acceleration in lanes 0…2, angular velocity in lanes
    /// 4…6; where neither is heard, the magnetic field.
    func channels(age: Int, turningWeight: Float) -> SIMD8<Float> {
        guard !sensors.isSubset(of: .magneticField) else {
            return SIMD8(lowHalf: lags.values(field, age: age), highHalf: .zero)
        }
        return SIMD8(
            lowHalf: lags.values(acceleration, age: age),
            highHalf: lags.values(turning, age: age) * turningWeight.squareRoot())
    }

    @inline(__always)
    func features(tick: Tick, isOnCrank: Bool) -> SignalFeatures {
        SignalFeatures(
            vectorDeviation: energies.slowDeviation(.vector), normDeviation: energies.slowDeviation(.norm),
            shortVectorDeviation: energies.shortDeviation(.vector), shortNormDeviation: energies.shortDeviation(.norm),
            turningDeviation: energies.slowDeviation(.turning),
            shortTurningDeviation: energies.shortDeviation(.turning),
            fieldDeviation: energies.slowDeviation(.field), shortFieldDeviation: energies.shortDeviation(.field),
            roughness: energies.roughness, normRoughness: energies.normRoughness, sensors: tick.sensors,
            isOnCrank: isOnCrank, timeMicroseconds: Tick.endMicroseconds(ofTick: tick.index), tick: tick.index)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        gauge.transfer(&coder)
        accelerationFilter.transfer(&coder)
        turningFilter.transfer(&coder)
        fieldFilter.transfer(&coder)
        levels.transfer(&coder)
        lags.transfer(&coder, [acceleration, turning, isLevelled ? norm : field])
        energies.transfer(&coder)
        coder.code(&sensors)
    }
}
