/// The filters, autocorrelations and energies of a bike's or an undescribed sensor.
struct SignalFrontEnd {
    private(set) var gauge = UnitDetector()
    private var accelerationFilter = BandFilter()
    private var joltAxis = VerticalAxisEstimator()
    private var turningFilter = BandFilter()
    private var fieldFilter = BandFilter()
    private var lags = LagProducts()
    private var energies = SignalEnergies()
    private var sensors: SensorSet = []

    /// The slow mean of the acceleration, m/s².
    var gravity: SIMD4<Float> { accelerationFilter.mean }
    /// The slow mean of the angular velocity, rad/s.
    var spin: Float { turningFilter.mean.axesSquareSum.squareRoot() }

    /// - Parameter isOnBike: Whether there are lag products.
    mutating func reset(isOnBike: Bool) {
        accelerationFilter = BandFilter()
        joltAxis = VerticalAxisEstimator()
        turningFilter = BandFilter()
        fieldFilter = BandFilter()
        if isOnBike { lags.reset() }
        energies.reset()
        sensors = []
    }

    /// Doubts the unit of the acceleration, and whether it has gravity.
    /// - Parameter turnsOver: Whether the sensor may turn through gravity, as on a crank.
    mutating func doubtUnit(turnsOver: Bool) {
        if sensors.contains(.acceleration) { gauge.doubt(accelerationFilter.mean, turnsOver: turnsOver) }
    }

    /// Computes the autocorrelations of the sensors that exceed their noise.
    /// - Parameter isClear: Whether there is little noise, so that half of the products are enough.
    mutating func settle(_ features: SignalFeatures, isClear: Bool) {
        let isMoving = features.mayBePedalling
        settle(.acceleration, isWanted: isMoving && features.hasAcceleration, isSparse: isClear)
        settle(.turning, isWanted: isMoving && features.hasTurning, isSparse: isClear)
        settle(.field, isWanted: energies.slowDeviation(.field) > MagnetometerEvidence.floor, isSparse: isClear)
        lags.endWait()
    }

    private mutating func settle(_ channel: AutocorrelationChannel, isWanted: Bool, isSparse: Bool) {
        if isWanted, lags.energy(channel) > 0 { lags.settle(channel, isSparse: isSparse) } else { lags.pass(channel) }
    }

    /// Resets the autocorrelations, and keeps the filters.
    mutating func forgetPeriod() {
        lags.reset()
    }

    /// Filters ticks of the same sensors.
    @inline(__always)
    mutating func filter(_ ticks: UnsafeBufferPointer<Tick>, into filtered: UnsafeMutableBufferPointer<FilteredTick>) {
        guard let first = ticks.first else { return }
        let live = first.sensors
        if live.contains(.acceleration) {
            if gauge.isSettling, gauge.weigh(first.acceleration) { forgetAcceleration() }
            prime(first.acceleration * gauge.scale)
        }
        if live.contains(.angularVelocity) { turningFilter.prime(first.angularVelocity) }
        if live.contains(.magneticField) { fieldFilter.prime(first.magneticField) }
        // A specialised loop for six axes, which most devices send.
        if live == .sixAxes {
            filterPrimed(ticks, .sixAxes, into: filtered)
        } else {
            filterPrimed(ticks, live, into: filtered)
        }
        if sensors != live { follow(live) }
    }

    @inline(__always)
    private mutating func filterPrimed(
        _ ticks: UnsafeBufferPointer<Tick>, _ live: SensorSet, into filtered: UnsafeMutableBufferPointer<FilteredTick>
    ) {
        var (acceleration, turning) = (accelerationFilter, turningFilter)
        let (scale, isWithoutGravity) = (gauge.scale, gauge.isWithoutGravity)
        for index in 0..<filtered.count {
            var moved = SIMD4<Float>.zero
            if live.contains(.acceleration) {
                var input = ticks[index].acceleration * scale
                if isWithoutGravity { input = joltAxis.raise(input) }
                moved = acceleration.filter(input)
            }
            let turned = live.contains(.angularVelocity) ? turning.filter(ticks[index].angularVelocity) : .zero
            let magnetic = live.contains(.magneticField) ? fieldFilter.filter(ticks[index].magneticField) : .zero
            let squares = SignalEnergies.squares(moved, turned: turned, field: magnetic.axesSquareSum)
            filtered.initializeElement(
                at: index, to: FilteredTick(moved: moved, turned: turned, magnetic: magnetic, squares: squares))
        }
        accelerationFilter.resume(acceleration)
        turningFilter.resume(turning)
    }

