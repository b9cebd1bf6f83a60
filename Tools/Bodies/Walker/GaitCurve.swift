/// A quantity through one cycle of gait, drawn through points that are read off a figure.
///
/// Between the points goes the monotone cubic of F. N. Fritsch and J. Butland ("A method for constructing local monotone
/// piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5 (1984) 300), which is flat where the points are.
package struct GaitCurve: Sendable {
    private let shares: [Double]
    private let values: [Double]
    private let slopes: [Double]

    /// A curve from percents of the cycle, the first 0 and the last 100, and the values there, times a scale.
    package init(_ points: [(percent: Double, value: Double)], scale: Double = 1) {
        shares = points.map { $0.percent / 100 }
        values = points.map { $0.value * scale }
        let (shares, values) = (self.shares, self.values)
        let secants = points.indices.dropLast().map {
            (values[$0 + 1] - values[$0]) / (shares[$0 + 1] - shares[$0])
        }
        slopes = points.indices.map { index in
            // The cycle before ends as this one does.
            let left = secants[index == 0 ? secants.count - 1 : index - 1]
            let right = secants[index == secants.count ? 0 : index]
            return left * right > 0 ? 2 * left * right / (left + right) : 0
        }
    }

    /// The value at a share of the cycle, `0 ... 1`.
    package func value(at share: Double) -> Double {
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

extension GaitCurve {
    private static let degree = Double.pi / 180

    /// The angle of a thigh forward of straight down, in radians, from a contact of its foot to the next, up stairs: of
    /// R. Riener, M. Rabuffetti, C. Frigo, "Stair ascent and descent at different inclinations", Gait Posture 15 (2002) 32,
    /// read off by eye.
    package static let thighUpstairs = GaitCurve(
        [(0, 52), (10, 45), (25, 27), (40, 12), (55, 5), (64, 10), (75, 35), (86, 58), (95, 56), (100, 52)],
        scale: degree)
    /// The same down stairs.
    package static let thighDownstairs = GaitCurve(
        [(0, 15), (15, 15), (30, 14), (45, 18), (60, 28), (70, 34), (80, 30), (90, 20), (100, 15)], scale: degree)
}
