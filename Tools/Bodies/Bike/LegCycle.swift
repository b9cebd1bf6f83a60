/// The movement of one leg through a stride, from a contact of its foot to the next: the angles of thigh and knee and
/// the way of the ankle.
///
/// Angles are those of D. A. Winter, "Biomechanics and Motor Control of Human Movement" (walking), T. F. Novacheck, "The
/// biomechanics of running", Gait Posture 7 (1998) 77, and R. Riener, M. Rabuffetti, C. Frigo, "Stair ascent and descent
/// at different inclinations", Gait Posture 15 (2002) 32, read off by eye. The ankle's ways are our estimates from the
/// same figures: a foot on the ground keeps the ankle at rest until the heel leaves it, and the toes clear the ground, a
/// stair or, in a run, nearly the height of the knee.
struct LegCycle: Sendable {
    /// The angle of the thigh forward of straight down, and how far the knee is bent, in radians.
    let thigh: GaitCurve
    let knee: GaitCurve
    /// The way of the ankle, as a share of the stride.
    let forward: GaitCurve
    /// The height of the ankle above its place in standing, in metres.
    let height: GaitCurve
    /// The rise or fall, as a share of two stairs.
    let climb: GaitCurve
    /// The phase at which the toes leave the ground, as a share of the cycle.
    let toeOff: Double

    private static let degree = Double.pi / 180
    private static let none = GaitCurve([(0, 0), (100, 0)])

    /// Level walking.
    static let walk = LegCycle(
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
    static let run = LegCycle(
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
    static func stairs(_ gait: Gait) -> LegCycle { gait.stairMetres > 0 ? ascent : descent }

    /// Up stairs, a stair a step.
    static let ascent = LegCycle(
        thigh: .thighUpstairs,
        knee: GaitCurve(
            [(0, 62), (10, 55), (25, 32), (40, 14), (55, 12), (64, 35), (75, 85), (82, 95), (90, 80), (100, 62)],
            scale: degree),
        forward: GaitCurve([(0, 0), (58, 0), (66, 0.02), (76, 0.3), (86, 0.78), (94, 0.98), (100, 1)]),
        height: GaitCurve([(0, 0), (45, 0), (55, 0.03), (64, 0.06), (80, 0.05), (92, 0.02), (100, 0)]),
        climb: GaitCurve([(0, 0), (58, 0), (66, 0.12), (75, 0.5), (85, 0.95), (92, 1.04), (97, 1.01), (100, 1)]),
        toeOff: 0.64)

    /// Down stairs, a stair a step.
    static let descent = LegCycle(
        thigh: .thighDownstairs,
        knee: GaitCurve(
            [(0, 12), (12, 22), (25, 22), (40, 35), (55, 68), (65, 88), (72, 90), (82, 62), (92, 25), (100, 12)],
            scale: degree),
        forward: GaitCurve([(0, 0), (50, 0), (60, 0.05), (70, 0.3), (80, 0.65), (90, 0.95), (100, 1)]),
        height: GaitCurve([(0, 0), (40, 0), (50, 0.02), (62, 0.08), (75, 0.1), (88, 0.03), (100, 0)]),
        climb: GaitCurve([(0, 0), (60, 0), (70, 0.05), (80, 0.3), (90, 0.75), (100, 1)]), toeOff: 0.62)
}
