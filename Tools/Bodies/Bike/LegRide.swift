import Lab

/// A rider with a sensor on the thigh, in a trouser pocket or above the ankle: the segment swings to and fro, and
/// gravity turns in it.
struct LegRide: SimulatedBody {
    private var crank: Crank
    private var rumble: Rumble
    private var tissue: Oscillator<Vector>
    private let leg: PedallingLeg
    private let isOnThigh: Bool
    private let share: Double
    private let startAngle: Double
    private let orientation: Rotation
    private var places: (SIMD2<Double>, SIMD2<Double>)?
    private var lastAngle: Double?
    /// The knee goes in and out by a few degrees with each turn, in radians.
    private let sway: Double

    init(plan: RidePlan, placement: SimulatedPlacement, random: inout RandomSource) {
        crank = Crank(plan: plan, random: &random)
        leg = PedallingLeg(heightMetres: random.uniform(in: 1.55...1.95), random: &random)
        isOnThigh = placement != .ankle
        share = random.uniform(in: Self.shares(placement))
        startAngle = random.uniform(in: 0...(2 * .pi))
        // The saddle and the drive shake the rider; a strap on a muscle gives by some hertz.
        rumble = Rumble(rms: random.uniform(in: 0.2...1), bandwidthHz: 20)
        let softness = isOnThigh ? random.uniform(in: 6...12) : random.uniform(in: 12...25)
        tissue = Oscillator(frequencyHz: Vector(repeating: softness), damping: 0.25)
        orientation = Rotation(random: &random)
        sway = random.uniform(in: 0...0.06)
    }

    /// The place of the sensor along its segment, from its upper end: a trouser pocket ends high on the thigh.
    private static func shares(_ placement: SimulatedPlacement) -> ClosedRange<Double> {
        switch placement {
        case .pocket: 0.1...0.4
        case .thigh: 0.4...0.75
        default: 0.65...0.85
        }
    }

    mutating func advance(_ random: inout RandomSource) -> BodyMotion {
        let event = crank.advance(&random)
        rumble.advance(&random)
        let crankAngle = crank.angle + startAngle
        let angles = leg.angles(crankAngle: crankAngle)
        let angle = isOnThigh ? angles.thigh : angles.shank
        let place = leg.place(isOnThigh: isOnThigh, share: share, angles)
        let (before, earlier) = (places?.0 ?? place, places?.1 ?? place)
        let acceleration = (place - 2 * before + earlier) / (PhysicsStep.seconds * PhysicsStep.seconds)
        let turning = (angle - (lastAngle ?? angle)) / PhysicsStep.seconds
        (places, lastAngle) = ((place, before), angle)
        // Forward, left, up.
        let force = Vector(acceleration.x, 0, acceleration.y + standardGravity) + rumble.value
        tissue.advance(drive: -(force - gravityUp))
        let swing = sway * crank.turningRate * cosine(crankAngle)
        return orientation.applied(
            to: BodyMotion(
                specificForce: alongLimb(force + tissue.acceleration, swungBy: angle),
                angularVelocity: Vector(swing, -turning, 0.5 * swing), event: event))
    }
}

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
