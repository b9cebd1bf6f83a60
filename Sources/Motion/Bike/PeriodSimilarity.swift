internal import CMotion

/// The comb score of each period of a ``PeriodGrid``: the mean of a bike's normalised autocorrelation (similarity) at
/// one, two, three, four, six and eight periods, less the drift, −½…1.
///
/// Between two repetitions the autocorrelation of a periodic signal without a mean averages to less than 0. That of a
/// slow drift is high at every lag: its mean over the lags within a period is taken off.
struct PeriodSimilarity {
    /// The lowest score, so that a knock on the machine counts no more against a period than this.
    private static let least: Float = -0.5
    /// A mean similarity within a period up to this may be noise; above it is drift.
    private static let ordinaryMean: Float = 0.35
    /// Gain an evaluation of the smoothed scores: a time constant of 0.6 s.
    private static let smoothing: Float = 0.5

    /// The half period is not compared with a whole period of less similarity than this.
    private static let leastWhole: Float = 0.15

    private(set) var values = [Float](repeating: 0, count: PeriodGrid.paddedCount)
    private var smoothed = [Float](repeating: 0, count: PeriodGrid.paddedCount)

    /// Takes the autocorrelation of the last moments.
    mutating func push(_ curve: LagCurve) {
        curve.withValues { curve in
            PeriodGrid.shared.lend { grid in
                motion_comb(
                    curve.baseAddress, grid, Self.ordinaryMean, Self.least, Self.smoothing, &values, &smoothed)
            }
        }
    }

    /// Takes an evaluation without a similarity.
    mutating func pushNothing() {
        for step in values.indices {
            values[step] = 0
            smoothed[step] *= 1 - Self.smoothing
        }
    }

    /// The smoothed score of a period, and the period in ticks at the top of the parabola through it and its
    /// neighbours.
    func reading(at step: Int) -> (lag: Float, strength: Float) {
        guard step > 0, step < PeriodGrid.count - 1 else {
            return (PeriodGrid.shared.lags[step], smoothed[step])
        }
        let (left, middle, right) = (smoothed[step - 1], smoothed[step], smoothed[step + 1])
        let shift = min(max(Parabola.shift(left, middle, right), -1), 1)
        return (PeriodGrid.shared.lag(at: step, shift: shift), max(middle, 0))
    }

    /// The similarity at half a period, as a share of that at the whole one: −1 for a single line, above 0 where the
    /// second harmonic is stronger. Nil where half the period lies outside the grid, or the similarity is too low.
    func halfPeriodShare(at step: Int) -> Float? {
        guard step >= PeriodGrid.octave, step < PeriodGrid.count, smoothed[step] > Self.leastWhole else { return nil }
        // Even multiples of half a period are whole periods: the mean of the odd ones is left.
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

    mutating func copyValues(_ state: inout StateCopy) {
        state.elements(&smoothed, smoothed.indices)
    }
}
