import Lab

/// A bike with the sensor in a holder on its frame.
struct FrameRide: SimulatedBody {
    private var crank: Crank
    private var force: PedalForce
    private var touch: HandTouch
    private var rumble: Rumble
    private var holder: Oscillator<Vector>
    private var sway: Sway
    private var floor: RingingFloor?
    /// The floor's chances are its own: the ride is the same on a floor that is still.
    private var floorRandom: RandomSource
    private var wheelAngle = 0.0
    private let mount: BikeMount
    private let orientation: Rotation
    private let field: BikeField
    /// By how much the frame is turned, in radians; it forgets slowly, as a bike stands upright.
    private var nod = Vector.zero

    /// The cadence at which `BikeMount` states its amplitudes, rad/s.
    private static let referenceRate = 80 * radiansPerSecondPerRPM

    init(plan: RidePlan, mount: BikeMount, random: inout RandomSource) {
        self.mount = mount
        crank = Crank(plan: plan, random: &random)
        force = PedalForce(mount: mount, random: &random)
        touch = HandTouch(perMinute: mount.touchesPerMinute, seconds: mount.touchSeconds)
        rumble = mount.rumble
        // A plastic holder with its phone: 11 Hz forward, and about that to the sides and upwards.
        let softness = Vector(1, random.uniform(in: 0.7...0.9), random.uniform(in: 0.9...1.2))
        holder = Oscillator(frequencyHz: softness * 11, damping: 0.08)
        sway = Sway(heightMetres: max(mount.heightMetres, 0.1))
        let tilt = Vector(random.uniform(in: -0.2...0.2), 1, random.uniform(in: -0.2...0.2))
        orientation = Rotation(axis: tilt / tilt.length, radians: random.uniform(in: 0.2...1.3))
        field = BikeField(mount.magnets, apartFrom: random)
        floorRandom = random.branch()
        floor = mount.floor.map { RingingFloor($0, random: &floorRandom) }
    }

    mutating func advance(_ random: inout RandomSource) -> BodyMotion {
        let event = crank.advance(&random)
        let shaken = frameAcceleration(&random)
        holder.advance(drive: -shaken)
        var motion = sway.advance(shaken)
        motion.specificForce += shaken + holder.acceleration + touch.advance(&random)
        motion.specificForce.z += standardGravity
        nod += motion.angularVelocity * PhysicsStep.seconds - nod * (Sway.forgetting * PhysicsStep.seconds)
        motion.magneticField = field.onFrame(crankAngle: crank.angle, wheelAngle: wheelAngle, nod: nod)
        motion.event = event
        return orientation.applied(to: motion)
    }

    /// The pedals' push is partly muscle (whatever the cadence) and partly the swinging legs (with its square).
    private mutating func frameAcceleration(_ random: inout RandomSource) -> Vector {
        rumble.advance(&random)
        let speed = crank.rate / Self.referenceRate
        let push = crank.effort * min(1, crank.rate / 2) * (0.4 + 0.6 * speed * speed)
        let wheelSpeed = crank.wheelRate / Self.referenceRate
        wheelAngle += crank.wheelRate * mount.flywheelRatio * PhysicsStep.seconds
        let unbalance = mount.flywheelUnbalance * wheelSpeed * wheelSpeed
        return force.acceleration(at: crank.angle, random: &random) * push
            + Vector(cosine(wheelAngle), 0, sine(wheelAngle)) * unbalance + rumble.value
            + (floor?.advance(&floorRandom) ?? .zero)
    }
}

/// The vibration of a frame by two legs: harmonics of the crank's angle, each with its own direction, ellipse and
/// drifting phase.
///
/// A leg pushes hardest about a quarter turn after the top and hardly on the way up (Coyle et al., Med. Sci. Sports
/// Exerc. 23 (1991) 93-107, figures of crank torque), so one leg's force has every harmonic. Half a turn later comes
/// the other leg: the even harmonics of the two add, the odd ones cancel but for the difference between the legs and
/// for the sideways push, which changes its side with the leg.
private struct PedalForce {
    private var harmonics: [Harmonic]
    /// How the amplitudes wander, as logarithms, and the chances of that, which are their own: the ride is the same without.
    private var wanders: [Wander] = []
    private var wanderRandom: RandomSource

    /// Share of the fourth harmonic relative to the second.
    private static let fourthShare = 0.35...0.6
    /// The time within which amplitudes wander, in seconds.
    private static let wanderSeconds = 10.0

    init(mount: BikeMount, random: inout RandomSource) {
        let ratio = max(mount.secondToFirstRatio, 0.01)
        let thirdShare = random.uniform(in: mount.thirdToFirstRatio) / ratio
        let fourthShare = random.uniform(in: Self.fourthShare) * 0.6
        var shares = [1 / ratio, 1, thirdShare, fourthShare]
        if let resonance = mount.resonance {
            let place = max(resonance.order, 1) - 1
            shares += repeatElement(0, count: max(place + 1 - shares.count, 0))
            shares[place] = 0
            shares[place] = resonance.share * (shares.max() ?? 1)
        }
        let unit = mount.signalRMS * (2 / shares.reduce(0) { $0 + $1 * $1 }).squareRoot()
        let drift = mount.phaseDrift * PhysicsStep.seconds.squareRoot()
        harmonics = zip(1..., shares).map { order, share in
            Harmonic(order: order, amplitude: unit * share, drift: drift, random: &random)
        }
        wanderRandom = random.branch()
        guard mount.harmonicWander > 0 else { return }
        for _ in harmonics {
            wanders.append(
                Wander(
                    deviation: mount.harmonicWander, correlationSeconds: Self.wanderSeconds, random: &wanderRandom))
        }
    }

