internal import CMotion

/// The front of a bike's or an undescribed sensor: ticks in, features and autocorrelations every 0.4 s out.
struct BikeFront {
    private var filters = BandFilters()
    private var window = BikeWindow()
    private var sensors: SensorSet = []

    /// The slow mean of the angular velocity, rad/s.
    var spin: Float { filters.turning.mean.axesSquareSum.squareRoot() }

    /// Takes ticks of the same sensors.
    /// - Parameter remembers: Whether autocorrelations are wanted of them.
    mutating func push(_ ticks: UnsafeMutableBufferPointer<Tick>, remembers: Bool) {
        guard let first = ticks.first else { return }
        follow(first, remembers: remembers)
        if remembers {
            window.write { filters.push(ticks, sensors, into: $0) }
        } else {
            filters.push(ticks, sensors, into: nil)
        }
    }

    /// Begins the signals of sensors that are new.
    @inline(__always)
    private mutating func follow(_ first: Tick, remembers: Bool) {
        if first.sensors.contains(.acceleration) { filters.acceleration.prime(first.acceleration) }
        if first.sensors.contains(.angularVelocity) { filters.turning.prime(first.angularVelocity) }
        if first.sensors.contains(.magneticField) { filters.field.prime(first.magneticField) }
        let new = first.sensors.subtracting(sensors)
        sensors = first.sensors
        guard remembers, !new.isEmpty else { return }
        if new.contains(.acceleration) { window.reset(.acceleration) }
        if new.contains(.angularVelocity) { window.reset(.turning) }
        if new.contains(.magneticField) { window.reset(.field) }
    }

    /// Begins the next block.
    mutating func advance() { window.advance(hasField: sensors.contains(.magneticField)) }

    /// Restarts the acceleration, whose unit or gravity was wrong.
    mutating func forgetAcceleration() {
        filters.acceleration = BandFilter()
        window.reset(.acceleration)
    }

    /// Adds the normalised autocorrelation of a sensor, times a weight, to `curve`.
    /// - Parameter isSparse: Whether there is little noise, so that every other tick is enough.
    func addSimilarity(of sensor: BikeWindow.Sensor, weight: Float, isSparse: Bool, to curve: inout LagCurve) {
        let meanSquare =
            switch sensor {
            case .acceleration: filters.energies.slowSquare(.vector)
            case .turning: filters.energies.slowSquare(.turning)
            case .field: filters.energies.slowSquare(.field)
            }
        window.addSimilarity(of: sensor, meanSquare: meanSquare, weight: weight, isSparse: isSparse, to: &curve)
    }

    /// The effective number of axes along which a sensor moved, 1…3.
    @inline(__always)
    func axisCount(of sensor: BikeWindow.Sensor) -> Float { window.axisCount(sensor) }

    /// The weight of (rad/s)² relative to (m/s²)² that gives both sensors the same energy.
    @inline(__always)
    var turningWeight: Float {
        let turning = filters.energies.slowSquare(.turning)
        guard turning > RevolutionThresholds.turningFloor * RevolutionThresholds.turningFloor else { return 0 }
        let ratio = filters.energies.slowSquare(.vector) / turning
        return ratio > 0 ? ratio : 1
    }

    /// Lends ten filtered ticks from an age on: acceleration and angular velocity, or the magnetic field alone where there is
    /// neither.
    func lendTicks(oldestAge: Int, _ body: (BikeWindow.Ticks) -> Void) {
        let field: BikeWindow.Sensor? = sensors == .magneticField ? .field : nil
        window.lend(
            sensors.contains(.acceleration) ? .acceleration : field,
            sensors.contains(.angularVelocity) ? .turning : nil, oldestAge: oldestAge, body)
    }

    @inline(__always)
    func features(tick: Tick, isOnCrank: Bool) -> SignalFeatures {
        SignalFeatures(
            vectorDeviation: filters.energies.slowDeviation(.vector),
            normDeviation: filters.energies.slowDeviation(.norm),
            shortVectorDeviation: filters.energies.shortDeviation(.vector),
            turningDeviation: filters.energies.slowDeviation(.turning),
            shortTurningDeviation: filters.energies.shortDeviation(.turning),
            fieldDeviation: filters.energies.slowDeviation(.field),
            shortFieldDeviation: filters.energies.shortDeviation(.field), sensors: tick.sensors, isOnCrank: isOnCrank,
            timeMicroseconds: Tick.endMicroseconds(ofTick: tick.index))
    }

    /// Forgets the signal.
    /// - Parameter isOnBike: Whether there are autocorrelations.
    mutating func reset(isOnBike: Bool) {
        if isOnBike { forgetPeriod() }
        filters = BandFilters()
        sensors = []
    }

    /// Forgets the values that autocorrelations are made of, and keeps the filters.
    mutating func forgetPeriod() { BikeWindow.Sensor.allCases.forEach { window.reset($0) } }

    /// - Parameter isOnBike: Whether there are autocorrelations.
    mutating func copy(_ state: inout StateCopy, isOnBike: Bool) {
        state.part(&self)
        if isOnBike { window.copyRows(&state) }
    }
}

/// The filters of a bike's sensors, and the energies of what they leave.
private struct BandFilters {
    var acceleration = BandFilter()
    var turning = BandFilter()
    var field = BandFilter()
    var energies = SignalEnergies()

    /// - Parameter rows: Those of the window, in which the newest block is written.
    mutating func push(
        _ ticks: UnsafeMutableBufferPointer<Tick>, _ sensors: SensorSet, into rows: UnsafeMutablePointer<Float>?
    ) {
        withUnsafeMutableBytes(of: &self) { filters in
            motion_band_pass(
                UnsafeRawPointer(ticks.baseAddress)?.assumingMemoryBound(to: motion_tick.self), ticks.count,
                sensors.rawValue, filters.baseAddress?.assumingMemoryBound(to: motion_bands.self), rows)
        }
    }
}

/// A band-pass for four channels at 25 Hz: a one-pole high-pass at 0.4 Hz removes gravity and slow turning, a
/// second-order Butterworth low-pass at 5 Hz (bilinear transform) removes what is faster than limbs.
struct BandFilter {
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
}
