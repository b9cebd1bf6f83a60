import Lab

/// A sensor on a passenger of a vehicle that drives, brakes, turns and waits at lights.
///
/// The seat and who sits in it swing four to five times a second, well damped (ISO 5982:2019 gives the response of
/// seated bodies); an engine hums below; and hands move now and then.
struct Passenger: SimulatedBody {
    /// True if a hand moves it.
    private let isHeld: Bool
    /// True if the sensor is on a foot that stands on the vehicle's floor.
    private let isOnFloor: Bool
    private let orientation: Rotation
    private let engineHz: Double
    private let engineRMS: Double

    private var vehicle: RoadVehicle
    private var seat: Oscillator<SIMD2<Double>>
    /// Of other wheels and of the floor, which shake to the sides as well.
    private var rattle: Rumble
    private var course: Rumble
    private var posture = Oscillator<Vector>(frequencyHz: Vector(repeating: 0.8), damping: 0.9)
    private var aim = Vector.zero
    private var turning = Turning()
    private var idle: Wander
    private var engineTurns = 0.0

    private var speed = 0.0
    private var aimedSpeed = 0.0
    private var remainingSeconds = (drive: 0.0, posture: 5.0)

    init(placement: SimulatedPlacement, random: inout RandomSource) {
        isHeld = placement == .wrist || placement == .hand
        isOnFloor = placement == .ankle
        orientation = Rotation(random: &random)
        engineHz = random.uniform(in: 22...30)
        engineRMS = random.uniform(in: 0.03...0.12)
        vehicle = RoadVehicle(random: &random)
        seat = Oscillator(frequencyHz: SIMD2(1, 1) * random.uniform(in: 4...5), damping: random.uniform(in: 0.3...0.45))
        rattle = Rumble(rms: random.uniform(in: 0.2...0.5), bandwidthHz: 15)
        course = Rumble(rms: random.uniform(in: 0.3...0.7), bandwidthHz: 0.15)
        idle = Wander(deviation: 0.05, correlationSeconds: 4, random: &random)
        speed = random.uniform(in: 8...25)
        aimedSpeed = speed
        remainingSeconds.drive = random.uniform(in: 10...60)
    }

    mutating func advance(_ random: inout RandomSource) -> BodyMotion {
        remainingSeconds.drive -= PhysicsStep.seconds
        remainingSeconds.posture -= PhysicsStep.seconds
        if remainingSeconds.drive <= 0 { steer(&random) }
        if remainingSeconds.posture <= 0 { move(&random) }
        rattle.advance(&random)
        course.advance(&random)
        idle.advance(&random)
        let push = accelerate()
        let share = (speed / 15).squareRoot()
        let floor = vehicle.advance(speed: speed, &random)
        // The movement of seat and passenger is driven by the floor's acceleration.
        let ground = SIMD2(floor, rattle.value.z * share)
        seat.advance(drive: -ground)
        let lift = (isOnFloor ? ground : seat.acceleration + ground).sum()
        let curve = course.value * min(speed / 10, 1)
        let force = Vector(
            push + rattle.value.x * share, curve.y + rattle.value.y * share, standardGravity + lift + engine())
        posture.advance(towards: aim)
        return orientation.applied(to: turning.motion(force, turnedBy: posture.position))
    }

    /// Towards another speed: gently, as with people on board, m/s².
    private mutating func accelerate() -> Double {
        let wanted = (aimedSpeed - speed) * 0.4
        let push = min(max(wanted, -2.5), 1.8)
        speed = max(speed + push * PhysicsStep.seconds, 0)
        return push
    }

    private mutating func engine() -> Double {
        engineTurns += engineHz * (1 + idle.value + speed / 40) * PhysicsStep.seconds
        engineTurns -= engineTurns.rounded(.down)
        return engineRMS * 2.0.squareRoot() * sine(2 * Double.pi * engineTurns)
    }

    /// Lights and limits: a stop of a quarter of a minute, or on at another speed.
    private mutating func steer(_ random: inout RandomSource) {
        let stops = aimedSpeed > 0 && random.chance(0.3)
        aimedSpeed = stops ? 0 : random.uniform(in: 6...32)
        remainingSeconds.drive = stops ? random.uniform(in: 12...45) : random.uniform(in: 15...90)
    }

    private mutating func move(_ random: inout RandomSource) {
        aim = random.direction() * random.uniform(in: 0...(isHeld ? 0.8 : 0.1))
        remainingSeconds.posture = isHeld ? random.uniform(in: 3...25) : random.uniform(in: 20...90)
    }
}

/// One wheel of a vehicle on a rough road, its axle and its share of the body: what comes to the floor under a seat.
///
/// A road's profile has a slope that is white along the way (ISO 8608:2016, with an exponent of 2), so that the wheel
/// is pushed up and down at a white velocity that grows with the root of the speed. The quarter-car model and its usual
/// figures are those of T. D. Gillespie, "Fundamentals of Vehicle Dynamics" (SAE, 1992), chapter 5: a body that swings
/// 1 to 1.5 times a second, damped by 0.2 to 0.4, over wheels that hop 10 to 13 times.
private struct RoadVehicle {
    /// Unevenness at a wave number of 0.1 a metre, m³: the classes A to C of ISO 8608, from a new motorway to a bad
    /// road.
    private static let unevenness = 16e-6...256e-6
    private static let referenceWaveNumber = 0.1
    /// The mass of the wheel over that of the body on it.
    private static let massRatio = 0.12

    private let unevenness: Double
    private let bodyStiffness: Double
    private let damping: Double
    private let tyreStiffness: Double

    /// Heights over their rest, m, and their speeds: of the road under the tyre, of the wheel and of the body.
    private var road = 0.0
    private var wheel = (height: 0.0, speed: 0.0)
    private var body = (height: 0.0, speed: 0.0)

    init(random: inout RandomSource) {
        let classes = naturalLogarithm(Self.unevenness.lowerBound)...naturalLogarithm(Self.unevenness.upperBound)
        unevenness = exponential(random.uniform(in: classes))
        let bodyRate = 2 * Double.pi * random.uniform(in: 1...1.6)
        let hopRate = 2 * Double.pi * random.uniform(in: 9.5...13)
        bodyStiffness = bodyRate * bodyRate
        damping = 2 * random.uniform(in: 0.2...0.4) * bodyRate
        tyreStiffness = hopRate * hopRate * Self.massRatio - bodyStiffness
    }

    /// Goes on by one physics step at a speed, m/s. The body's acceleration upwards, m/s².
    mutating func advance(speed: Double, _ random: inout RandomSource) -> Double {
        // One-sided density of the road's velocity: 4π²·n₀²·G(n₀)·v, m²/s.
        let waveNumber = 2 * Double.pi * Self.referenceWaveNumber
        let density = waveNumber * waveNumber * unevenness * max(speed, 0)
        road += (density * PhysicsStep.seconds / 2).squareRoot() * random.deviate()
        // The tyre swallows what is far below: only differences matter, so that the road never runs away.
        road -= road * PhysicsStep.seconds * 0.1
        let strut = bodyStiffness * (wheel.height - body.height) + damping * (wheel.speed - body.speed)
        let tyre = tyreStiffness * (road - wheel.height)
        wheel.speed += (tyre - strut) / Self.massRatio * PhysicsStep.seconds
        wheel.height += wheel.speed * PhysicsStep.seconds
        body.speed += strut * PhysicsStep.seconds
        body.height += body.speed * PhysicsStep.seconds
        return strut
    }
}
