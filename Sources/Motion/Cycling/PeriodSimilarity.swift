/// How similar a bike's last moments are to what was one, two, three, four, six and eight periods before, for each period of
/// the grid, and how much more so than to what was at any lag within a period: −½…1.
///
/// A signal that repeats itself and has no mean is, in the mean over the lags between two repetitions, unlike itself; one that drifts slowly is
/// like itself at every lag, and no period is seen in that.
struct PeriodSimilarity {
    /// The least that is believed: a knock on the machine says no more against a period than this.
    private static let least: Float = -0.5
    /// What is in the mean like itself as much as this may still be noise.
    private static let ordinaryMean: Float = 0.35
    /// Averaging for the fine reading of a period, an evaluation: 0.6 s.
    private static let smoothing: Float = 0.5

    /// The least similarity after a period of which half a period's is a share.
    private static let leastWhole: Float = 0.15

    private(set) var values = [Float](repeating: 0, count: PeriodGrid.count)
    private var smoothed = [Float](repeating: 0, count: PeriodGrid.count)
    /// Memory for evaluations, not state.
    private var single = [Float](repeating: 0, count: PeriodGrid.count)
    private var means = [Float](repeating: 0, count: PeriodGrid.count)

    /// Takes the similarity of the last moments with their past at each lag.
    mutating func take(_ curve: LagCurve) {
        let grid = PeriodGrid.shared
        grid.means(of: curve, into: &means)
        grid.values(of: curve, into: &single)
        single.withUnsafeBufferPointer { single in
            values.withUnsafeMutableBufferPointer { values in
                for step in 0..<PeriodGrid.count { values[step] = single[step] }
                for multiple in PeriodGrid.multiples.dropFirst() {
                    for step in 0..<(PeriodGrid.count - multiple.steps) {
                        values[step] += single[step + multiple.steps]
                    }
                }
            }
        }
        finish(grid)
    }

    /// Takes note of moments that are like nothing.
    mutating func takeNothing() {
        for step in values.indices {
            values[step] = 0
            smoothed[step] *= 1 - Self.smoothing
        }
    }

    private mutating func finish(_ grid: PeriodGrid) {
        values.withUnsafeMutableBufferPointer { values in
            smoothed.withUnsafeMutableBufferPointer { smoothed in
                grid.multipleCounts.withUnsafeBufferPointer { counts in
                    for step in 0..<PeriodGrid.count {
                        let drift = max(means[step] - Self.ordinaryMean, 0) / (1 - Self.ordinaryMean)
                        let similarity = values[step] / counts[step] - drift
                        values[step] = min(max(similarity, Self.least), 1)
                        smoothed[step] += (values[step] - smoothed[step]) * Self.smoothing
                    }
                }
            }
        }
    }

    /// The similarity of late at a period, and the period read finely: where the parabola through it and its neighbours
    /// is highest, ticks.
    func reading(at step: Int) -> (lag: Float, strength: Float) {
        guard step > 0, step < PeriodGrid.count - 1 else {
            return (PeriodGrid.shared.lags[step], smoothed[step])
        }
        let (left, middle, right) = (smoothed[step - 1], smoothed[step], smoothed[step + 1])
        let curvature = left - 2 * middle + right
        let shift = curvature < 0 ? min(max(0.5 * (left - right) / curvature, -1), 1) : 0
        return (PeriodGrid.shared.lag(at: step, shift: shift), max(middle, 0))
    }

    /// How like the signal of late is to itself after half a period, as a share of what it is after a whole one: about −1 of a
    /// pure line, and more than 0 where the line at twice the frequency is the stronger one; nil where that is not looked for.
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
