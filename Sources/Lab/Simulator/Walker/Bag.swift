/// A bag with the sensor in it: on the back, where straps give way as springs, or hanging from a shoulder.
///
/// What hangs from a shoulder is a pendulum in both directions, whose top is moved by the trunk; it rubs on clothes,
/// and knocks against the body that it lies on. How springy straps are, and how much of the trunk's jolts comes past
/// them, are our estimates, by walks on record.
struct Bag: Sendable {
    private let isOnBack: Bool
    private var straps: Oscillator<SIMD3<Double>>
    /// How much of the trunk's movement reaches it past the straps.
    private let lying: Double
    private let hangMetres: Double
    private let friction: Double
    /// How far it hangs forward and away from the body, in radians, and how fast that changes.
    private var angle = SIMD2<Double>(repeating: 0)
    private var angleRate = SIMD2<Double>(repeating: 0)
    private var yaw: Wander
    private var contents: Oscillator<SIMD3<Double>>
    private let handlingChance: Double

    /// The body that it lies on gives way as a spring of 6 Hz does, in 1/s² and 1/s, damped by a third.
    private static let bodyStiffness = 1_400.0
    private static let bodyFriction = 25.0

    init(gesturesPerMinute: Double, random: inout RandomSource) {
        isOnBack = random.chance(0.5)
        lying = random.uniform(in: 0.2...0.7)
        hangMetres = random.uniform(in: 0.3...0.7)
        friction = random.uniform(in: 0.6...2.5)
        let up = isOnBack ? random.uniform(in: 3...6) : random.uniform(in: 4...8)
        straps = Oscillator(frequencyHz: SIMD3(0.7, 0.7, 1) * up, damping: random.uniform(in: 0.15...0.4))
        yaw = Wander(deviation: 0.15, correlationSeconds: 1.5, stepSeconds: PhysicsStep.seconds, random: &random)
        contents = Oscillator(
            frequencyHz: SIMD3(repeating: random.uniform(in: 8...16)), damping: random.uniform(in: 0.3...0.6))
        handlingChance = gesturesPerMinute / 60 * PhysicsStep.seconds
    }

    /// What the sensor feels when the trunk is accelerated (forward, left, up; without gravity).
    mutating func advance(_ gait: Gait, root: SIMD3<Double>, random: inout RandomSource) -> BodyMotion {
        yaw.advance(&random)
        if !gait.isStepping, random.chance(handlingChance) { handle(&random) }
        straps.advance(drive: SIMD3(repeating: 0) - root, stepSeconds: PhysicsStep.seconds)
        contents.advance(drive: SIMD3(repeating: 0), stepSeconds: PhysicsStep.seconds)
        let force = root + (1 - lying) * (isOnBack ? straps.acceleration : SIMD3(0, 0, straps.acceleration.z))
        return isOnBack ? onBack(force) : hanging(force)
    }

    /// Who stands shifts it and reaches into it.
    private mutating func handle(_ random: inout RandomSource) {
        straps.strike(random.direction() * random.uniform(in: 0.02...0.2))
        angleRate += SIMD2(random.deviate(), random.deviate()) * 0.5
        contents.strike(random.direction() * random.uniform(in: 0...0.1))
    }

    private func onBack(_ force: SIMD3<Double>) -> BodyMotion {
        BodyMotion(
            specificForce: force + contents.acceleration + SIMD3(0, 0, standardGravity),
            angularVelocity: SIMD3(0, -2 * straps.velocity.x, 0))
    }

    /// A pendulum of two small angles; the body is on one side of it.
    private mutating func hanging(_ force: SIMD3<Double>) -> BodyMotion {
        let down = standardGravity + force.z
        var turning = -SIMD2(force.x, force.y) / hangMetres - angle * (down / hangMetres) - angleRate * friction
        let isTouching = angle.y < 0
        var knock = 0.0
        if isTouching {
            knock = max(-Self.bodyStiffness * angle.y - Self.bodyFriction * angleRate.y, 0)
            turning.y += knock
        }
        angleRate += turning * PhysicsStep.seconds
        angle += angleRate * PhysicsStep.seconds
        // What moves freely feels the pull of its strap, its rubbing and its knocks.
        let pull = down + hangMetres * (angleRate * angleRate).sum()
        let along = SIMD3(
            -friction * angleRate.x * hangMetres, (knock - friction * angleRate.y) * hangMetres, pull)
        return BodyMotion(
            specificForce: along + contents.acceleration,
            angularVelocity: SIMD3(angleRate.y, -angleRate.x, 0.5 * yaw.value))
    }
}
