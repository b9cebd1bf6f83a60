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

    /// Lends the rows of the newest block, to be written.
    @inline(__always)
    mutating func write(_ body: (NewestRows) -> Void) {
        rows.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { body(NewestRows(start: start)) } }
    }

    /// The newest block in every row.
    struct NewestRows {
        fileprivate let start: UnsafeMutablePointer<Float>

        /// Writes the axes of a sensor at a tick's place in its block.
        @inline(__always)
        func set(_ sensor: Sensor, _ values: SIMD4<Float>, place: Int) {
            let row = start + (BikeWindow.place(sensor) &+ Tick.mostAtOnce &- 1 &- place)
            row[0] = values.x
            row[tickCount] = values.y
            row[2 &* tickCount] = values.z
        }
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

    /// Reads a block of values from an age in ticks on, the oldest first, with those of a second sensor, scaled, in the
    /// high half.
    func read(
        _ first: Sensor?, _ second: Sensor?, secondScale: Float, oldestAge: Int,
        into values: UnsafeMutableBufferPointer<EightFloats>
    ) {
        func vector(_ sensor: Sensor?, _ age: Int) -> SIMD4<Float> {
            guard let sensor else { return .zero }
            let place = Self.place(sensor) + age
            return SIMD4(rows[place], rows[place + Self.tickCount], rows[place + 2 * Self.tickCount], 0)
        }
        for index in values.indices {
            let age = oldestAge - index
            let (low, high) = (vector(first, age), vector(second, age) * secondScale)
            values.initializeElement(at: index, to: EightFloats(SIMD8(lowHalf: low, highHalf: high)))
        }
    }

    /// The effective number of axes along which a sensor moved, 1…3: the participation ratio `(tr C)² / tr C²` of the
    /// covariance C of its axes, which does not depend on the mounting; 1 without movement.
    func axisCount(_ sensor: Sensor) -> Float {
        let sums = rows.withUnsafeBufferPointer { rows in
            rows.baseAddress.map { Covariances($0 + Self.place(sensor)) } ?? Covariances()
        }
        let own = SIMD3(sums.xx.sum(), sums.yy.sum(), sums.zz.sum())
        let shared = SIMD3(sums.xy.sum(), sums.yz.sum(), sums.zx.sum())
        let squareSum = (own * own).sum() + 2 * (shared * shared).sum()
        return squareSum > 0 ? own.sum() * own.sum() / squareSum : 1
    }

    /// The covariances of three axes, as four partial sums each.
    private struct Covariances {
        var (xx, yy, zz) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
        var (xy, yz, zx) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)

        init() {}

        /// Not inlined: the compiler would otherwise sum lane by lane.
        @inline(never)
        init(_ x: UnsafePointer<Float>) {
            let (y, z) = (x + tickCount, x + 2 &* tickCount)
            var age = 0
            while age < lagCount {
                let (a, b, c) = (x.four(at: age), y.four(at: age), z.four(at: age))
                xx += a * a
                yy += b * b
                zz += c * c
                xy += a * b
                yz += b * c
                zx += c * a
                age &+= 4
            }
        }
    }

    mutating func copyRows(_ state: inout StateCopy) {
        state.elements(&rows, rows.indices)
    }
}
