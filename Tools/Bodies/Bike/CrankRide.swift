import Lab

/// A bike with the sensor on its crank arm: gravity goes round it once a revolution.
struct CrankRide: SimulatedBody {
    private var crank: Crank
    private var rumble: Rumble
    private let radiusMetres: Double
    private let startAngle: Double
    private let orientation: Rotation
    private let field: BikeField

    init(plan: RidePlan, mount: BikeMount, random: inout RandomSource) {
        crank = Crank(plan: plan, random: &random)
        rumble = mount.rumble
        radiusMetres = random.uniform(in: 0.05...0.15)
        startAngle = random.uniform(in: 0...(2 * .pi))
        orientation = Rotation(axis: Vector(0, 0, 1), radians: random.uniform(in: -0.3...0.3))
        field = BikeField(mount.magnets, apartFrom: random)
    }

    mutating func advance(_ random: inout RandomSource) -> BodyMotion {
        let event = crank.advance(&random)
        rumble.advance(&random)
        let angle = crank.angle + startAngle
        // x points outwards along the arm, y with the turning, z along the axle.
        let gravity = Vector(cosine(angle), -sine(angle), 0) * standardGravity
        let turning = Vector(-crank.turningRate * crank.turningRate, crank.acceleration, 0) * radiusMetres
        return BodyMotion(
            specificForce: orientation.applied(to: gravity + turning + rumble.value),
            angularVelocity: Vector(0, 0, crank.turningRate),
            magneticField: orientation.applied(to: field.onCrank(turnedBy: angle)), event: event)
    }
}