    /// Begins with gravity, measured or restored.
    @inline(__always)
    private mutating func prime(_ acceleration: SIMD4<Float>) {
        var first = acceleration
        if gauge.isWithoutGravity { first.w = UnitDetector.standardGravity }
        accelerationFilter.prime(first)
    }

    /// Takes the energies of filtered ticks.
    @inline(__always)
    mutating func weigh(_ ticks: UnsafeMutableBufferPointer<FilteredTick>) {
        energies.push(ticks)
    }

    /// Whether ticks are filtered one by one, because the unit may change at any of them.
    var isSettling: Bool { gauge.isSettling }

    /// Takes the device's statement that its acceleration is in m/s² and without gravity.
    mutating func markWithoutGravity() {
        if gauge.markWithoutGravity() { forgetAcceleration() }
    }

    /// Restarts the filters of the acceleration, whose unit or gravity was wrong.
    private mutating func forgetAcceleration() {
        accelerationFilter = BandFilter()
        joltAxis = VerticalAxisEstimator()
        lags.reset(.acceleration)
    }

    /// Resets the autocorrelations of sensors that have fallen silent.
    private mutating func follow(_ live: SensorSet) {
        let silent = sensors.subtracting(live)
        if silent.contains(.acceleration) { lags.reset(.acceleration) }
        if silent.contains(.angularVelocity) { lags.reset(.turning) }
        if silent.contains(.magneticField) { lags.reset(.field) }
        sensors = live
    }

    /// Appends filtered ticks of the same sensors to the autocorrelations.
    @inline(__always)
    mutating func remember(_ ticks: UnsafeMutableBufferPointer<FilteredTick>) {
        // A specialised loop for six axes here, too.
        if sensors == .sixAxes { remember(ticks, .sixAxes) } else { remember(ticks, sensors) }
    }

    @inline(__always)
    private mutating func remember(_ ticks: UnsafeMutableBufferPointer<FilteredTick>, _ sensors: SensorSet) {
        var energies = SIMD4(lags.energy(.acceleration), lags.energy(.turning), lags.energy(.field), 0)
        lags.push(count: ticks.count) { index, rows in
            let tick = ticks[index]
            energies =
                energies * AutocorrelationChannel.decay
                + SIMD4(
                    tick.squares[SignalEnergies.Lane.vector.rawValue],
                    tick.squares[SignalEnergies.Lane.turning.rawValue],
                    tick.squares[SignalEnergies.Lane.field.rawValue], 0)
            if sensors.contains(.acceleration) { rows.write(.acceleration, tick.moved, energy: energies.x) }
            if sensors.contains(.angularVelocity) { rows.write(.turning, tick.turned, energy: energies.y) }
            if sensors.contains(.magneticField) { rows.write(.field, tick.magnetic, energy: energies.z) }
        }
    }

    /// Adds the normalised autocorrelation of one sensor, times a weight, to `curve`.
    func addSimilarity(of sensor: SensorSet, weight: Float, to curve: inout LagCurve) {
        lags.addSimilarity(channel(of: sensor), weight: weight, to: &curve)
    }

    /// The effective number of axes along which one sensor moved, 1…3.
    @inline(__always)
    func axisCount(of sensor: SensorSet) -> Float { lags.axisCount(channel(of: sensor)) }

    private func channel(of sensor: SensorSet) -> AutocorrelationChannel {
        sensor == .acceleration ? .acceleration : sensor == .angularVelocity ? .turning : .field
    }

