/// How similar a bike's last moments are to what was one, two, three, four, six and eight periods before, for each period of
/// the grid: −½…1.
struct PeriodSimilarity {
    /// The least that is believed: a knock on the machine says no more against a period than this.
    private static let least: Float = -0.5
    /// Averaging for the fine reading of a period, an evaluation: 1.2 s.
    private static let smoothing: Float = 0.3

    private(set) var values = [Float](repeating: 0, count: PeriodGrid.count)
    private var smoothed = [Float](repeating: 0, count: PeriodGrid.count)
    /// Memory for evaluations, not state.
    private var single = [Float](repeating: 0, count: PeriodGrid.count)

    /// Takes the similarity of the last moments with their past at each lag.
    mutating func take(_ curve: LagCurve) {
        let grid = PeriodGrid.shared
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
                        values[step] = min(max(values[step] / counts[step], Self.least), 1)
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
