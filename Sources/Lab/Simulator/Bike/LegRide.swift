/// A rider with a sensor on the thigh, in a trouser pocket or above the ankle: the segment swings to and fro, and
/// gravity turns in it.
struct LegRide: Sendable {
    private var crank: Crank
    private var rumble: Rumble
    private var tissue: Oscillator<SIMD3<Double>>
    private let leg: PedallingLeg
    private let isOnThigh: Bool
    private let share: Double
    private let startAngle: Double
    private let orientation: Rotation
    private var places: (SIMD2<Double>, SIMD2<Double>)?
    private var lastAngle: Double?
    /// The knee goes in and out a little with each turn: degrees of a few, in radians.
    private let sway: Double

    init(plan: RidePlan, placement: SimulatedPlacement, random: inout RandomSource) {
        crank = Crank(plan: plan, random: &random)
        leg = PedallingLeg(heightMetres: random.uniform(in: 1.55...1.95), random: &random)
        isOnThigh = placement != .ankle
        share = random.uniform(in: Self.shares(placement))
        startAngle = random.uniform(in: 0...(2 * .pi))
        // The saddle and the drive shake the rider; a strap on a muscle gives by some hertz.
        rumble = Rumble(rms: random.uniform(in: 0.2...1), bandwidthHz: 20, stepSeconds: PhysicsStep.seconds)
        let softness = isOnThigh ? random.uniform(in: 6...12) : random.uniform(in: 12...25)
        tissue = Oscillator(frequencyHz: SIMD3(repeating: softness), damping: 0.25)
        orientation = Rotation(axis: random.direction(), radians: random.uniform(in: 0...Double.pi))
        sway = random.uniform(in: 0...0.06)
    }

    /// How far down its segment the sensor sits: a trouser pocket ends high on the thigh.
    private static func shares(_ placement: SimulatedPlacement) -> ClosedRange<Double> {
        switch placement {
        case .pocket: 0.1...0.4
        case .thigh: 0.4...0.75
        default: 0.65...0.85
        }
    }

    /// Goes on by one physics step; the event is a completed revolution.
    mutating func advance(_ random: inout RandomSource) -> (BodyMotion, MotionEvent?) {
        let isRevolution = crank.advance(&random)
        rumble.advance(&random)
        let crankAngle = crank.angle + startAngle
        let angles = leg.angles(crankAngle: crankAngle)
        let angle = isOnThigh ? angles.thigh : angles.shank
        let place = leg.place(isOnThigh: isOnThigh, share: share, angles)
        let (before, earlier) = (places?.0 ?? place, places?.1 ?? place)
        let acceleration = (place - 2 * before + earlier) / (PhysicsStep.seconds * PhysicsStep.seconds)
        let turning = (angle - (lastAngle ?? angle)) / PhysicsStep.seconds
        places = (place, before)
        lastAngle = angle
        // Forward, left, up.
        let force = SIMD3(acceleration.x, 0, acceleration.y + standardGravity) + rumble.value
        tissue.advance(drive: -(force - SIMD3(0, 0, standardGravity)), stepSeconds: PhysicsStep.seconds)
        let felt = Self.turned(force + tissue.acceleration, by: angle)
        let swing = sway * crank.turningRate * cosine(crankAngle)
        let motion = BodyMotion(
            specificForce: orientation.applied(to: felt),
            angularVelocity: orientation.applied(to: SIMD3(swing, -turning, 0.5 * swing)))
        return (motion, isRevolution ? .revolution : nil)
    }

    /// A vector in the axes of a segment that hangs down and is swung forward by an angle about the axis to the left.
    private static func turned(_ vector: SIMD3<Double>, by angle: Double) -> SIMD3<Double> {
        SIMD3(
            cosine(angle) * vector.x + sine(angle) * vector.z, vector.y,
            cosine(angle) * vector.z - sine(angle) * vector.x)
    }
}
