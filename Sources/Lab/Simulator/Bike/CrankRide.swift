/// A bike with the sensor on its crank arm: gravity goes round it once a revolution.
struct CrankRide: Sendable {
    private var crank: Crank
    private var rumble: Rumble
    private let radiusMetres: Double
    private let startAngle: Double
    private let orientation: Rotation
    private let field: BikeField

    init(plan: RidePlan, mount: BikeMount, random: inout RandomSource) {
        crank = Crank(plan: plan, random: &random)
        rumble = Rumble(
            rms: mount.signalRMS / max(mount.signalToNoise, 0.01), bandwidthHz: mount.rumbleBandwidthHz,
            stepSeconds: PhysicsStep.seconds)
        radiusMetres = random.uniform(in: 0.05...0.15)
        startAngle = random.uniform(in: 0...(2 * .pi))
        orientation = Rotation(axis: SIMD3(0, 0, 1), radians: random.uniform(in: -0.3...0.3))
        field = BikeField(mount.magnets, apartFrom: random)
    }

    /// Goes on by one physics step; the event is a completed revolution.
    mutating func advance(_ random: inout RandomSource) -> (BodyMotion, MotionEvent?) {
        let isRevolution = crank.advance(&random)
        rumble.advance(&random)
        let angle = crank.angle + startAngle
        // x points outwards along the arm, y with the turning, z along the axle.
        let gravity = SIMD3(cosine(angle), -sine(angle), 0) * standardGravity
        let turning = SIMD3(-crank.turningRate * crank.turningRate, crank.acceleration, 0) * radiusMetres
        let motion = BodyMotion(
            specificForce: orientation.applied(to: gravity + turning + rumble.value),
            angularVelocity: SIMD3(0, 0, crank.turningRate),
            magneticField: orientation.applied(to: field.seen(turnedBy: angle)))
        return (motion, isRevolution ? .revolution : nil)
    }
}