    /// The frame's acceleration at a crank angle, m/s²: forward, left, up.
    mutating func acceleration(at angle: Double, random: inout RandomSource) -> Vector {
        var sum = Vector.zero
        for index in harmonics.indices {
            let force = harmonics[index].advance(at: angle, &random)
            guard wanders.indices.contains(index) else {
                sum += force
                continue
            }
            wanders[index].advance(&wanderRandom)
            sum += force * exponential(wanders[index].value)
        }
        return sum
    }
}

/// One harmonic of the pedalling signal: an ellipse in space.
private struct Harmonic {
    private let order: Double
    private let drift: Double
    private let major: Vector
    private let minor: Vector
    private var phase: Double

    init(order: Int, amplitude: Double, drift: Double, random: inout RandomSource) {
        self.order = Double(order)
        self.drift = drift
        phase = random.uniform(in: 0...(2 * .pi))
        // The odd harmonics go to the sides.
        let main = order.isMultiple(of: 2) ? Vector(0.6, 0.3, 1.0) : Vector(0.3, 1.0, 0.3)
        let longAxis = main + random.deviates() * 0.3
        let shortAxis = random.deviates() * 0.25
        let norm = ((longAxis * longAxis).sum() + (shortAxis * shortAxis).sum()).squareRoot()
        major = longAxis * (amplitude / norm)
        minor = shortAxis * (amplitude / norm)
    }

    mutating func advance(at angle: Double, _ random: inout RandomSource) -> Vector {
        phase += drift * random.deviate()
        let argument = order * angle + phase
        return major * cosine(argument) + minor * sine(argument)
    }
}

/// The frame's roll and pitch that belong to its sideways and lengthwise acceleration: it sways about the floor.
///
/// A point at height h that moves with velocity v turns about the floor at v / h. The integral from acceleration to
/// velocity and on to the angle forgets slowly, as a bike that stands does not walk away.
private struct Sway {
    private let heightMetres: Double
    private var velocity = Vector.zero
    private var angle = Vector.zero

    /// The rate of forgetting, in 1/s: well below the slowest pedalling.
    static let forgetting = 2 * Double.pi * 0.1

    init(heightMetres: Double) {
        self.heightMetres = heightMetres
    }

    /// Takes the acceleration (forward, left, up) and gives what a sensor measures of gravity's tilt and of the
    /// turning.
    mutating func advance(_ acceleration: Vector) -> BodyMotion {
        velocity += (acceleration - velocity * Self.forgetting) * PhysicsStep.seconds
        let turning = Vector(-velocity.y, velocity.x, 0) / heightMetres
        angle += (turning - angle * Self.forgetting) * PhysicsStep.seconds
        return BodyMotion(specificForce: Vector(-angle.y, angle.x, 0) * standardGravity, angularVelocity: turning)
    }
}

/// A floor that rings: narrow-band noise, most of it up and down.
private struct RingingFloor {
    private var modes: Oscillator<Vector>
    private let kick: Vector
    private let angular: Vector

    init(_ resonance: FloorResonance, random: inout RandomSource) {
        let (quality, frequency) = (max(resonance.quality, 0.5), min(max(resonance.frequencyHz, 0.1), 20))
        // Forward, left, up: each way has a mode of its own near by.
        let frequencies = Vector(random.uniform(in: 0.9...1.1), random.uniform(in: 0.9...1.1), 1) * frequency
        let shares = Vector(random.uniform(in: 0...0.5), random.uniform(in: 0...0.5), 1)
        modes = Oscillator(frequencyHz: frequencies, damping: 0.5 / quality)
        angular = frequencies * (2 * Double.pi)
        // White noise of density σ² makes ω₀·x′ of a lightly damped mode vary by ω₀σ²Q/2.
        let amplitudes = shares * (resonance.rms / shares.length)
        let densities = amplitudes * amplitudes * 2 / (angular * quality)
        kick = (densities / PhysicsStep.seconds).squareRoot()
    }

    /// The floor's acceleration in this step, m/s². The force is one that falls with frequency, so that both sides of
    /// the resonance are quiet.
    mutating func advance(_ random: inout RandomSource) -> Vector {
        modes.advance(drive: random.deviates() * kick)
        return modes.velocity * angular
    }
}

/// A hand that now and then touches the holder: a push of a tenth of a second or so from any side.
private struct HandTouch {
    private let chanceAStep: Double
    private let seconds: ClosedRange<Double>
    private var remainingSteps = 0
    private var totalSteps = 1
    private var push = Vector.zero

    init(perMinute: Double, seconds: ClosedRange<Double>) {
        chanceAStep = perMinute / 60 * PhysicsStep.seconds
        self.seconds = seconds
    }

    /// The acceleration of this step, m/s²: a half sine while the hand pushes.
    mutating func advance(_ random: inout RandomSource) -> Vector {
        if remainingSteps == 0 {
            guard random.chance(chanceAStep) else { return .zero }
            totalSteps = Int(random.uniform(in: seconds) * PhysicsStep.rateHz)
            remainingSteps = totalSteps
            push = random.direction() * random.uniform(in: 0.5...3)
        }
        remainingSteps -= 1
        return push * sine(.pi * Double(totalSteps - remainingSteps) / Double(totalSteps))
    }
}
