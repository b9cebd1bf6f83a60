/// A bike with the sensor in a holder on its frame.
struct FrameRide: Sendable {
    private var crank: Crank
    private var force: PedalForce
    private var touch: HandTouch
    private var rumble: Rumble
    private var holder: Oscillator<SIMD3<Double>>
    private var sway: Sway
    private var floor: RingingFloor?
    /// The floor's chances are its own: the ride is the same on a floor that is still.
    private var floorRandom: RandomSource
    private var wheelAngle = 0.0
    private let mount: BikeMount
    private let orientation: Rotation
    private let field: BikeField
    /// By how much the frame is turned, in radians; it forgets slowly, as a bike stands upright.
    private var nod = SIMD3<Double>(repeating: 0)

    /// 1/s: well below the slowest pedalling.
    private static let nodForgetting = 2 * Double.pi * 0.1
    /// The cadence at which `BikeMount` states its amplitudes, rad/s.
    private static let referenceRate = 80 * radiansPerSecondPerRPM

    init(plan: RidePlan, mount: BikeMount, random: inout RandomSource) {
        self.mount = mount
        crank = Crank(plan: plan, random: &random)
        force = PedalForce(mount: mount, random: &random)
        touch = HandTouch(touchesPerMinute: mount.touchesPerMinute)
        rumble = Rumble(
            rms: mount.signalRMS / max(mount.signalToNoise, 0.01), bandwidthHz: mount.rumbleBandwidthHz,
            stepSeconds: PhysicsStep.seconds)
        let softness = SIMD3(1, random.uniform(in: 0.7...0.9), random.uniform(in: 0.9...1.2))
        holder = Oscillator(frequencyHz: softness * mount.resonanceHz, damping: mount.damping)
        sway = Sway(heightMetres: mount.heightMetres)
        let tilt = SIMD3(random.uniform(in: -0.2...0.2), 1, random.uniform(in: -0.2...0.2))
        orientation = Rotation(
            axis: tilt / (tilt * tilt).sum().squareRoot(), radians: random.uniform(in: 0.2...1.3))
        field = BikeField(mount.magnets, apartFrom: random)
        floorRandom = random.branch()
        floor = mount.floor.map { RingingFloor($0, random: &floorRandom) }
    }

    /// Goes on by one physics step; the event is a completed revolution.
    mutating func advance(_ random: inout RandomSource) -> (BodyMotion, MotionEvent?) {
        let isRevolution = crank.advance(&random)
        let shaken = frameAcceleration(&random)
        holder.advance(drive: -shaken, stepSeconds: PhysicsStep.seconds)
        var felt = sway.advance(shaken)
        felt.specificForce += shaken + holder.acceleration + touch.advance(&random)
        felt.specificForce.z += standardGravity
        nod += felt.angularVelocity * PhysicsStep.seconds - nod * (Self.nodForgetting * PhysicsStep.seconds)
        let seen = field.seen(crankAngle: crank.angle, wheelAngle: wheelAngle, nod: nod)
        let motion = BodyMotion(
            specificForce: orientation.applied(to: felt.specificForce),
            angularVelocity: orientation.applied(to: felt.angularVelocity),
            magneticField: orientation.applied(to: seen))
        return (motion, isRevolution ? .revolution : nil)
    }

    /// The pedals' push is partly muscle (whatever the cadence) and partly the swinging legs (with its square).
    private mutating func frameAcceleration(_ random: inout RandomSource) -> SIMD3<Double> {
        rumble.advance(&random)
        let speed = crank.rate / Self.referenceRate
        let push = crank.effort * min(1, crank.rate / 2) * (0.4 + 0.6 * speed * speed)
        let wheelSpeed = crank.wheelRate / Self.referenceRate
        wheelAngle += crank.wheelRate * mount.flywheelRatio * PhysicsStep.seconds
        let unbalance = mount.flywheelUnbalance * wheelSpeed * wheelSpeed
        return force.acceleration(at: crank.angle, random: &random) * push
            + SIMD3(cosine(wheelAngle), 0, sine(wheelAngle)) * unbalance + rumble.value
            + (floor?.advance(&floorRandom) ?? SIMD3(repeating: 0))
    }
}

