/// From ticks to what the counters look at: filters, lag products and energies of every sensor.
struct SignalFrontEnd {
    /// Forgetting per tick: exp(−0.04 s / 2.5 s) for gait.
    static let gaitDecay: Float = 0.984_127
    /// exp(−0.04 s / 4 s) for pedalling, which is steadier.
    static let bikeDecay: Float = 0.990_050
    /// Lags followed on a person: up to 2.5 s; nothing slower is looked for there.
    private static let personGroupCount = 8
    /// The same on a leg, which pedals slowly without anything slow beside it: up to 3.2 s.
    private static let legGroupCount = LagProducts.groupCount
    /// The numbers of the voices.
    private static let accelerationVoice = 0
    private static let turningVoice = 1
    private static let normVoice = 2
    private static let fieldVoice = 2

    private(set) var gauge = UnitDetector()
    private var accelerationFilter = BandFilter()
    private var joltAxis = VerticalAxisEstimator()
    private var turningFilter = BandFilter()
    private var fieldFilter = BandFilter()
    private var levels = LevelControl()
    private var lags: LagProducts
    private let acceleration: AutocorrelationChannel
    private let turning: AutocorrelationChannel
    /// |a|, on a person, and the magnetic field, on a bike.
    private let norm: AutocorrelationChannel
    private let field: AutocorrelationChannel
    private(set) var energies = SignalEnergies()
    private(set) var sensors: SensorSet = []
    /// Whether the lag products hold levelled signals (on a person) or plain ones (on a bike).
    let isLevelled: Bool

    init(isLevelled: Bool, isLeg: Bool) {
        self.isLevelled = isLevelled
        let person = isLeg ? Self.legGroupCount : Self.personGroupCount
        let groupCount = isLevelled ? person : LagProducts.groupCount
        acceleration = AutocorrelationChannel(
            number: Self.accelerationVoice, channelCount: 3, groupCount: groupCount,
            decay: isLevelled ? Self.gaitDecay : Self.bikeDecay, isFresh: !isLevelled)
        turning = AutocorrelationChannel(
            number: Self.turningVoice, channelCount: 3, groupCount: groupCount, decay: Self.bikeDecay,
            isSparse: isLevelled, isFresh: !isLevelled)
        norm = AutocorrelationChannel(
            number: Self.normVoice, channelCount: 1, groupCount: groupCount, decay: Self.gaitDecay)
        field = AutocorrelationChannel(
            number: Self.fieldVoice, channelCount: 3, groupCount: groupCount, decay: Self.bikeDecay, isFresh: true)
        lags = LagProducts([acceleration, turning, isLevelled ? norm : field])
    }

    /// Goes on for another bearer with what the sensors said of late, whose period has yet to be found.
    func turned(isLevelled: Bool) -> SignalFrontEnd {
        var front = SignalFrontEnd(isLevelled: isLevelled, isLeg: false)
        (front.gauge, front.joltAxis) = (gauge, joltAxis)
        (front.accelerationFilter, front.turningFilter) = (accelerationFilter, turningFilter)
        (front.fieldFilter, front.energies) = (fieldFilter, energies)
        return front
    }

    /// The slow mean of the acceleration, m/s².
    var gravity: SIMD4<Float> { accelerationFilter.mean }
    /// How fast the sensor goes on turning the same way, rad/s.
    var spin: Float { turningFilter.mean.axesSquareSum.squareRoot() }

    mutating func reset() {
        accelerationFilter = BandFilter()
        joltAxis = VerticalAxisEstimator()
        turningFilter = BandFilter()
        fieldFilter = BandFilter()
        levels = LevelControl()
        lags.reset()
        energies.reset()
        sensors = []
    }

    /// Brings the lag products up to date before they are looked at: those of a signal that no counter would look at
    /// pass. A bike's are of the last moments alone, so that a sensor that hears its noise alone needs none. Of a bike
    /// whose period is heard clearly half of them say enough.
    mutating func settle(_ features: SignalFeatures, needsTurning: Bool, isClear: Bool) {
        if sensors.contains(.acceleration) { gauge.doubt(accelerationFilter.mean, turnsOver: !isLevelled) }
        let isMoving = features.mayBePedalling(isOnBike: !isLevelled)
        settle(acceleration, isWanted: isMoving && (isLevelled || features.hasAcceleration), isSparse: isClear)
        settle(
            turning, isWanted: isMoving && needsTurning && (isLevelled || features.hasTurning), isSparse: isClear)
        settle(
            isLevelled ? norm : field,
            isWanted: isLevelled ? isMoving : energies.slowDeviation(.field) > MagnetometerEvidence.floor,
            isSparse: isClear)
        lags.endWait()
    }

    private mutating func settle(_ voice: AutocorrelationChannel, isWanted: Bool, isSparse: Bool) {
        if isWanted, lags.energy(voice) > 0 { lags.settle(voice, isSparse: isSparse) } else { lags.pass(voice) }
    }

