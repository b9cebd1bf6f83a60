import Lab

/// A phone that is held before the body, read and typed on.
///
/// Elbow and shoulder give way as springs between the trunk and the hand: they pass on what is slow, keep off what is
/// quick, and turn the forearm about the elbow as the hand goes up and down. An arm that holds a posture is as stiff as
/// some tens to hundreds of N/m (H. Gomi, M. Kawato, "Human arm stiffness and equilibrium-point trajectory during
/// multi-joint movement", Biol. Cybern. 76 (1997) 163), and with about 1.5 kg swings one to three times a second. A hand
/// trembles at some 10 Hz (J. H. McAuley, C. D. Marsden, "Physiological and pathological tremors and rhythmic central
/// motor control", Brain 123 (2000) 1545). How much of the trunk's jolts comes past the arm, typing and gestures are
/// our estimates, by walks on record.
struct HeldPhone: SensorCarrier {
    private var arm: Oscillator<Vector>
    /// The share of the trunk's movement that reaches the hand past the springs, through upper arms that lie on the
    /// body.
    private let bracing: Double
    private var touch: Oscillator<Vector>
    private var posture = Oscillator<Vector>(frequencyHz: Vector(repeating: 0.9), damping: 0.9)
    private var tremor: Rumble
    private var idle = Rumble(rms: 0.04, bandwidthHz: 0.3)
    private var aim = Vector.zero
    private var turning = Turning()
    private var typingSeconds = 0.0
    private let gestureChance: Double

    /// From the elbow to the phone, in metres.
    private static let forearmMetres = 0.33
    /// Typing begins so often a second, and taps so often while it lasts; a tap's jump of velocity, m/s.
    private static let typingChance = 0.08 * PhysicsStep.seconds
    private static let tapChance = 4 * PhysicsStep.seconds
    private static let tapVelocity = 0.004...0.02

    init(plan: WalkPlan, random: inout RandomSource) {
        let frequency = Vector(random.uniform(in: 1...2.2), random.uniform(in: 1...2.2), random.uniform(in: 1.2...2.6))
        arm = Oscillator(frequencyHz: frequency, damping: random.uniform(in: 0.4...0.8))
        bracing = random.uniform(in: 0.2...0.6)
        touch = Oscillator(frequencyHz: Vector(repeating: random.uniform(in: 9...16)), damping: 0.4)
        tremor = Rumble(rms: random.uniform(in: 0.02...0.08), bandwidthHz: 10)
        gestureChance = plan.gestureChance
    }

    mutating func advance(_ gait: Gait, _ trunk: TrunkMotion, random: inout RandomSource) -> BodyMotion {
        use(gait, &random)
        tremor.advance(&random)
        idle.advance(&random)
        arm.advance(drive: -trunk.acceleration)
        touch.advance()
        posture.advance(towards: aim)
        let pitch = Vector(0, -arm.position.z / Self.forearmMetres, 0)
        let carried = trunk.acceleration + (1 - bracing) * arm.acceleration
        let moved = touch.acceleration + tremor.value + posture.acceleration * (0.5 * Self.forearmMetres)
        return turning.motion(carried + moved + gravityUp, turnedBy: posture.position + idle.value + pitch)
    }

    /// Types for some seconds now and then; who stands lowers the phone or lifts it to the ear as well.
    private mutating func use(_ gait: Gait, _ random: inout RandomSource) {
        typingSeconds -= PhysicsStep.seconds
        if typingSeconds <= 0, random.chance(Self.typingChance) { typingSeconds = random.uniform(in: 2...10) }
        if typingSeconds > 0, random.chance(Self.tapChance) {
            touch.strike(Vector(0.3, 0, -1) * random.uniform(in: Self.tapVelocity))
        }
        if gait.isStepping {
            aim = .zero
        } else if random.chance(gestureChance) {
            aim = random.direction() * random.uniform(in: 0...1.2)
        }
    }
}

/// A forearm between a trunk that moves and a handle that hardly does.
///
/// The elbow goes with the trunk and the hand stays on the handle, so that a watch, a hand's breadth from the grip,
/// feels a fifth or so of the trunk's movement, and is tilted in the rhythm of the steps. Arms push a cart as springs of
/// some hundreds of N/m do (H. Gomi, M. Kawato, "Human arm stiffness and equilibrium-point trajectory during multi-joint
/// movement", Biol. Cybern. 76 (1997) 163), and with 12 to 40 kg it swings about once a second or more slowly; wheels keep
/// it on the ground. How rough floors are, and how far a treadmill's frame is shaken by feet, are our estimates. Watches
/// are known to lose 8 to 94 % of such steps ("Step-counting validity of wrist-worn activity monitors during activities
/// with fixed upper extremities": three watches, behind prams and on a treadmill).
struct HeldHandle: SensorCarrier {
    /// The handle beside the trunk.
    private var beside: Oscillator<Vector>
    /// The movement of the wrist as a share of that of the elbow.
    private let lever: Double
    private var floor = Rumble(rms: 1, bandwidthHz: 15)
    private let floorSpeed: Double
    private var deck: Oscillator<Vector>
    private let deckVelocity: Double
    private var tremor: Rumble
    private var turning = Turning()
    private var speed = 0.0

    /// From the elbow to the grip, in metres.
    private static let forearmMetres = 0.33
    /// The frequency above which the device stays in place while the trunk moves, in Hz.
    private static let fixedHz = 0.4

