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
