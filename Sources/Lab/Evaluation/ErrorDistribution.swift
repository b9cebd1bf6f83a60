/// The distribution of errors.
package struct ErrorDistribution: Sendable {
    let count: Int
    /// The middle one; the mean of the two in the middle of an even count.
    let median: Double
    package let mean: Double
    /// The least error that nine in ten do not exceed (nearest rank).
    let ninetiethPercentile: Double

    /// Nil where there are no errors.
    package init?(_ errors: [Double]) {
        guard !errors.isEmpty else { return nil }
        let sorted = errors.sorted()
        count = sorted.count
        median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
        mean = sorted.reduce(0, +) / Double(count)
        ninetiethPercentile = sorted[(count * 9 + 9) / 10 - 1]
    }
}