    init(_ handle: Handle, random: inout RandomSource) {
        let rolling = handle == .cart ? random.uniform(in: 0.5...1.2) : Self.fixedHz
        let aside = handle == .cart ? random.uniform(in: 0.4...0.8) : Self.fixedHz
        beside = Oscillator(frequencyHz: Vector(rolling, aside, Self.fixedHz), damping: random.uniform(in: 0.5...0.9))
        lever = random.uniform(in: 0.15...0.3)
        floorSpeed = handle == .cart ? random.uniform(in: 0.1...0.8) : random.uniform(in: 0.03...0.15)
        deck = Oscillator(frequencyHz: Vector(repeating: random.uniform(in: 8...18)), damping: 0.25)
        deckVelocity = handle == .rail ? random.uniform(in: 0.003...0.02) : 0
        tremor = Rumble(rms: random.uniform(in: 0.02...0.06), bandwidthHz: 10)
    }

    mutating func advance(_ gait: Gait, _ trunk: TrunkMotion, random: inout RandomSource) -> BodyMotion {
        floor.advance(&random)
        tremor.advance(&random)
        speed += ((gait.isStepping ? 1 : 0) - speed) * (PhysicsStep.seconds / 0.5)
        if trunk.isContact {
            deck.strike(Vector(0.3, gait.isLeft ? 0.3 : -0.3, -1) * (deckVelocity * gait.landedStrength))
        }
        deck.advance()
        beside.advance(drive: -trunk.acceleration)
        let shaken = deck.acceleration + floor.value * (floorSpeed * speed) + tremor.value
        let carried = trunk.acceleration + (1 - lever) * beside.acceleration
        let pitch = Vector(0, beside.position.z / Self.forearmMetres, 0)
        return turning.motion(carried + shaken + gravityUp, turnedBy: pitch)
    }
}

/// A bag with the sensor in it: on the back, where straps give way as springs, or hanging from a shoulder.
///
/// What hangs from a shoulder is a pendulum in both directions, whose top is moved by the trunk; it rubs on clothes,
/// and knocks against the body that it lies on. How springy straps are, and how much of the trunk's jolts comes past
/// them, are our estimates, by walks on record.
struct Bag: SensorCarrier {
    private let isOnBack: Bool
    private var straps: Oscillator<Vector>
    /// The share of the trunk's movement that reaches it past the straps.
    private let lying: Double
    private let hangMetres: Double
    private let friction: Double
    /// Its angles forward and away from the body, in radians, and their rates.
    private var angle = SIMD2<Double>(repeating: 0)
    private var angleRate = SIMD2<Double>(repeating: 0)
    private var yaw: Wander
    private var contents: Oscillator<Vector>
    private let handlingChance: Double

    /// The body that it lies on gives way as a spring of 6 Hz does, in 1/s² and 1/s, damped by a third.
    private static let bodyStiffness = 1_400.0
    private static let bodyFriction = 25.0

    init(plan: WalkPlan, random: inout RandomSource) {
        isOnBack = random.chance(0.5)
        lying = random.uniform(in: 0.2...0.7)
        hangMetres = random.uniform(in: 0.3...0.7)
        friction = random.uniform(in: 0.6...2.5)
        let up = isOnBack ? random.uniform(in: 3...6) : random.uniform(in: 4...8)
        straps = Oscillator(frequencyHz: Vector(0.7, 0.7, 1) * up, damping: random.uniform(in: 0.15...0.4))
        yaw = Wander(deviation: 0.15, correlationSeconds: 1.5, random: &random)
        contents = Oscillator(
            frequencyHz: Vector(repeating: random.uniform(in: 8...16)), damping: random.uniform(in: 0.3...0.6))
        handlingChance = plan.gestureChance
    }

    mutating func advance(_ gait: Gait, _ trunk: TrunkMotion, random: inout RandomSource) -> BodyMotion {
        yaw.advance(&random)
        if !gait.isStepping, random.chance(handlingChance) { handle(&random) }
        straps.advance(drive: -trunk.acceleration)
        contents.advance()
        let force =
            trunk.acceleration + (1 - lying) * (isOnBack ? straps.acceleration : Vector(0, 0, straps.acceleration.z))
        return isOnBack ? onBack(force) : hanging(force)
    }

    /// A standing walker shifts it and reaches into it.
    private mutating func handle(_ random: inout RandomSource) {
        straps.strike(random.direction() * random.uniform(in: 0.02...0.2))
        angleRate += SIMD2(random.deviate(), random.deviate()) * 0.5
        contents.strike(random.direction() * random.uniform(in: 0...0.1))
    }

    private func onBack(_ force: Vector) -> BodyMotion {
        BodyMotion(
            specificForce: force + contents.acceleration + gravityUp,
            angularVelocity: Vector(0, -2 * straps.velocity.x, 0))
    }

    /// A pendulum of two small angles; the body is on one side of it.
    private mutating func hanging(_ force: Vector) -> BodyMotion {
        let down = standardGravity + force.z
        var turning = -SIMD2(force.x, force.y) / hangMetres - angle * (down / hangMetres) - angleRate * friction
        let isTouching = angle.y < 0
        let knock = isTouching ? max(-Self.bodyStiffness * angle.y - Self.bodyFriction * angleRate.y, 0) : 0
        turning.y += knock
        angleRate += turning * PhysicsStep.seconds
        angle += angleRate * PhysicsStep.seconds
        // A phone that hangs freely feels the pull of its strap, its rubbing and its knocks.
        let pull = down + hangMetres * (angleRate * angleRate).sum()
        let along = Vector(
            -friction * angleRate.x * hangMetres, (knock - friction * angleRate.y) * hangMetres, pull)
        return BodyMotion(
            specificForce: along + contents.acceleration,
            angularVelocity: Vector(angleRate.y, -angleRate.x, 0.5 * yaw.value))
    }
}