    /// Forgets what the lag products remember, and keeps the filters.
    mutating func forgetPeriod() {
        lags.reset()
    }

    /// Filters ticks of the same sensors.
    @inline(__always)
    mutating func filter(_ ticks: UnsafeBufferPointer<Tick>, into filtered: UnsafeMutableBufferPointer<FilteredTick>) {
        guard let first = ticks.first else { return }
        let heard = first.sensors
        if heard.contains(.acceleration) {
            if gauge.isSettling { weigh(first.acceleration) }
            prime(first.acceleration * gauge.scale)
        }
        if heard.contains(.angularVelocity) { turningFilter.prime(first.angularVelocity) }
        if heard.contains(.magneticField) { fieldFilter.prime(first.magneticField) }
        // Most devices send six axes: a loop that need not ask for them is theirs.
        if heard == .sixAxes {
            filterPrimed(ticks, .sixAxes, into: filtered)
        } else {
            filterPrimed(ticks, heard, into: filtered)
        }
        if sensors != heard { follow(heard, filtered[0].squares.vector) }
    }

    @inline(__always)
    private mutating func filterPrimed(
        _ ticks: UnsafeBufferPointer<Tick>, _ heard: SensorSet, into filtered: UnsafeMutableBufferPointer<FilteredTick>
    ) {
        var (acceleration, turning) = (accelerationFilter, turningFilter)
        let (scale, isWithoutGravity) = (gauge.scale, gauge.isWithoutGravity)
        let nothing = BandFilter.Output(low: .zero, detrended: .zero, change: .zero)
        for index in 0..<filtered.count {
            var moved = nothing
            if heard.contains(.acceleration) {
                var input = ticks[index].acceleration * scale
                if isWithoutGravity { input = joltAxis.raise(input) }
                moved = acceleration.filter(input)
            }
            let turned = heard.contains(.angularVelocity) ? turning.filter(ticks[index].angularVelocity).low : .zero
            let magnetic =
                heard.contains(.magneticField) ? fieldFilter.filter(ticks[index].magneticField).low : .zero
            let squares = SignalEnergies.squares(
                moved.low, wide: moved.detrended, change: moved.change, turned: turned, field: magnetic.axesSquareSum)
            filtered.initializeElement(
                at: index,
                to: FilteredTick(
                    moved: moved.low, turned: turned, magnetic: magnetic, squares: EightFloats(squares)))
        }
        accelerationFilter.resume(acceleration)
        turningFilter.resume(turning)
    }

    /// Begins with gravity where it will be, in the sensor's signal or put there.
    @inline(__always)
    private mutating func prime(_ acceleration: SIMD4<Float>) {
        var first = acceleration
        if gauge.isWithoutGravity { first.w = UnitDetector.standardGravity }
        accelerationFilter.prime(first)
    }

    /// Takes the energies of filtered ticks.
    @inline(__always)
    mutating func weigh(_ ticks: UnsafeMutableBufferPointer<FilteredTick>, _ range: Range<Int>) {
        energies.push(ticks, range)
    }

    /// Whether ticks must be worked on one by one, because one may turn out to be in another unit.
    var isSettling: Bool { gauge.isSettling }

    /// Remembers filtered ticks, all of the same sensors.
    @inline(__always)
    mutating func remember(_ ticks: UnsafeMutableBufferPointer<FilteredTick>) {
        // Most devices send six axes: here, too, a loop that need not ask for them is theirs.
        let isSixAxes = sensors == .sixAxes
        if isLevelled {
            if isSixAxes { rememberLevelled(ticks, .sixAxes) } else { rememberLevelled(ticks, sensors) }
        } else {
            if isSixAxes { rememberPlain(ticks, .sixAxes) } else { rememberPlain(ticks, sensors) }
        }
    }

    private mutating func weigh(_ measured: SIMD4<Float>) {
        if gauge.weigh(measured) { forgetAcceleration() }
    }

    /// Takes the device's word that its acceleration is in m/s² and without gravity.
    mutating func tellWithoutGravity() {
        if gauge.tellWithoutGravity() { forgetAcceleration() }
    }

    /// Begins anew with what was taken for something else.
    private mutating func forgetAcceleration() {
        accelerationFilter = BandFilter()
        joltAxis = VerticalAxisEstimator()
        forgetAccelerationPeriod()
    }

