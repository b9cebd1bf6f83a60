/// The movement of one leg through a stride, from a contact of its foot to the next: the angles of thigh and knee and
/// the way of the ankle.
///
/// Angles are those of D. A. Winter, "Biomechanics and Motor Control of Human Movement" (walking), T. F. Novacheck, "The
/// biomechanics of running", Gait Posture 7 (1998) 77, and R. Riener, M. Rabuffetti, C. Frigo, "Stair ascent and descent
/// at different inclinations", Gait Posture 15 (2002) 32, read off by eye. The ankle's ways are our estimates from the
/// same figures: a foot on the ground keeps the ankle at rest until the heel leaves it, and the toes clear the ground, a
/// stair or, in a run, nearly the height of the knee.
package struct LegCycle: Sendable {
    /// The angle of the thigh forward of straight down, and how far the knee is bent, in radians.
    package let thigh: GaitCurve
    package let knee: GaitCurve
    /// The way of the ankle, as a share of the stride.
    package let forward: GaitCurve
    /// The height of the ankle above its place in standing, in metres.
    package let height: GaitCurve
    /// The rise or fall, as a share of two stairs.
    package let climb: GaitCurve
    /// The phase at which the toes leave the ground, as a share of the cycle.
    package let toeOff: Double

    private static let degree = Double.pi / 180
    private static let none = GaitCurve([(0, 0), (100, 0)])

    /// Level walking.
    package static let walk = LegCycle(
        thigh: GaitCurve(
            [
                (0, 22), (10, 19), (20, 10), (30, 2), (40, -7), (51, -17), (60, -9), (70, 9), (80, 20), (90, 24),
                (100, 22),
            ], scale: degree),
        knee: GaitCurve(
            [
                (0, 4), (8, 13), (15, 18), (25, 14), (40, 6), (50, 12), (60, 38), (72, 62), (80, 51), (90, 20), (97, 2),
                (100, 4),
            ],
            scale: degree),
        forward: GaitCurve([
            (0, 0), (38, 0), (50, 0.01), (60, 0.065), (70, 0.25), (80, 0.56), (90, 0.87), (96, 0.98), (100, 1),
        ]),
        height: GaitCurve([
            (0, 0.02), (6, 0), (38, 0), (50, 0.025), (60, 0.1), (68, 0.135), (80, 0.08), (90, 0.035), (100, 0.02),
        ]), climb: none, toeOff: 0.6)

    /// Running at an ordinary pace.
    package static let run = LegCycle(
        thigh: GaitCurve(
            [
                (0, 33), (10, 28), (20, 12), (30, -5), (40, -14), (50, -8), (60, 8), (70, 26), (80, 37), (88, 38),
                (100, 33),
            ], scale: degree),
        knee: GaitCurve(
            [
                (0, 20), (8, 33), (16, 42), (28, 28), (38, 18), (50, 55), (62, 92), (70, 97), (80, 75), (90, 32),
                (97, 14), (100, 20),
            ],
            scale: degree),
        forward: GaitCurve([
            (0, 0), (22, 0), (32, 0.01), (38, 0.04), (48, 0.13), (58, 0.28), (68, 0.47), (78, 0.7), (88, 0.91),
            (95, 0.99), (100, 1),
        ]),
        height: GaitCurve([
            (0, 0.01), (5, 0), (20, 0), (30, 0.04), (38, 0.12), (50, 0.3), (62, 0.42), (68, 0.42), (78, 0.3),
            (88, 0.13),
            (96, 0.05), (100, 0.01),
        ]), climb: none, toeOff: 0.38)

    /// Up or down the stairs that a gait is on.
    package static func stairs(_ gait: Gait) -> LegCycle { gait.stairMetres > 0 ? ascent : descent }

    /// Up stairs, a stair a step.
    package static let ascent = LegCycle(
        thigh: GaitCurve(
            [(0, 52), (10, 45), (25, 27), (40, 12), (55, 5), (64, 10), (75, 35), (86, 58), (95, 56), (100, 52)],
            scale: degree),
        knee: GaitCurve(
            [(0, 62), (10, 55), (25, 32), (40, 14), (55, 12), (64, 35), (75, 85), (82, 95), (90, 80), (100, 62)],
            scale: degree),
        forward: GaitCurve([(0, 0), (58, 0), (66, 0.02), (76, 0.3), (86, 0.78), (94, 0.98), (100, 1)]),
        height: GaitCurve([(0, 0), (45, 0), (55, 0.03), (64, 0.06), (80, 0.05), (92, 0.02), (100, 0)]),
        climb: GaitCurve([(0, 0), (58, 0), (66, 0.12), (75, 0.5), (85, 0.95), (92, 1.04), (97, 1.01), (100, 1)]),
        toeOff: 0.64)

    /// Down stairs, a stair a step.
    package static let descent = LegCycle(
        thigh: GaitCurve(
            [(0, 15), (15, 15), (30, 14), (45, 18), (60, 28), (70, 34), (80, 30), (90, 20), (100, 15)], scale: degree),
        knee: GaitCurve(
            [(0, 12), (12, 22), (25, 22), (40, 35), (55, 68), (65, 88), (72, 90), (82, 62), (92, 25), (100, 12)],
            scale: degree),
        forward: GaitCurve([(0, 0), (50, 0), (60, 0.05), (70, 0.3), (80, 0.65), (90, 0.95), (100, 1)]),
        height: GaitCurve([(0, 0), (40, 0), (50, 0.02), (62, 0.08), (75, 0.1), (88, 0.03), (100, 0)]),
        climb: GaitCurve([(0, 0), (60, 0), (70, 0.05), (80, 0.3), (90, 0.75), (100, 1)]), toeOff: 0.62)
}

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
