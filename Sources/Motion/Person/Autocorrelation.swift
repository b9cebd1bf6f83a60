internal import CMotion

/// The normalised autocorrelation of a ``SignalWindow`` on the ``PeriodAxis``, around the moment 2.8 s ago.
///
/// Lagged products are summed by block of 10 ticks. A curve adds the blocks around the moment, and divides by the
/// geometric mean of both energies with a noise floor: the normalised cross-correlation of pitch trackers (D. Talkin,
/// "A robust algorithm for pitch tracking", 1995). The window is two periods, between 1.2 s and 3.2 s; that of the
/// short curves is one, between 0.8 s and 1.2 s, and shows edges.
struct Autocorrelation {
    /// Ticks from the moment to the newest, 2.8 s: half of the longest window and half of the longest period lie after it.
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
    /// Lags 0…83 ticks.
    private static let lagCount = CMotionLagCount
    private static let blockFloats = lagCount * CMotionChannelCount
    /// Floats of memory for the curves: sums of blocks by lag, their energies, and values by period.
    static let memoryCount = plan.floatCount + 8 * plan.spans.count + 16 * PeriodAxis.count

    /// Sums of products of |a|, acceleration, envelope and angular velocity by block and lag: a ring of blocks.
    private var products = [Float](repeating: 0, count: blockCount * blockFloats + overhang)
    /// Floats that are read beyond the last lag, and not used.
    private static let overhang = 8
    /// The index of the oldest block.
    private var oldest = 0

    /// Whether the restored place lies in the ring.
    var isSound: Bool { (0..<Self.blockCount).contains(oldest) }

    /// Takes the newest block of a window.
    mutating func push(_ window: EvaluatedWindow) {
        sum(window, age: 1, into: oldest)
        oldest = oldest + 1 < Self.blockCount ? oldest + 1 : 0
    }

    /// Takes the newest blocks of a window whose rows are all written.
    /// - Parameter newestAge: 1 where the newest is complete.
    mutating func restore(_ window: EvaluatedWindow, newestAge: Int) {
        for block in 0..<Self.blockCount {
            let age = newestAge + Self.blockCount - 1 - block
            sum(window, age: age, into: (oldest + block) % Self.blockCount)
        }
    }

    /// Sums the products of a block.
    /// - Parameter age: 1 for the newest.
    private mutating func sum(_ window: EvaluatedWindow, age: Int, into block: Int) {
        let row = SignalWindow.tickCount - age * SignalWindow.blockTicks
        products.withUnsafeMutableBufferPointer { products in
            guard let products = products.baseAddress else { return }
            motion_products(window.rows + row * EvaluatedWindow.rowFloats, products + block * Self.blockFloats)
        }
    }

    /// Writes the curves of the window last pushed, ``stride`` floats each.
    /// - Parameter memory: ``memoryCount`` floats.
    func write(
        _ window: EvaluatedWindow, to curves: UnsafeMutablePointer<Float>, _ memory: UnsafeMutablePointer<Float>
    ) {
        guard !window.isQuiet else {
            curves.update(repeating: 0, count: Curve.allCases.count * Self.stride)
            return
        }
        let plan = Self.plan
        products.withUnsafeBufferPointer { products in
            withUnsafeTemporaryAllocation(of: UnsafePointer<Float>?.self, capacity: Self.blockCount) { blocks in
                for number in blocks.indices {
                    let block = oldest + number
                    let place = block < Self.blockCount ? block : block - Self.blockCount
                    blocks.initializeElement(at: number, to: products.baseAddress.map { $0 + place * Self.blockFloats })
                }
                motion_curves(
                    blocks.baseAddress, window.cumulativeSums, plan.spans, plan.spans.count, plan.floatCount,
                    plan.pasts, plan.pasts.count, plan.places, plan.places.count, Self.floorNumbers, memory, curves,
                    Self.stride)
            }
        }
        for curve in 0..<Curve.allCases.count {
            let end = curve * Self.stride + PeriodAxis.count
            for place in end..<(curve + 1) * Self.stride { curves[place] = curves[end - 1] }
        }
    }

    private static let floorNumbers = (0..<4).map { floors[$0] }

    private static let plan = Plan()

    /// The blocks and lags that the curves are made of. Neighbouring periods share the sums of their blocks.
    private struct Plan {
        var spans: [motion_span] = []
        /// Neighbouring short periods have the same.
        var pasts: [motion_past] = []
        var places: [motion_place] = []
        /// The floats of all spans.
        var floatCount = 0

        init() {
            let long = PeriodAxis.ticks.map { reading($0, halfWindow: Self.held($0, in: halfWindow)) }
            // Spans are complete before places are read from them.
            let short = PeriodAxis.ticks.map { reading($0, halfWindow: Self.held($0 / 2, in: shortHalfWindow)) }
            for span in spans.indices {
                spans[span].sum = floatCount
                floatCount += CMotionChannelCount * spans[span].lag_count
            }
            for (number, ticks) in PeriodAxis.ticks.enumerated() {
                let (one, other) = (long[number], short[number])
                let past = motion_past(
                    span: (8 * one.span, 8 * other.span),
                    first: (4 * one.past.lowerBound, 4 * other.past.lowerBound),
                    end: (4 * one.past.upperBound, 4 * other.past.upperBound))
                if pasts.last.map({ $0.span == past.span && $0.first == past.first && $0.end == past.end }) != true {
                    pasts.append(past)
                }
                let w = Cubic.weights(ticks - Float(Int(ticks)))
                places.append(
                    motion_place(
                        sum: (place(one), place(other)), past: 8 * (pasts.count - 1),
                        weights: (
                            w.x, w.x, w.x, w.x, w.y, w.y, w.y, w.y, w.z, w.z, w.z, w.z, w.w, w.w, w.w, w.w
                        )))
            }
        }

        /// Where the first of four lags stands in the sums.
        private func place(_ reading: Reading) -> Int {
            spans[reading.span].sum + CMotionChannelCount * reading.offset
        }

        /// The span of a curve, the first of four lags in it, and the rows before the span by the lag nearest to the period.
        private struct Reading {
            var (span, offset): (Int, Int)
            var past: Range<Int>
        }

        private mutating func reading(_ ticks: Float, halfWindow: Float) -> Reading {
            let blockTicks = SignalWindow.blockTicks
            let count = Int((2 * halfWindow / Float(blockTicks)).rounded())
            let age = (Float(delayTicks) - halfWindow - ticks / 2) / Float(blockTicks)
            let end = blockCount - min(max(Int(age.rounded()), 0), blockCount - count)
            let (firstLag, nearestLag) = (Int(ticks) - 1, Int(ticks.rounded()))
            let endRow = SignalWindow.tickCount - (blockCount - end) * blockTicks
            let firstRow = endRow - count * blockTicks
            if spans.last.map({ $0.first_block..<$0.end_block }) != end - count..<end {
                var span = motion_span()
                (span.first_block, span.end_block, span.first_lag) = (end - count, end, firstLag)
                (span.first_row, span.end_row) = (4 * firstRow, 4 * endRow)
                spans.append(span)
            }
            let last = spans.count - 1
            let offset = firstLag - spans[last].first_lag
            spans[last].lag_count = (offset + 7) / 4 * 4
            return Reading(span: last, offset: offset, past: firstRow - nearestLag..<endRow - nearestLag)
        }

        private static func held(_ ticks: Float, in range: ClosedRange<Float>) -> Float {
            min(max(ticks, range.lowerBound), range.upperBound)
        }
    }
}