/// The vibration of a frame by two legs: harmonics of the crank's angle, each with its own direction, ellipse and
/// drifting phase.
///
/// A leg pushes hardest about a quarter turn after the top and hardly on the way up (Coyle et al., Med. Sci. Sports
/// Exerc. 23 (1991) 93-107, figures of crank torque), so one leg's force has every harmonic. Half a turn later comes
/// the other leg: the even harmonics of the two add, the odd ones cancel but for the difference between the legs and
/// for the sideways push, which changes its side with the leg.
struct PedalForce: Sendable {
    private var first: Harmonic
    private var second: Harmonic
    private var third: Harmonic
    private var fourth: Harmonic

    /// Share of the third harmonic relative to the first, and of the fourth relative to the second.
    private static let higherShare = 0.35...0.6

    init(mount: BikeMount, random: inout RandomSource) {
        let ratio = max(mount.secondToFirstRatio, 0.01)
        let thirdShare = random.uniform(in: Self.higherShare) / ratio
        let fourthShare = random.uniform(in: Self.higherShare) * 0.6
        let power = 1 / (ratio * ratio) + 1 + thirdShare * thirdShare + fourthShare * fourthShare
        let unit = mount.signalRMS * (2 / power).squareRoot()
        let drift = mount.phaseDrift * PhysicsStep.seconds.squareRoot()
        first = Harmonic(order: 1, amplitude: unit / ratio, isSideways: true, drift: drift, random: &random)
        second = Harmonic(order: 2, amplitude: unit, isSideways: false, drift: drift, random: &random)
        third = Harmonic(order: 3, amplitude: unit * thirdShare, isSideways: true, drift: drift, random: &random)
        fourth = Harmonic(order: 4, amplitude: unit * fourthShare, isSideways: false, drift: drift, random: &random)
    }

    /// The frame's acceleration at a crank angle, m/s²: forward, left, up.
    mutating func acceleration(at angle: Double, random: inout RandomSource) -> SIMD3<Double> {
        first.advance(at: angle, &random) + second.advance(at: angle, &random)
            + third.advance(at: angle, &random) + fourth.advance(at: angle, &random)
    }
}

/// One harmonic of the pedalling signal: an ellipse in space.
private struct Harmonic: Sendable {
    let order: Double
    let drift: Double
    let major: SIMD3<Double>
    let minor: SIMD3<Double>
    var phase: Double

    init(order: Double, amplitude: Double, isSideways: Bool, drift: Double, random: inout RandomSource) {
        self.order = order
        self.drift = drift
        phase = random.uniform(in: 0...(2 * .pi))
        let main = isSideways ? SIMD3(0.3, 1.0, 0.3) : SIMD3(0.6, 0.3, 1.0)
        let longAxis = main + random.deviates() * 0.3
        let shortAxis = random.deviates() * 0.25
        let norm = ((longAxis * longAxis).sum() + (shortAxis * shortAxis).sum()).squareRoot()
        major = longAxis * (amplitude / norm)
        minor = shortAxis * (amplitude / norm)
    }

    mutating func advance(at angle: Double, _ random: inout RandomSource) -> SIMD3<Double> {
        phase += drift * random.deviate()
        let argument = order * angle + phase
        return major * cosine(argument) + minor * sine(argument)
    }
}

/// The frame's roll and pitch that belong to its sideways and lengthwise acceleration: it sways about the floor.
///
/// A point at height h that moves with velocity v turns about the floor at v / h. The integral from acceleration to
/// velocity and on to the angle forgets slowly, as a bike that stands does not walk away.
struct Sway: Sendable {
    private let heightMetres: Double
    private var velocity = SIMD3<Double>(repeating: 0)
    private var angle = SIMD3<Double>(repeating: 0)

    /// The rate of forgetting, in 1/s: well below the slowest pedalling.
    private static let forgetting = 2 * Double.pi * 0.1

    init(heightMetres: Double) {
        self.heightMetres = max(heightMetres, 0.1)
    }

    /// Takes the acceleration (forward, left, up) and gives what a sensor feels of gravity's tilt and of the turning.
    mutating func advance(_ acceleration: SIMD3<Double>) -> BodyMotion {
        velocity += (acceleration - velocity * Self.forgetting) * PhysicsStep.seconds
        let turning = SIMD3(-velocity.y, velocity.x, 0) / heightMetres
        angle += (turning - angle * Self.forgetting) * PhysicsStep.seconds
        return BodyMotion(
            specificForce: SIMD3(-angle.y, angle.x, 0) * standardGravity, angularVelocity: turning)
    }
}