    private mutating func forgetAccelerationPeriod() {
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
            forgetAccelerationPeriod()
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
    private mutating func rememberLevelled(
        _ ticks: UnsafeMutableBufferPointer<FilteredTick>, _ sensors: SensorSet
    ) {
        levels.level(ticks)
        var energies = SIMD4(lags.energy(acceleration), lags.energy(norm), lags.energy(turning), 0)
        let decays = SIMD4(Self.gaitDecay, Self.gaitDecay, Self.bikeDecay, 0)
        lags.push(count: ticks.count) { index, rows in
            let tick = ticks[index]
            energies = energies * decays + tick.levelledSquares
            if sensors.contains(.acceleration) {
                rows.write(voice: Self.accelerationVoice, tick.moved, energy: energies.x)
                rows.write(voice: Self.normVoice, tick.moved.w, energy: energies.y)
            }
            if sensors.contains(.angularVelocity) {
                rows.write(voice: Self.turningVoice, tick.turned, energy: energies.z)
            }
        }
    }

    /// Remembers the signals of a bike.
    @inline(__always)
    private mutating func rememberPlain(_ ticks: UnsafeMutableBufferPointer<FilteredTick>, _ sensors: SensorSet) {
        var energies = SIMD4(lags.energy(acceleration), lags.energy(turning), lags.energy(field), 0)
        lags.push(count: ticks.count) { index, rows in
            let tick = ticks[index]
            let squares = tick.squares.vector
            energies =
                energies * Self.bikeDecay
                + SIMD4(
                    squares[SignalEnergies.Lane.vector.rawValue], squares[SignalEnergies.Lane.turning.rawValue],
                    squares[SignalEnergies.Lane.field.rawValue], 0)
            if sensors.contains(.acceleration) {
                rows.write(voice: Self.accelerationVoice, tick.moved, energy: energies.x)
            }
            if sensors.contains(.angularVelocity) {
                rows.write(voice: Self.turningVoice, tick.turned, energy: energies.y)
            }
            if sensors.contains(.magneticField) {
                rows.write(voice: Self.fieldVoice, tick.magnetic, energy: energies.z)
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

    /// Adds the similarity of the last moments to what was at each lag before them, times a weight, to `curve`, on a
    /// bike.
    func addFreshSimilarity(of sensor: SensorSet, weight: Float, to curve: inout LagCurve) {
        lags.addFreshSimilarity(voice(of: sensor), weight: weight, to: &curve)
    }

    /// Along how many axes one sensor moved of late, 1…3, on a bike.
    @inline(__always)
    func axisCount(of sensor: SensorSet) -> Float { lags.axisCount(voice(of: sensor)) }

    private func voice(of sensor: SensorSet) -> AutocorrelationChannel {
        sensor == .acceleration ? acceleration : sensor == .angularVelocity ? turning : field
    }

    /// What one (rad/s)² weighs beside one (m/s²)², so that both sensors speak equally.
    @inline(__always)
    var turningWeight: Float {
        guard !isLevelled else { return 1 }
        let turning = energies.slowSquare(.turning)
        guard turning > RevolutionThresholds.turningFloor * RevolutionThresholds.turningFloor else { return 0 }
        let ratio = energies.slowSquare(.vector) / turning
        return ratio > 0 ? ratio : 1
    }

    /// Reads what a bike's sensors said from so many ticks ago on, the oldest first, each on its own scale:
    /// acceleration in lanes 0…2, angular velocity in lanes 4…6; where neither is heard, the magnetic field.
    @inline(__always)
    func read(into channels: UnsafeMutableBufferPointer<EightFloats>, oldestAge: Int, turningScale: Float) {
        let hearsFieldAlone = sensors.isSubset(of: .magneticField)
        lags.read(
            hearsFieldAlone ? field : acceleration, hearsFieldAlone ? nil : turning, secondScale: turningScale,
            oldestAge: oldestAge, into: channels)
    }

    @inline(__always)
    func features(tick: Tick, isOnCrank: Bool) -> SignalFeatures {
        SignalFeatures(
            vectorDeviation: energies.slowDeviation(.vector), normDeviation: energies.slowDeviation(.norm),
            shortVectorDeviation: energies.shortDeviation(.vector), shortNormDeviation: energies.shortDeviation(.norm),
            shortWideDeviation: energies.shortDeviation(.wide), shortTremor: energies.shortDeviation(.change),
            turningDeviation: energies.slowDeviation(.turning),
            shortTurningDeviation: energies.shortDeviation(.turning),
            fieldDeviation: energies.slowDeviation(.field), shortFieldDeviation: energies.shortDeviation(.field),
            roughness: energies.roughness, normRoughness: energies.normRoughness,
            isWithoutGravity: gauge.isWithoutGravity, sensors: tick.sensors, isOnCrank: isOnCrank,
            timeMicroseconds: Tick.endMicroseconds(ofTick: tick.index), tick: tick.index)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        gauge.transfer(&coder)
        accelerationFilter.transfer(&coder)
        joltAxis.transfer(&coder)
        turningFilter.transfer(&coder)
        fieldFilter.transfer(&coder)
        levels.transfer(&coder)
        lags.transfer(&coder, [acceleration, turning, isLevelled ? norm : field])
        energies.transfer(&coder)
        coder.code(&sensors)
    }
}
