package import Lab

/// What carries a walker's sensor: a limb, a hand that holds something, or a bag.
package protocol SensorCarrier: Sendable {
    /// The movement of the sensor in one physics step.
    mutating func advance(_ gait: Gait, _ trunk: TrunkMotion, random: inout RandomSource) -> BodyMotion
}

/// The movement of a walker's trunk in one physics step: forward, left, up, without gravity, m/s².
package struct TrunkMotion {
    /// True if a foot touched the ground.
    package let isContact: Bool
    /// The acceleration by stairs or a lift.
    package let lift: Double
    /// The sway of someone who stands.
    package let sway: Vector
    /// The whole acceleration.
    package let acceleration: Vector
}

/// A walker with a sensor.
package struct Walk: SimulatedBody {
    private var gait: Gait
    private var pelvis: Pelvis
    private var carrier: any SensorCarrier
    private var sway = Rumble(rms: 0.06, bandwidthHz: 1.5)
    private var twist: Wander
    private var ascent = Ascent()
    private let turn: Double
    private let orientation: Rotation

    /// Turning of the pelvis about the vertical, about ±4° in walking, in radians (J. B. Saunders, V. T. Inman,
    /// H. D. Eberhart, "The major determinants in normal and pathological gait", J. Bone Joint Surg. 35-A (1953) 543).
    private static let pelvicTurn = 0.07

    /// A walker whose sensor swings with a limb, or is carried by what `carrier` makes of the body's height in metres.
    package init(
        plan: WalkPlan, placement: SimulatedPlacement, random: inout RandomSource,
        carrier make: (Double, inout RandomSource) -> (any SensorCarrier)? = { _, _ in nil }
    ) {
        let height = random.uniform(in: 1.55...1.95)
        gait = Gait(plan: plan, random: &random)
        pelvis = Pelvis(heightMetres: height, impactVelocity: Self.impactVelocity(placement), random: &random)
        let limb = Limb(placement: placement, heightMetres: height, plan: plan, random: &random)
        carrier = make(height, &random) ?? limb
        twist = Wander(deviation: 0.03, correlationSeconds: 2, random: &random)
        turn = placement == .wrist ? 0.5 * Self.pelvicTurn : Self.pelvicTurn
        orientation = Rotation(random: &random)
    }

    /// Goes on by one physics step; the event is a foot's contact.
    package mutating func advance(_ random: inout RandomSource) -> BodyMotion {
        let isContact = gait.advance(&random)
        sway.advance(&random)
        twist.advance(&random)
        let lift = ascent.advance(gait)
        let bounce = pelvis.advance(gait, isContact: isContact)
        let trunk = TrunkMotion(
            isContact: isContact, lift: lift, sway: sway.value,
            acceleration: bounce + sway.value + Vector(0, 0, lift))
        var motion = carrier.advance(gait, trunk, random: &random)
        let strideRate = gait.isStepping ? Double.pi / gait.stepSeconds : 0
        motion.angularVelocity += Vector(
            twist.value, 0.3 * twist.value, turn * strideRate * cosine(gait.stridePhase))
        motion.altitudeMetres = ascent.altitudeMetres
        motion.event = isContact ? .step : nil
        return orientation.applied(to: motion)
    }

    package var climbed: (up: Double, down: Double) { (ascent.upMetres, ascent.downMetres) }

    /// The jump of velocity at contact that reaches the sensor, in m/s: soft tissue and joints swallow the rest. With
    /// these |a| is as rough as on record where shoes counted the steps: jolts of about five energies of a sine at the
    /// step rate in trouser pockets, two in hands that hold a phone and in bags, and one at wrists that swing.
    private static func impactVelocity(_ placement: SimulatedPlacement) -> Double {
        switch placement {
        case .wrist: 0.055
        case .pocket, .thigh: 0.16
        case .hand, .bag: 0.14
        case .hip, .frame, .crank, .ankle: 0.09
        }
    }
}

/// A walker's height, and the part of it that was gone on foot.
private struct Ascent {
    /// The height above the sea, in metres.
    package private(set) var altitudeMetres = 120.0
    /// Metres gone up and down on foot.
    package private(set) var (upMetres, downMetres) = (0.0, 0.0)
    private var speed = 0.0

    /// Seconds in which a body takes up the speed of the stairs, or a lift its own: at most 1.25 m/s² for 1 m/s.
    private static let settlingSeconds = 0.8

    /// Goes on by one physics step; the answer is the acceleration upwards, m/s².
    package mutating func advance(_ gait: Gait) -> Double {
        let acceleration = (gait.riseMetresPerSecond - speed) / Self.settlingSeconds
        speed += acceleration * PhysicsStep.seconds
        altitudeMetres += speed * PhysicsStep.seconds
        if gait.isStepping {
            let rise = gait.riseMetresPerSecond * PhysicsStep.seconds
            upMetres += max(rise, 0)
            downMetres += max(-rise, 0)
        }
        return acceleration
    }
}
