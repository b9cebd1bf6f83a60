/// Finds single footfalls: the peaks of a smoothed |a|.
///
/// Brajdic & Harle, "Walk detection and step counting on unconstrained smartphones" (UbiComp 2013), found windowed peaks of
/// a moving mean over 0.31 s, each the highest of a centred 0.59 s, among the most accurate for all places on the body.
struct FootfallDetector {
    /// The moving mean spans 7 ticks, 0.28 s.
    private static let smoothingTicks: Float = 7
    /// A peak is the highest within so many ticks on both sides: 0.24 s.
    static let reachTicks = 6
    /// A peak is told so many ticks after it stood: the reach and half of the mean.
    static let delayTicks: Int64 = 9

    /// The last values, newest first; the eighth is not used.
    private var values = EightFloats()
    /// The last means, newest first: 0…7 and 8…15.
    private var newerMeans = EightFloats()
    private var olderMeans = EightFloats()

    /// Takes the next value of the filtered |a|, m/s². The height of the peak that stood ``delayTicks`` ago, or nil.
    @inline(__always)
    mutating func push(_ value: Float) -> Float? {
        values.shift(in: value)
        let carried = newerMeans.vector[7]
        newerMeans.shift(in: (values.vector.sum() - values.vector[7]) / Self.smoothingTicks)
        olderMeans.shift(in: carried)
        let middle = newerMeans.vector[Self.reachTicks]
        guard middle > 0, middle > newerMeans.vector[Self.reachTicks - 1], middle >= newerMeans.vector[7] else {
            return nil
        }
        return isHighest(middle) ? middle : nil
    }

    private func isHighest(_ middle: Float) -> Bool {
        // The last three of the older ones are further away than the reach.
        var older = olderMeans.vector
        (older[5], older[6], older[7]) = (middle, middle, middle)
        return newerMeans.vector.max() <= middle && older.max() <= middle
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        values.transfer(&coder)
        newerMeans.transfer(&coder)
        olderMeans.transfer(&coder)
    }
}
