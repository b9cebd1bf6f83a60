/// The normalised autocorrelation of a ``SignalWindow`` on the ``PeriodAxis``, around the moment 2.8 s ago.
///
/// Lagged products are summed by block of 10 ticks. A curve adds the blocks around the moment, and divides by the
/// geometric mean of both energies with a noise floor: the normalised cross-correlation of pitch trackers (D. Talkin,
/// "A robust algorithm for pitch tracking", 1995). The window is two periods, between 1.2 s and 3.2 s; that of the
/// short curves is one, between 0.8 s and 1.2 s, and shows edges.
struct Autocorrelation {
    /// Ticks from the moment to the newest, 2.8 s: half of the longest window and half of the longest period lie after
    /// it.
    static let delayTicks = 70
    /// Half of a window, ticks: one period between these bounds, as in pitch trackers (Talkin 1995). That of the short
    /// curves is half a period.
    static let halfWindow: ClosedRange<Float> = 15...40
    static let shortHalfWindow: ClosedRange<Float> = 10...15
    /// Noise floors of energies a tick: |a|, acceleration and envelope, (m/s²)², angular velocity, (rad/s)². Their
    /// roots, 0.14, 0.2 and 0.1 m/s² and 0.07 rad/s, are noise, a pulse, or one step of a coarse sensor.
    static let floors = SIMD4<Float>(0.02, 0.04, 0.01, 0.005)

    /// The curves, in the order of the model's table.
    enum Curve: Int, CaseIterable {
        case norm, vector, envelope, turning, shortNorm, shortVector
    }

    /// Floats from one curve to the next. The last value is repeated for taps beyond the axis.
    static let stride = PeriodAxis.count + 2 * PeriodAxis.placesPerOctave

    /// Blocks in the ring.
    private static let blockCount = 9
    /// Lags 0…84 ticks.
    private static let lagCount = 85
    /// Vectors of memory for the curves: cumulative sums by block, and values by period.
    static let memoryCount = (blockCount + 1) * lagCount + 2 * PeriodAxis.count

    /// Sums of products of |a|, acceleration, envelope and angular velocity by block and lag: a ring of blocks.
    private var products = [SIMD4<Float>](repeating: .zero, count: blockCount * lagCount)
    /// The index of the oldest block.
    private var oldest = 0

    /// Whether the restored place lies in the ring.
    var isSound: Bool { oldest < Self.blockCount }

    /// Takes the newest block of a window.
    mutating func push(_ window: EvaluatedWindow) {
        sum(window, until: SignalWindow.tickCount, into: oldest)
        oldest = oldest + 1 < Self.blockCount ? oldest + 1 : 0
    }

