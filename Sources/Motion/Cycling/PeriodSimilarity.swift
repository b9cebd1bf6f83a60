/// How similar a bike's last moments are to what was one, two, three, four, six and eight periods before, for each
/// period of the grid, and how much more so than to what was at any lag within a period: −½…1.
///
/// A signal that repeats itself and has no mean is, in the mean over the lags between two repetitions, unlike itself;
/// one that drifts slowly is like itself at every lag, and no period is seen in that.
struct PeriodSimilarity {
    /// The least that is believed: a knock on the machine says no more against a period than this.
    private static let least: Float = -0.5
    /// What is in the mean like itself as much as this may still be noise.
    private static let ordinaryMean: Float = 0.35
    /// Averaging for the fine reading of a period, an evaluation: 0.6 s.
    private static let smoothing: Float = 0.5

    /// The least similarity after a period of which half a period's is a share.
    private static let leastWhole: Float = 0.15

    private(set) var values = [Float](repeating: 0, count: PeriodGrid.paddedCount)
    private var smoothed = [Float](repeating: 0, count: PeriodGrid.paddedCount)

    /// What lies at the multiples of the longest period is zero.
    private static let reach = PeriodGrid.paddedCount + (PeriodGrid.multiples.last?.steps ?? 0)

    /// Takes the similarity of the last moments with their past at each lag.
    mutating func take(_ curve: LagCurve) {
        let grid = PeriodGrid.shared
        // Memory of more than 1 KiB would be asked for.
        withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.reach) { single in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: PeriodGrid.paddedCount) { drifts in
                guard let single = single.baseAddress, let drifts = drifts.baseAddress else { return }
                (single + PeriodGrid.count).update(repeating: 0, count: Self.reach - PeriodGrid.count)
                grid.values(of: curve, into: single)
                let drifting = grid.excesses(of: curve, above: Self.ordinaryMean, into: drifts)
                weigh(single, drifting ? drifts : nil, grid)
            }
        }
    }

    /// Takes note of moments that are like nothing.
    mutating func takeNothing() {
        for step in values.indices {
            values[step] = 0
            smoothed[step] *= 1 - Self.smoothing
        }
    }

    /// Weighs the similarity after each period and after its multiples, and takes the drift off that.
    private mutating func weigh(
        _ single: UnsafeMutablePointer<Float>, _ drifts: UnsafeMutablePointer<Float>?, _ grid: PeriodGrid
    ) {
        values.withUnsafeMutableBufferPointer { values in
            smoothed.withUnsafeMutableBufferPointer { smoothed in
                grid.multipleCounts.withUnsafeBufferPointer { counts in
                    guard let values = values.baseAddress, let smoothed = smoothed.baseAddress,
                        let counts = counts.baseAddress
                    else { return }
                    var step = 0
                    while step < PeriodGrid.paddedCount {
                        var similarity = Self.sum(single + step) / counts.eight(at: step)
                        if let drifts { similarity -= drifts.eight(at: step) / (1 - Self.ordinaryMean) }
                        let value = similarity.raised(to: .init(repeating: Self.least)).lowered(to: .one)
                        let before = smoothed.eight(at: step)
                        values.set(value, at: step)
                        smoothed.set(before + (value - before) * Self.smoothing, at: step)
                        step &+= 8
                    }
                }
            }
        }
    }

    /// The sums of what is at eight periods and at their multiples.
    @inline(__always)
    private static func sum(_ single: UnsafeMutablePointer<Float>) -> SIMD8<Float> {
        var sum = single.eight(at: 0)
        for multiple in 1..<PeriodGrid.multiples.count { sum += single.eight(at: PeriodGrid.multiples[multiple].steps) }
        return sum
    }

    /// The similarity of late at a period, and the period read finely: where the parabola through it and its neighbours
    /// is highest, ticks.
    func reading(at step: Int) -> (lag: Float, strength: Float) {
        guard step > 0, step < PeriodGrid.count - 1 else {
            return (PeriodGrid.shared.lags[step], smoothed[step])
        }
        let (left, middle, right) = (smoothed[step - 1], smoothed[step], smoothed[step + 1])
        let shift = min(max(Parabola.shift(left, middle, right), -1), 1)
        return (PeriodGrid.shared.lag(at: step, shift: shift), max(middle, 0))
    }

    /// How like the signal of late is to itself after half a period, as a share of what it is after a whole one: about
    /// −1 of a pure line, and more than 0 where the line at twice the frequency is the stronger one; nil where that is
    /// not looked for.
    func halfLikeness(at step: Int) -> Float? {
        guard step >= PeriodGrid.octave, step < PeriodGrid.count, smoothed[step] > Self.leastWhole else { return nil }
        // Even multiples of half a period are whole periods; what is asked for is the mean of the odd ones.
        let all = PeriodGrid.shared.multipleCounts[step - PeriodGrid.octave]
        let odd: Float = all > 2 ? 2 : 1
        return (all * smoothed[step - PeriodGrid.octave] / smoothed[step] - (all - odd)) / odd
    }

    mutating func reset() {
        for step in values.indices {
            values[step] = 0
            smoothed[step] = 0
        }
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(floats: &smoothed, range: 0..<PeriodGrid.count)
    }
}
