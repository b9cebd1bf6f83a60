/// A handle that a walker's hands lie on, with the sensor on the wrist.
public enum Handle: Sendable, Hashable, CaseIterable {
    /// That of a pram or a trolley, which rolls before the walker.
    case cart
    /// The rail of a treadmill, which stands still but for the jolts of its deck.
    case rail
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
struct HeldHandle: Sendable {
    /// The handle beside the trunk.
    private var beside: Oscillator<SIMD3<Double>>
    /// How much of the elbow's movement the wrist makes.
    private let lever: Double
    private var floor: Rumble
    private let floorSpeed: Double
    private var deck: Oscillator<SIMD3<Double>>
    private let deckVelocity: Double
    private var tremor: Rumble
    private var lastPitch: SIMD3<Double>?
    private var speed = 0.0

    /// From the elbow to the grip, in metres.
    private static let forearmMetres = 0.33
    /// What stays where it is while the trunk moves, in Hz.
    private static let fixedHz = 0.4

    init(_ handle: Handle, random: inout RandomSource) {
        let rolling = handle == .cart ? random.uniform(in: 0.5...1.2) : Self.fixedHz
        let aside = handle == .cart ? random.uniform(in: 0.4...0.8) : Self.fixedHz
        beside = Oscillator(frequencyHz: SIMD3(rolling, aside, Self.fixedHz), damping: random.uniform(in: 0.5...0.9))
        lever = random.uniform(in: 0.15...0.3)
        floorSpeed = handle == .cart ? random.uniform(in: 0.1...0.8) : random.uniform(in: 0.03...0.15)
        floor = Rumble(rms: 1, bandwidthHz: 15, stepSeconds: PhysicsStep.seconds)
        deck = Oscillator(frequencyHz: SIMD3(repeating: random.uniform(in: 8...18)), damping: 0.25)
        deckVelocity = handle == .rail ? random.uniform(in: 0.003...0.02) : 0
        tremor = Rumble(rms: random.uniform(in: 0.02...0.06), bandwidthHz: 10, stepSeconds: PhysicsStep.seconds)
    }

    /// What the wrist feels when the trunk is accelerated (forward, left, up; without gravity).
    mutating func advance(
        _ gait: Gait, isContact: Bool, root: SIMD3<Double>, random: inout RandomSource
    ) -> BodyMotion {
        floor.advance(&random)
        tremor.advance(&random)
        speed += ((gait.isStepping ? 1 : 0) - speed) * (PhysicsStep.seconds / 0.5)
        if isContact { deck.strike(SIMD3(0.3, gait.isLeft ? 0.3 : -0.3, -1) * (deckVelocity * gait.landedStrength)) }
        deck.advance(drive: SIMD3(repeating: 0), stepSeconds: PhysicsStep.seconds)
        beside.advance(drive: SIMD3(repeating: 0) - root, stepSeconds: PhysicsStep.seconds)
        let shaken = deck.acceleration + floor.value * (floorSpeed * speed) + tremor.value
        let carried = root + (1 - lever) * beside.acceleration
        let pitch = SIMD3(0, beside.position.z / Self.forearmMetres, 0)
        let turning = (pitch - (lastPitch ?? pitch)) / PhysicsStep.seconds
        lastPitch = pitch
        return BodyMotion(
            specificForce: Rotation(seenFrom: pitch).applied(to: carried + shaken + SIMD3(0, 0, standardGravity)),
            angularVelocity: turning)
    }
}
