package import Lab

/// The mounting of a sensor on a bike's frame, and the disturbances from the pedals and the room. The defaults are a
/// phone in a plastic holder on a spinning bike.
///
/// The pedalling signal is the acceleration of the frame. Both legs push, so the line at twice the crank's rate is the
/// strongest; the difference between the legs gives the line at the crank's own rate.
package struct BikeMount: Sendable, Hashable {
    /// Root mean square of the pedalling signal at 80 rpm in the saddle, m/s² over the three axes.
    package var signalRMS = 0.4
    /// Amplitude at twice the crank's rate over the amplitude at the crank's rate.
    package var secondToFirstRatio = 2.5
    /// Root mean square of the pedalling signal over that of all vibration without a period, which spans 0 to 20 Hz.
    package var signalToNoise = 3.0
    /// Amplitude at three times the crank's rate over the amplitude at the crank's rate.
    package var thirdToFirstRatio = 0.35...0.6
    /// A harmonic that is stronger than others of its kind, or none.
    package var resonance: FrameResonance?
    /// How much each harmonic's amplitude wanders within some ten seconds, as the rider shifts the weight from one leg to the
    /// other and from saddle to bars: the standard deviation of its logarithm.
    package var harmonicWander = 0.0
    /// The drift of the harmonics' phases, as the rider shifts: radians per root second.
    package var phaseDrift = 0.05
    /// Touches of the holder by a hand, a minute, and how long one lasts, in seconds.
    package var touchesPerMinute = 0.5
    package var touchSeconds = 0.05...0.2
    /// The height of the sensor above the line that the frame sways about, in metres.
    package var heightMetres = 1.0
    /// Turns of the flywheel a turn of the crank.
    package var flywheelRatio = 4.25
    /// The unbalance of the flywheel, as acceleration of the frame at 80 rpm, m/s².
    package var flywheelUnbalance = 0.03
    /// The floor's ringing, or none.
    package var floor: FloorResonance?
    /// The magnets on it, for a device that measures the magnetic field.
    package var magnets = BikeMagnets()

    /// All vibration without a period.
    package var rumble: Rumble { Rumble(rms: signalRMS / max(signalToNoise, 0.01), bandwidthHz: 20) }
}

extension BikeMount {
    /// A phone in a plastic holder on a spinning bike, changed.
    package init(_ change: (inout BikeMount) -> Void = { _ in }) {
        self.init(signalRMS: 0.4)
        change(&self)
    }
}

/// A frame, a handlebar or a holder that answers one harmonic of the crank's rate more than others, or a rider who pushes so.
package struct FrameResonance: Sendable, Hashable {
    /// Its order: 1 is the crank's own rate.
    package var order: Int
    /// Its amplitude over that of the strongest other harmonic.
    package var share: Double
}

/// A floor that rings at one frequency: a mode of the building that a machine, a washing machine or footfalls beside
/// the bike excite without a period of their own.
///
/// Light floors have their first mode at 4 to 8 Hz, damped by 1 to 3 % when bare and by 5 % when furnished (T. M.
/// Murray, D. E. Allen, E. E. Ungar, "Floor Vibrations Due to Human Activity", AISC Steel Design Guide 11 (1997)); a
/// platform, a rubber mat or a stand under the bike rings slower and is damped more.
package struct FloorResonance: Sendable, Hashable {
    package var frequencyHz: Double
    /// The quality factor: one over twice the damping ratio.
    package var quality: Double
    /// Root mean square of the floor's acceleration over the three axes, m/s².
    package var rms: Double
}

/// Magnets that turn on a bike, and how near to the sensor they pass; the Earth's field is always there.
package struct BikeMagnets: Sendable, Hashable {
    /// A magnet on one crank arm, or none.
    package var crank: Magnet?
    /// A magnet on the flywheel, as of a speedometer, or none.
    package var flywheel: Magnet?

    /// A magnet that goes round, as a dipole along its axle.
    package struct Magnet: Sendable, Hashable {
        /// The radius of its circle, in metres.
        package var radiusMetres = 0.12
        /// The smallest distance to the sensor, in metres.
        package var distanceMetres = 0.15
    }
}

/// The magnetic field about a bike, in its axes: forward, left, up.
package struct BikeField: Sendable {
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
    package init(_ magnets: BikeMagnets, apartFrom others: RandomSource) {
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
    package func onFrame(crankAngle: Double, wheelAngle: Double, nod: Vector) -> Vector {
        var field = earth - nod.cross(earth)
        if let crank = magnets.crank { field += Self.dipole(crank, at: crankAngle + crankPhase) }
        if let wheel = magnets.flywheel { field += Self.dipole(wheel, at: wheelAngle + wheelPhase) }
        return field
    }

    /// The Earth's field in the axes of a sensor that has turned by an angle about the axle, µT.
    package func onCrank(turnedBy angle: Double) -> Vector {
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
