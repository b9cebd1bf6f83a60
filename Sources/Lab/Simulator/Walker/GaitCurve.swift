/// A quantity through one cycle of gait, drawn through points that are read off a figure.
///
/// Between the points goes the monotone cubic of F. N. Fritsch and J. Butland ("A method for constructing local monotone
/// piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5 (1984) 300), which is flat where the points are.
struct GaitCurve: Sendable {
    private let shares: [Double]
    private let values: [Double]
    private let slopes: [Double]

    /// A curve from percents of the cycle, the first 0 and the last 100, and the values there, times a scale.
    init(_ points: [(percent: Double, value: Double)], scale: Double = 1) {
        shares = points.map { $0.percent / 100 }
        values = points.map { $0.value * scale }
        var secants: [Double] = []
        for index in points.indices.dropLast() {
            secants.append((values[index + 1] - values[index]) / (shares[index + 1] - shares[index]))
        }
        var slopes: [Double] = []
        for index in points.indices {
            // The cycle before ends as this one does.
            let left = secants[index == 0 ? secants.count - 1 : index - 1]
            let right = secants[index == secants.count ? 0 : index]
            slopes.append(left * right > 0 ? 2 * left * right / (left + right) : 0)
        }
        self.slopes = slopes
    }

    /// The value at a share of the cycle, `0 ... 1`.
    func value(at share: Double) -> Double {
        let right = min(shares.firstIndex { $0 > share } ?? shares.count - 1, shares.count - 1)
        let left = max(right - 1, 0)
        let width = shares[right] - shares[left]
        guard width > 0 else { return values[right] }
        let place = min(max((share - shares[left]) / width, 0), 1)
        let rest = 1 - place
        // Hermite's form.
        let ends = values[left] * (1 + 2 * place) * rest * rest + values[right] * (3 - 2 * place) * place * place
        return ends + width * place * rest * (slopes[left] * rest - slopes[right] * place)
    }
}
