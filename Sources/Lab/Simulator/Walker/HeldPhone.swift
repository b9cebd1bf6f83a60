/// A phone that is held before the body, read and typed on.
///
/// Elbow and shoulder give way as springs between the trunk and the hand: they pass on what is slow, keep off what is
/// quick, and turn the forearm about the elbow as the hand goes up and down. An arm that holds a posture is as stiff as
/// some tens to hundreds of N/m (H. Gomi, M. Kawato, "Human arm stiffness and equilibrium-point trajectory during
/// multi-joint movement", Biol. Cybern. 76 (1997) 163), and with about 1.5 kg swings one to three times a second. A hand
/// trembles at some 10 Hz (J. H. McAuley, C. D. Marsden, "Physiological and pathological tremors and rhythmic central
/// motor control", Brain 123 (2000) 1545). How much of the trunk's jolts comes past the arm, typing and gestures are
/// our estimates, by walks on record.
struct HeldPhone: Sendable {
    private var arm: Oscillator<SIMD3<Double>>
    /// How much of the trunk's movement reaches the hand past the springs, through upper arms that lie on the body.
    private let bracing: Double
    private var touch: Oscillator<SIMD3<Double>>
    private var posture = Oscillator<SIMD3<Double>>(frequencyHz: SIMD3(repeating: 0.9), damping: 0.9)
    private var tremor: Rumble
    private var idle: Rumble
    private var aim = SIMD3<Double>(repeating: 0)
    private var lastTurn: SIMD3<Double>?
    private var typingSeconds = 0.0
    private let gestureChance: Double

    /// From the elbow to the phone, in metres.
    private static let forearmMetres = 0.33
    /// Typing begins so often a second, and taps so often while it lasts; a tap's jump of velocity, m/s.
    private static let typingChance = 0.08 * PhysicsStep.seconds
    private static let tapChance = 4 * PhysicsStep.seconds
    private static let tapVelocity = 0.004...0.02

    init(gesturesPerMinute: Double, random: inout RandomSource) {
        let frequency = SIMD3(random.uniform(in: 1...2.2), random.uniform(in: 1...2.2), random.uniform(in: 1.2...2.6))
        arm = Oscillator(frequencyHz: frequency, damping: random.uniform(in: 0.4...0.8))
        bracing = random.uniform(in: 0.2...0.6)
        touch = Oscillator(frequencyHz: SIMD3(repeating: random.uniform(in: 9...16)), damping: 0.4)
        tremor = Rumble(rms: random.uniform(in: 0.02...0.08), bandwidthHz: 10, stepSeconds: PhysicsStep.seconds)
        idle = Rumble(rms: 0.04, bandwidthHz: 0.3, stepSeconds: PhysicsStep.seconds)
        gestureChance = gesturesPerMinute / 60 * PhysicsStep.seconds
    }

    /// What the phone feels when the trunk is accelerated (forward, left, up; without gravity).
    mutating func advance(_ gait: Gait, root: SIMD3<Double>, random: inout RandomSource) -> BodyMotion {
        use(gait, &random)
        tremor.advance(&random)
        idle.advance(&random)
        arm.advance(drive: SIMD3(repeating: 0) - root, stepSeconds: PhysicsStep.seconds)
        touch.advance(drive: SIMD3(repeating: 0), stepSeconds: PhysicsStep.seconds)
        posture.advance(drive: posture.pull(towards: aim), stepSeconds: PhysicsStep.seconds)
        let pitch = SIMD3(0, -arm.position.z / Self.forearmMetres, 0)
        let turn = posture.position + idle.value + pitch
        let turning = (turn - (lastTurn ?? turn)) / PhysicsStep.seconds
        lastTurn = turn
        let carried = root + (1 - bracing) * arm.acceleration
        let moved = touch.acceleration + tremor.value + posture.acceleration * (0.5 * Self.forearmMetres)
        return BodyMotion(
            specificForce: Rotation(seenFrom: turn).applied(to: carried + moved + SIMD3(0, 0, standardGravity)),
            angularVelocity: turning)
    }

    /// Types for some seconds now and then; who stands lowers the phone or lifts it to the ear as well.
    private mutating func use(_ gait: Gait, _ random: inout RandomSource) {
        typingSeconds -= PhysicsStep.seconds
        if typingSeconds <= 0, random.chance(Self.typingChance) { typingSeconds = random.uniform(in: 2...10) }
        if typingSeconds > 0, random.chance(Self.tapChance) {
            touch.strike(SIMD3(0.3, 0, -1) * random.uniform(in: Self.tapVelocity))
        }
        if gait.isStepping {
            aim = SIMD3(repeating: 0)
        } else if random.chance(gestureChance) {
            aim = random.direction() * random.uniform(in: 0...1.2)
        }
    }
}
