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

/// The magnetic field about a bike, in its axes: forward, left, up.
struct BikeField: Sendable {
    private let magnets: BikeMagnets
    private let earth: Vector
    /// The angle of the magnets at a crank angle of 0, in radians.
    private let crankPhase: Double
    private let wheelPhase: Double

    /// The Earth's field in Central Europe, horizontal and downwards, µT (International Geomagnetic Reference Field,
    /// 13th generation, 50° N 10° E).
    private static let (earthHorizontal, earthDown) = (20.0, 44.0)
    /// The dipole moment of a neodymium disc of 10 mm × 5 mm, A·m²: remanence 1.3 T (IEC 60404-8-1) times volume over
    /// the magnetic constant.
    private static let moment = Vector(0, 0.4, 0)
    /// µ₀ / 4π in µT·m³ / (A·m²).
    private static let constant = 0.1

    /// A bike that stands in a direction of its own: what else chance does to it is the same with magnets and without.
    init(_ magnets: BikeMagnets, apartFrom others: RandomSource) {
        var random = others.branch()
        self.magnets = magnets
        let heading = random.uniform(in: 0...(2 * .pi))
        earth = Vector(
            cosine(heading) * Self.earthHorizontal, sine(heading) * Self.earthHorizontal, -Self.earthDown)
        crankPhase = random.uniform(in: 0...(2 * .pi))
        wheelPhase = random.uniform(in: 0...(2 * .pi))
    }

    /// The field at the sensor on the frame, µT. `nod` is the turn of the frame, in radians: a small turn moves the
    /// Earth's field the other way.
    func onFrame(crankAngle: Double, wheelAngle: Double, nod: Vector) -> Vector {
        var field = earth - nod.cross(earth)
        if let crank = magnets.crank { field += Self.dipole(crank, at: crankAngle + crankPhase) }
        if let wheel = magnets.flywheel { field += Self.dipole(wheel, at: wheelAngle + wheelPhase) }
        return field
    }

    /// The Earth's field in the axes of a sensor that has turned by an angle about the axle, µT.
    func onCrank(turnedBy angle: Double) -> Vector {
        Vector(
            earth.x * cosine(angle) - earth.z * sine(angle), -earth.x * sine(angle) - earth.z * cosine(angle), earth.y)
    }

    /// The field of a dipole (Jackson, Classical Electrodynamics, 5.56): `(3 r̂ (m·r̂) − m) / r³`.
    private static func dipole(_ magnet: BikeMagnets.Magnet, at angle: Double) -> Vector {
        // The sensor is in front of the circle, a hand's breadth beside its plane.
        let sensor = Vector(magnet.radiusMetres + magnet.distanceMetres, 0.03, 0)
        let away = sensor - Vector(cosine(angle), 0, sine(angle)) * magnet.radiusMetres
        let distance = max(away.length, 0.01)
        let direction = away / distance
        return (direction * (3 * (moment * direction).sum()) - moment)
            * (constant / (distance * distance * distance))
    }
}
