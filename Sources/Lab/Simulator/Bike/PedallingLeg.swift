/// A leg between saddle and pedal, in the plane of the bike: forward and up, the hip at the origin.
///
/// Thigh, shank and foot are 0.245, 0.246 and 0.039 of the body's height (R. Drillis, R. Contini, "Body segment
/// parameters", 1966), the saddle is 0.885 of the inside leg above the crank's axle (G. LeMond's rule, as E. J. Hamley
/// and V. Thomas measured it, J. Physiol. 191 (1967) 55P), and that is 0.47 of the height. So thigh and knee turn
/// through 40° to 70° and 60° to 105°, somewhat more than the 38° and 66° of hip and knee that M. O. Ericson and others
/// measured on an ergometer ("Joint motions of the lower limb during ergometer cycling", J. Orthop. Sports Phys. Ther.
/// 9 (1988) 273), as pelvis and ankle give less here.
struct PedallingLeg: Sendable {
    private let thighMetres: Double
    private let shankMetres: Double
    private let axle: SIMD2<Double>
    private let anklingMetres: Double
    private let anklingLag: Double

    private static let crankMetres = 0.17
    /// The seat tube leans back by 17°.
    private static let lean = 17 * Double.pi / 180

    init(heightMetres: Double, random: inout RandomSource) {
        thighMetres = 0.245 * heightMetres
        shankMetres = (0.246 + 0.039) * heightMetres
        let saddle = 0.885 * 0.47 * heightMetres * random.uniform(in: 0.96...1.02)
        axle = SIMD2(sine(Self.lean), -cosine(Self.lean)) * saddle
        // The ankle gives by some 24° (Ericson), which moves the heel of the hand's-breadth that the pedal is in front
        // of it.
        anklingMetres = random.uniform(in: 0.01...0.025)
        anklingLag = random.uniform(in: 0...(2 * .pi))
    }

    /// The angles of thigh and shank forward of straight down, at a crank angle of which 0 is the pedal in front.
    func angles(crankAngle: Double) -> (thigh: Double, shank: Double) {
        let pedal = axle + SIMD2(cosine(crankAngle), -sine(crankAngle)) * Self.crankMetres
        let lower = shankMetres + anklingMetres * cosine(crankAngle + anklingLag)
        let distance = min((pedal * pedal).sum().squareRoot(), thighMetres + lower - 0.001)
        let direction = arcTangent(pedal.x, -pedal.y)
        let cosineAtHip =
            (thighMetres * thighMetres + distance * distance - lower * lower) / (2 * thighMetres * distance)
        let thigh = direction + arcCosine(min(max(cosineAtHip, -1), 1))
        let knee = SIMD2(sine(thigh), -cosine(thigh)) * thighMetres
        let shank = pedal - knee
        return (thigh, arcTangent(shank.x, -shank.y))
    }

    /// The place of a sensor a share of the way down a segment.
    func place(isOnThigh: Bool, share: Double, _ angles: (thigh: Double, shank: Double)) -> SIMD2<Double> {
        let thigh = SIMD2(sine(angles.thigh), -cosine(angles.thigh)) * thighMetres
        guard !isOnThigh else { return thigh * share }
        return thigh + SIMD2(sine(angles.shank), -cosine(angles.shank)) * (shankMetres * share)
    }
}
