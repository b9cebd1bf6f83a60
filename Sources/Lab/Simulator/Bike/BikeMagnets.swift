/// Magnets that turn on a bike, and how near to the sensor they pass; the Earth's field is always there.
package struct BikeMagnets: Sendable, Hashable {
    /// A magnet on one crank arm, or none.
    package var crank: Magnet?
    /// A magnet on the flywheel, as of a speedometer, or none.
    package var flywheel: Magnet?
    /// The Earth's field, µT: horizontal, and downwards.
    package var earthHorizontal: Double
    /// Downwards, µT.
    package var earthDown: Double

    /// A magnet that goes round, as a dipole along its axle.
    package struct Magnet: Sendable, Hashable {
        /// Its dipole moment, A·m². A neodymium disc of 10 mm × 5 mm has 0.4: remanence 1.3 T (IEC 60404-8-1) times
        /// volume over the magnetic constant.
        package var moment = 0.4
        /// The radius of its circle, in metres.
        package var radiusMetres: Double
        /// The smallest distance to the sensor, in metres.
        package var distanceMetres: Double

        package init(radiusMetres: Double = 0.12, distanceMetres: Double = 0.15) {
            self.radiusMetres = radiusMetres
            self.distanceMetres = distanceMetres
        }
    }

    /// Magnets from their figures; the Earth's field is by default that of Central Europe (International Geomagnetic
    /// Reference Field, 13th generation, 50° N 10° E: 20 µT and 44 µT).
    package init(
        crank: Magnet? = nil, flywheel: Magnet? = nil, earthHorizontal: Double = 20, earthDown: Double = 44
    ) {
        self.crank = crank
        self.flywheel = flywheel
        self.earthHorizontal = earthHorizontal
        self.earthDown = earthDown
    }
}

/// The field about a bike, in its axes: forward, left, up.
struct BikeField: Sendable {
    private let magnets: BikeMagnets
    private let earth: SIMD3<Double>
    /// The angle of the magnets at a crank angle of 0, in radians.
    private let crankPhase: Double
    private let wheelPhase: Double

    /// A bike that stands in a direction of its own: what else chance does to it is the same with magnets and without.
    init(_ magnets: BikeMagnets, apartFrom others: RandomSource) {
        var random = others.branch()
        self.magnets = magnets
        let heading = random.uniform(in: 0...(2 * .pi))
        earth = SIMD3(
            cosine(heading) * magnets.earthHorizontal, sine(heading) * magnets.earthHorizontal, -magnets.earthDown)
        crankPhase = random.uniform(in: 0...(2 * .pi))
        wheelPhase = random.uniform(in: 0...(2 * .pi))
    }

    /// The field at the sensor on the frame, µT. `nod` is the turn of the frame, in radians: a small turn moves the
    /// Earth's field the other way.
    func seen(crankAngle: Double, wheelAngle: Double, nod: SIMD3<Double>) -> SIMD3<Double> {
        var field = earth - Self.cross(nod, earth)
        if let crank = magnets.crank { field += Self.dipole(crank, at: crankAngle + crankPhase) }
        if let wheel = magnets.flywheel { field += Self.dipole(wheel, at: wheelAngle + wheelPhase) }
        return field
    }

    /// The Earth's field in the axes of a sensor that has turned by an angle about the axle, µT.
    func seen(turnedBy angle: Double) -> SIMD3<Double> {
        SIMD3(
            earth.x * cosine(angle) - earth.z * sine(angle), -earth.x * sine(angle) - earth.z * cosine(angle), earth.y)
    }

    /// µ₀ / 4π in µT·m³ / (A·m²).
    private static let constant = 0.1

    /// The field of a dipole (Jackson, Classical Electrodynamics, 5.56): `(3 r̂ (m·r̂) − m) / r³`.
    private static func dipole(_ magnet: BikeMagnets.Magnet, at angle: Double) -> SIMD3<Double> {
        // The sensor is in front of the circle, a hand's breadth beside its plane.
        let sensor = SIMD3(magnet.radiusMetres + magnet.distanceMetres, 0.03, 0)
        let place = SIMD3(cosine(angle), 0, sine(angle)) * magnet.radiusMetres
        let away = sensor - place
        let distance = max((away * away).sum().squareRoot(), 0.01)
        let direction = away / distance
        let moment = SIMD3(0, magnet.moment, 0)
        return (direction * (3 * (moment * direction).sum()) - moment)
            * (constant / (distance * distance * distance))
    }

    private static func cross(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(
            left.y * right.z - left.z * right.y, left.z * right.x - left.x * right.z,
            left.x * right.y - left.y * right.x)
    }
}