    /// Takes all complete blocks of a restored window.
    mutating func restore(_ window: borrowing SignalWindow) {
        withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: EvaluatedWindow.memoryCount) { memory in
            let window = EvaluatedWindow(window, in: memory)
            for block in 0..<Self.blockCount {
                let age = Self.blockCount - block
                let place = (oldest + block) % Self.blockCount
                sum(window, until: SignalWindow.tickCount - age * SignalWindow.blockTicks, into: place)
            }
        }
    }

    /// Sums the products of the block that ends at a row.
    private mutating func sum(_ window: EvaluatedWindow, until end: Int, into block: Int) {
        let (base, moved, turned) = (block * Self.lagCount, window.moved, window.turned)
        products.withUnsafeMutableBufferPointer { products in
            for lag in 0..<Self.lagCount {
                var (movement, turning) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
                for row in (end &- SignalWindow.blockTicks)..<end {
                    movement += moved[row] * moved[row &- lag]
                    turning += turned[row] * turned[row &- lag]
                }
                products[base &+ lag] = EvaluatedWindow.channels(movement, turning)
            }
        }
    }

    /// Writes the curves of the window last pushed, ``stride`` floats each.
    /// - Parameter memory: ``memoryCount`` vectors.
    func write(
        _ window: EvaluatedWindow, to curves: UnsafeMutableBufferPointer<Float>,
        _ memory: UnsafeMutableBufferPointer<SIMD4<Float>>
    ) {
        guard !isQuiet(window) else {
            curves[..<(Curve.allCases.count * Self.stride)].update(repeating: 0)
            return
        }
        let sums = UnsafeMutableBufferPointer(rebasing: memory[..<((Self.blockCount + 1) * Self.lagCount)])
        let values = UnsafeMutableBufferPointer(rebasing: memory[sums.count..<Self.memoryCount])
        sumBlocks(into: sums)
        Self.places.withUnsafeBufferPointer { places in
            for place in 0..<values.count {
                values[place] = Self.similarity(places[place], UnsafeBufferPointer(sums), window)
            }
        }
        // In a second loop: otherwise the compiler computes all of it lane by lane.
        for place in 0..<PeriodAxis.count {
            let (long, short) = (values[place], values[PeriodAxis.count &+ place])
            curves[place] = long.x
            curves[Self.stride &+ place] = long.y
            curves[2 &* Self.stride &+ place] = long.z
            curves[3 &* Self.stride &+ place] = long.w
            curves[4 &* Self.stride &+ place] = short.x
            curves[5 &* Self.stride &+ place] = short.y
        }
        for curve in 0..<Curve.allCases.count {
            let end = curve * Self.stride + PeriodAxis.count
            for place in end..<(curve + 1) * Self.stride { curves[place] = curves[end - 1] }
        }
    }

    /// Whether the whole window is below the noise floor: then all curves are 0.
    private func isQuiet(_ window: EvaluatedWindow) -> Bool {
        let least = Self.floors * Float(SignalWindow.tickCount)
        let energy = window.energy(0..<SignalWindow.tickCount)
        return energy.x < least.x && energy.y < least.y && energy.w < least.w
    }

    /// Computes cumulative sums over the blocks.
    private func sumBlocks(into sums: UnsafeMutableBufferPointer<SIMD4<Float>>) {
        products.withUnsafeBufferPointer { products in
            for lag in 0..<Self.lagCount {
                var sum = SIMD4<Float>.zero
                sums[lag] = sum
                for number in 0..<Self.blockCount {
                    let block = oldest &+ number
                    let from = (block < Self.blockCount ? block : block &- Self.blockCount) &* Self.lagCount
                    sum += products[from &+ lag]
                    sums[(number &+ 1) &* Self.lagCount &+ lag] = sum
                }
            }
        }
    }

    @inline(__always)
    private static func similarity(
        _ place: Place, _ sums: UnsafeBufferPointer<SIMD4<Float>>, _ window: EvaluatedWindow
    ) -> SIMD4<Float> {
        let (from, to) = (place.firstSum, place.endSum)
        var product = (sums[to] - sums[from]) * place.weights.0
        product += (sums[to &+ 1] - sums[from &+ 1]) * place.weights.1
        product += (sums[to &+ 2] - sums[from &+ 2]) * place.weights.2
        product += (sums[to &+ 3] - sums[from &+ 3]) * place.weights.3
        let now = window.energy(from: place.firstRow, to: place.endRow) + place.floor
        let past = window.energy(from: place.firstPast, to: place.endPast) + place.floor
        return product * inverseRoot(now * past)
    }

    /// 1/√x of positive numbers, by an estimate from the exponent and three Newton steps, exact but for rounding (C.
    /// Lomont, "Fast inverse square root", 2003). Swift computes SIMD square roots lane by lane.
    @inline(__always)
    private static func inverseRoot(_ x: SIMD4<Float>) -> SIMD4<Float> {
        let bits = SIMD4<UInt32>(repeating: 0x5f37_59df) &- (unsafeBitCast(x, to: SIMD4<UInt32>.self) &>> 1)
        var root = unsafeBitCast(bits, to: SIMD4<Float>.self)
        let half = x * 0.5
        root *= 1.5 - half * root * root
        root *= 1.5 - half * root * root
        root *= 1.5 - half * root * root
        return root
    }

    /// The blocks and lags of a period.
    private struct Place {
        /// The indices of the cumulative sums of its first lag.
        var firstSum: Int
        var endSum: Int
        /// The rows of the window.
        var firstRow: Int
        var endRow: Int
        /// The rows before these by the lag nearest to the period.
        var firstPast: Int
        var endPast: Int
        /// The noise floor of the energies.
        var floor: SIMD4<Float>
        /// Weights of the four lags around the period.
        var weights: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)

        init(ticks: Float, halfWindow: Float) {
            let count = Int((2 * halfWindow / Float(SignalWindow.blockTicks)).rounded())
            let age = (Float(delayTicks) - halfWindow - ticks / 2) / Float(SignalWindow.blockTicks)
            let endBlock = blockCount - min(max(Int(age.rounded()), 0), blockCount - count)
            let lag = Int(ticks)
            endSum = endBlock * lagCount + lag - 1
            firstSum = endSum - count * lagCount
            endRow = SignalWindow.tickCount - (blockCount - endBlock) * SignalWindow.blockTicks
            firstRow = endRow - count * SignalWindow.blockTicks
            floor = floors * Float(endRow - firstRow)
            let nearestLag = Int(ticks.rounded())
            (firstPast, endPast) = (firstRow - nearestLag, endRow - nearestLag)
            let own = Cubic.weights(ticks - Float(lag))
            weights = (
                SIMD4(repeating: own.x), SIMD4(repeating: own.y), SIMD4(repeating: own.z), SIMD4(repeating: own.w)
            )
        }
    }

    /// The long curves, then the short ones.
    private static let places =
        PeriodAxis.ticks.map { Place(ticks: $0, halfWindow: held($0, in: halfWindow)) }
        + PeriodAxis.ticks.map { Place(ticks: $0, halfWindow: held($0 / 2, in: shortHalfWindow)) }

    private static func held(_ ticks: Float, in range: ClosedRange<Float>) -> Float {
        min(max(ticks, range.lowerBound), range.upperBound)
    }
}