    /// The weight of (rad/s)² relative to (m/s²)² that gives both sensors the same energy.
    @inline(__always)
    var turningWeight: Float {
        let turning = energies.slowSquare(.turning)
        guard turning > RevolutionThresholds.turningFloor * RevolutionThresholds.turningFloor else { return 0 }
        let ratio = energies.slowSquare(.vector) / turning
        return ratio > 0 ? ratio : 1
    }

    /// Reads filtered values from an age in ticks on, the oldest first: acceleration in lanes 0…2, scaled angular
    /// velocity in lanes 4…6; the magnetic field alone where there is neither.
    @inline(__always)
    func read(into channels: UnsafeMutableBufferPointer<EightFloats>, oldestAge: Int, turningScale: Float) {
        let hasFieldAlone = sensors.isSubset(of: .magneticField)
        lags.read(
            hasFieldAlone ? .field : .acceleration, hasFieldAlone ? nil : .turning,
            secondScale: turningScale, oldestAge: oldestAge, into: channels)
    }

    @inline(__always)
    func features(tick: Tick, isOnCrank: Bool) -> SignalFeatures {
        SignalFeatures(
            vectorDeviation: energies.slowDeviation(.vector), normDeviation: energies.slowDeviation(.norm),
            shortVectorDeviation: energies.shortDeviation(.vector), turningDeviation: energies.slowDeviation(.turning),
            shortTurningDeviation: energies.shortDeviation(.turning), fieldDeviation: energies.slowDeviation(.field),
            shortFieldDeviation: energies.shortDeviation(.field), sensors: tick.sensors, isOnCrank: isOnCrank,
            timeMicroseconds: Tick.endMicroseconds(ofTick: tick.index))
    }

    /// - Parameter isOnBike: Whether there are lag products.
    mutating func copy(_ state: inout StateCopy, isOnBike: Bool) {
        state.part(&self)
        state.expect(lags.isSound)
        if isOnBike { lags.copyRows(&state) }
    }
}

/// A band-pass for four channels at 25 Hz: a one-pole high-pass at 0.4 Hz removes gravity and slow turning, a
/// second-order Butterworth low-pass at 5 Hz (bilinear transform) removes what is faster than limbs.
struct BandFilter {
    /// 1 − exp(−2π · 0.4 Hz / 25 Hz).
    private static let meanGain: Float = 0.0956
    // With K = tan(π · 5 Hz / 25 Hz) and g = 1 / (1 + √2·K + K²): b = g·K²·(1, 2, 1), a = (1, 2g(K² − 1), g(1 − √2·K +
    // K²)).
    private static let b0: Float = 0.206_572
    private static let b1: Float = 0.413_144
    private static let a1: Float = -0.369_527
    private static let a2: Float = 0.195_816

    /// The share of the energy at a frequency, Hz, that it leaves.
    static func passed(_ hertz: Float) -> Float {
        let (low, high) = (hertz / lowCutoffHz, hertz / highCutoffHz)
        return low * low / (1 + low * low) / (1 + high * high * high * high)
    }
    private static let (lowCutoffHz, highCutoffHz): (Float, Float) = (0.4, 5)

    private var isPrimed = false
    /// The slow mean.
    private(set) var mean = SIMD4<Float>.zero
    private var state1 = SIMD4<Float>.zero
    private var state2 = SIMD4<Float>.zero

    /// Begins with the first input's mean, unless it has begun.
    @inline(__always)
    mutating func prime(_ input: SIMD4<Float>) {
        guard !isPrimed else { return }
        isPrimed = true
        mean = input
    }

    /// Takes the next input; ``prime(_:)`` with the first one before.
    @inline(__always)
    mutating func filter(_ input: SIMD4<Float>) -> SIMD4<Float> {
        mean += (input - mean) * Self.meanGain
        let high = input - mean
        let output = high * Self.b0 + state1
        state1 = high * Self.b1 - output * Self.a1 + state2
        state2 = high * Self.b0 - output * Self.a2
        return output
    }

    /// Takes over the state of a copy, part by part: the optimiser would keep a copy assigned as a whole in memory.
    @inline(__always)
    mutating func resume(_ copy: BandFilter) {
        mean = copy.mean
        state1 = copy.state1
        state2 = copy.state2
    }
}
