internal import CMotion

/// The last 3.6 s of a bike's filtered signals at 25 Hz, and their autocorrelation `R[k] = Σ x[n]·x[n−k]` over the
/// newest 0.4 s, at lags up to 3.2 s. The sum over the axes is the trace of the lag covariance, so the mounting of the
/// sensor does not matter.
struct BikeWindow {
    /// Lags 0…79: 0…3.16 s.
    static let lagCount = CMotionBikeLags
    private static let tickCount = lagCount + Tick.mostAtOnce
    /// The similarity at a perfect period. What is expected of a crank, and of noise, was measured in this unit.
    static let perfect: Float = 1.046
    private static let axesPerSensor = 3
    /// The least energy, as a share of that of the last seconds. Far less is no signal.
    private static let leastShare: Float = 1e-3
    private static let leastEnergy: Float = 1e-9

    /// A sensor, whose axes have a row each.
    enum Sensor: Int, CaseIterable {
        case acceleration, turning, field
    }

    /// x, y and z of each sensor, the newest value of each first.
    private var rows = [Float](repeating: 0, count: Sensor.allCases.count * axesPerSensor * tickCount)

    private static func place(_ sensor: Sensor) -> Int { sensor.rawValue &* axesPerSensor &* tickCount }

    /// Lends the rows, of which the newest block is to be written.
    mutating func write(_ body: (UnsafeMutablePointer<Float>?) -> Void) {
        rows.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }

    /// Makes room for the next block. All rows move as one: where the newest values of a row will be written lie the
    /// oldest of the row before, and those of a silent sensor are not read.
    /// - Parameter hasField: Whether those of the field, which come last, move too.
    mutating func advance(hasField: Bool) {
        let count = hasField ? rows.count : Self.place(.field)
        rows.withUnsafeMutableBufferPointer { rows in
            guard let start = rows.baseAddress else { return }
            (start + Tick.mostAtOnce).update(from: start, count: count - Tick.mostAtOnce)
        }
    }

    /// Forgets a sensor.
    mutating func reset(_ sensor: Sensor) {
        let start = Self.place(sensor)
        for place in start..<start + Self.axesPerSensor * Self.tickCount { rows[place] = 0 }
    }

    /// Adds a sensor's normalised autocorrelation, times a weight, to `curve`, as McLeod and Wyvill have it ("A smarter way to
    /// find pitch", ICMC 2005).
    /// - Parameters:
    ///   - meanSquare: That of the last seconds.
    ///   - isSparse: Whether every other tick is enough. The signal ends at 5 Hz and a product at 10 Hz, whose mean needs
    ///     only 12.5 values a second where there is little noise.
    func addSimilarity(
        of sensor: Sensor, meanSquare: Float, weight: Float, isSparse: Bool, to curve: inout LagCurve
    ) {
        let step = isSparse ? 2 : 1
        let least = Float(Tick.mostAtOnce) * meanSquare * Self.leastShare + Self.leastEnergy
        rows.withUnsafeBufferPointer { rows in
            curve.withMutableValues { curve in
                motion_similarity(
                    rows.baseAddress.map { $0 + Self.place(sensor) }, least, 2 * Self.perfect * Float(step) * weight,
                    step - 1, step, curve.baseAddress)
            }
        }
    }

    /// The x of the oldest of ten ticks, for each of two sensors that there is.
    struct Ticks {
        let first, second: UnsafePointer<Float>?
    }

    /// Lends the ticks from an age on.
    func lend(_ first: Sensor?, _ second: Sensor?, oldestAge: Int, _ body: (Ticks) -> Void) {
        rows.withUnsafeBufferPointer { rows in
            func start(_ sensor: Sensor) -> UnsafePointer<Float>? {
                rows.baseAddress.map { $0 + Self.place(sensor) + oldestAge }
            }
            body(Ticks(first: first.flatMap(start), second: second.flatMap(start)))
        }
    }

    /// The effective number of axes along which a sensor moved, 1…3: the participation ratio `(tr C)² / tr C²` of the
    /// covariance C of its axes, which does not depend on the mounting; 1 without movement.
    func axisCount(_ sensor: Sensor) -> Float {
        rows.withUnsafeBufferPointer { rows in motion_axis_count(rows.baseAddress.map { $0 + Self.place(sensor) }) }
    }

    mutating func copyRows(_ state: inout StateCopy) {
        state.elements(&rows, rows.indices)
    }
}

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
