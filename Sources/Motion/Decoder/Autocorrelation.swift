/// The normalised autocorrelation of a ``SignalWindow`` on the ``PeriodAxis``, around the moment 2.8 s ago.
///
/// Products of a signal with its past are summed by block of 10 ticks and by lag; a curve adds up the blocks that lie
/// around the moment, and divides by the geometric mean of both energies and a noise floor, as the normalised
/// cross-correlation of pitch trackers does (D. Talkin, "A robust algorithm for pitch tracking", 1995). A window is two
/// periods long, between 1.2 s and 3.2 s; the short curves take one, between 0.8 s and 1.2 s, and show edges.
struct Autocorrelation {
    /// The curves, in the order of the model's table.
    enum Curve: Int, CaseIterable {
        case norm, vector, envelope, turning, shortNorm, shortVector
    }

    /// Floats from one curve to the next: the last value of a curve is repeated, because periods beyond the axis are
    /// asked for.
    static let stride = PeriodAxis.count + 2 * PeriodAxis.placesPerOctave

    /// Blocks that are kept.
    private static let blockCount = 9
    /// Lags 0…84 ticks.
    private static let lagCount = 85
    /// Ticks from the moment to the newest: 2.8 s.
    static let delayTicks = 70
    /// What a tick of noise adds to an energy: |a|, acceleration and envelope, (m/s²)², angular velocity, (rad/s)².
    private static let floors = SIMD4<Float>(0.02, 0.04, 0.01, 0.005)

    /// Sums of products of |a|, acceleration, envelope and angular velocity by block, the newest last, and lag.
    private var products = [SIMD4<Float>](repeating: .zero, count: blockCount * lagCount)
    /// Memory for curves, not state: sums of the products up to a block, and of squares up to a row.
    private var sums = [SIMD4<Float>](repeating: .zero, count: (blockCount + 1) * lagCount)
    private var energies = [SIMD4<Float>](repeating: .zero, count: SignalWindow.tickCount + 1)

    /// Takes the newest block of a window.
    mutating func push(_ window: borrowing SignalWindow) {
        products.withUnsafeMutableBufferPointer { products in
            guard let first = products.baseAddress else { return }
            first.update(from: first + Self.lagCount, count: (Self.blockCount - 1) * Self.lagCount)
        }
        sum(block: Self.blockCount - 1, window)
    }

    /// Takes all blocks of a window.
    mutating func restore(_ window: borrowing SignalWindow) {
        // The newest block of a window that is not being evaluated is not complete.
        for block in 0..<Self.blockCount { sum(block: block, window, shift: SignalWindow.blockTicks) }
    }

    private mutating func sum(block: Int, _ window: borrowing SignalWindow, shift: Int = 0) {
        let end = SignalWindow.tickCount - shift - (Self.blockCount - 1 - block) * SignalWindow.blockTicks
        let base = block * Self.lagCount
        window.moved.withUnsafeBufferPointer { moved in
            window.turned.withUnsafeBufferPointer { turned in
                products.withUnsafeMutableBufferPointer { products in
                    for lag in 0..<Self.lagCount {
                        var (movement, turning) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
                        for row in (end - SignalWindow.blockTicks)..<end {
                            movement += moved[row] * moved[row - lag]
                            turning += turned[row] * turned[row - lag]
                        }
                        products[base + lag] = SIMD4(
                            movement.w, movement.x + movement.y + movement.z, turning.w,
                            turning.x + turning.y + turning.z)
                    }
                }
            }
        }
    }

    /// Writes the curves, ``stride`` floats each.
    mutating func write(_ window: borrowing SignalWindow, to curves: UnsafeMutableBufferPointer<Float>) {
        sumEnergies(window)
        sumBlocks()
        sums.withUnsafeBufferPointer { sums in
            energies.withUnsafeBufferPointer { energies in
                Self.longPlaces.withUnsafeBufferPointer { places in
                    for place in 0..<PeriodAxis.count {
                        let value = Self.similarity(places[place], sums, energies)
                        for curve in 0..<4 { curves[curve &* Self.stride &+ place] = value[curve] }
                    }
                }
                Self.shortPlaces.withUnsafeBufferPointer { places in
                    for place in 0..<PeriodAxis.count {
                        let value = Self.similarity(places[place], sums, energies)
                        curves[Curve.shortNorm.rawValue &* Self.stride &+ place] = value[0]
                        curves[Curve.shortVector.rawValue &* Self.stride &+ place] = value[1]
                    }
                }
            }
        }
        for curve in 0..<Curve.allCases.count {
            let end = curve * Self.stride + PeriodAxis.count
            for place in end..<(curve + 1) * Self.stride { curves[place] = curves[end - 1] }
        }
    }

    private mutating func sumEnergies(_ window: borrowing SignalWindow) {
        var energy = SIMD4<Float>.zero
        energies[0] = energy
        for row in 0..<SignalWindow.tickCount {
            let (moved, turned) = (window.moved[row] * window.moved[row], window.turned[row] * window.turned[row])
            energy += SIMD4(moved.w, moved.x + moved.y + moved.z, turned.w, turned.x + turned.y + turned.z)
            energies[row + 1] = energy
        }
    }

    private mutating func sumBlocks() {
        products.withUnsafeBufferPointer { products in
            sums.withUnsafeMutableBufferPointer { sums in
                for lag in 0..<Self.lagCount { sums[lag] = .zero }
                for index in 0..<Self.blockCount &* Self.lagCount {
                    sums[index &+ Self.lagCount] = sums[index] + products[index]
                }
            }
        }
    }

    @inline(__always)
    private static func similarity(
        _ place: Place, _ sums: UnsafeBufferPointer<SIMD4<Float>>,
        _ energies: UnsafeBufferPointer<SIMD4<Float>>
    ) -> SIMD4<Float> {
        let (from, to) = (place.firstSum, place.endSum)
        var product = (sums[to] - sums[from]) * place.weights.x
        product += (sums[to &+ 1] - sums[from &+ 1]) * place.weights.y
        product += (sums[to &+ 2] - sums[from &+ 2]) * place.weights.z
        product += (sums[to &+ 3] - sums[from &+ 3]) * place.weights.w
        let (start, end, lag) = (place.firstRow, place.endRow, place.nearestLag)
        // Sums of squares that grow: no difference is negative.
        let now = energies[end] - energies[start] + place.floor
        let past = energies[end &- lag] - energies[start &- lag] + place.floor
        return product / (now * past).squareRoot()
    }

    /// Which blocks and lags a period's similarity is made of.
    private struct Place {
        /// Where the sums of its first lag begin and end.
        var firstSum: Int
        var endSum: Int
        /// The rows of the window.
        var firstRow: Int
        var endRow: Int
        /// The lag nearest to the period, in ticks.
        var nearestLag: Int
        /// What noise adds to the energies.
        var floor: SIMD4<Float>
        /// Weights of the lags around the period: a cubic (R. Keys, "Cubic convolution interpolation", 1981).
        var weights: SIMD4<Float>

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
            nearestLag = Int(ticks.rounded())
            let f = ticks - Float(lag)
            let (square, cube) = (f * f, f * f * f)
            weights =
                0.5 * SIMD4(-f + 2 * square - cube, 2 - 5 * square + 3 * cube, f + 4 * square - 3 * cube, cube - square)
        }
    }

    private static let longPlaces = PeriodAxis.ticks.map { Place(ticks: $0, halfWindow: min(max($0, 15), 40)) }
    private static let shortPlaces = PeriodAxis.ticks.map { Place(ticks: $0, halfWindow: min(max($0 / 2, 10), 15)) }
}
