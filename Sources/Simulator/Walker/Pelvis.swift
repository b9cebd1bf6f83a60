/// How a body's middle moves over its stepping feet, and what a foot's contact sends up to it.
///
/// Walking is an inverted pendulum: with legs of length l and steps of length s the body would rise by l − √(l² − s²/4)
/// in each step; knees, ankles and feet flatten the arc to the 4 to 5 cm that are measured at ordinary speed, about 60
/// % (S. A. Gard, D. S. Childress, "What determines the vertical displacement of the body during normal walking?", J.
/// Prosthet. Orthot. 13 (2001) 64). Step length follows cadence by the walk ratio of 0.0065 m per step/min (N. Sekiya,
/// H. Nagasaki, Gait Posture 7 (1998) 225). Running is a bouncing spring: a half sine of force while a foot is on the
/// ground, nothing while it is not (R. Blickhan, "The spring-mass model for running and hopping", J. Biomech. 22 (1989)
/// 1217).
struct Pelvis: Sendable {
    private let legMetres: Double
    private let stanceShare: Double
    private let lateralMetres: Double
    private let waveShare: Double
    private var strength = 0.0
    private var impact: Oscillator<SIMD3<Double>>
    private let impactVelocity: Double

    /// The length of a step over its cadence, in metres per step a second.
    static let walkRatio = 0.0065 * 60
    private static let flattening = 0.6
    private static let longestStepShare = 1.1
    /// Seconds in which the amplitude of the gait builds up and dies away.
    private static let buildUpSeconds = 0.25

    /// A body of a given height; the impact is the jump of velocity at contact that reaches the sensor, in m/s.
    init(heightMetres: Double, impactVelocity: Double, random: inout RandomSource) {
        // Segment lengths as shares of body height: R. Drillis, R. Contini (1966), in D. A. Winter, "Biomechanics and
        // Motor Control of Human Movement": leg 0.530.
        legMetres = 0.530 * heightMetres
        stanceShare = random.uniform(in: 0.6...0.75)
        lateralMetres = random.uniform(in: 0.012...0.025)
        waveShare = random.uniform(in: 0.1...0.3)
        self.impactVelocity = impactVelocity * random.uniform(in: 0.7...1.3)
        let frequency = random.uniform(in: 9...15)
        impact = Oscillator(frequencyHz: SIMD3(0.8, 0.7, 1) * frequency, damping: random.uniform(in: 0.25...0.4))
    }

    /// The acceleration in one physics step, without gravity: forward, left, up, m/s².
    mutating func advance(_ gait: Gait, isContact: Bool) -> SIMD3<Double> {
        let target = gait.isStepping ? 1.0 : 0.0
        strength += (target - strength) * (PhysicsStep.seconds / Self.buildUpSeconds)
        if isContact { strike(gait) }
        impact.advance(drive: SIMD3(repeating: 0), stepSeconds: PhysicsStep.seconds)
        let bounce = gait.isRunning ? running(gait) : walking(gait)
        return bounce * (strength * gait.strength) + impact.acceleration
    }

    private mutating func strike(_ gait: Gait) {
        let force = (gait.isRunning ? 2.5 : 1.0) * (0.55 / gait.evenStepSeconds)
        let side = gait.isLeft ? 0.3 : -0.3
        impact.strike(SIMD3(-0.5, side, 1) * (impactVelocity * force * strength * gait.landedStrength))
    }

    private func walking(_ gait: Gait) -> SIMD3<Double> {
        let rate = 2 * Double.pi / gait.stepSeconds
        // The body's speed hardly changes from one step to the next: a short step is short in time and in length.
        let speed = Self.walkRatio / (gait.evenStepSeconds * gait.evenStepSeconds)
        let step = min(speed * gait.stepSeconds, legMetres * Self.longestStepShare)
        let rise = legMetres - (legMetres * legMetres - step * step / 4).squareRoot()
        let amplitude = rise * Self.flattening / 2 * rate * rate
        let angle = 2 * Double.pi * gait.phase
        // Lowest, and pushed up hardest, around contact; braked after contact, driven on before it.
        return SIMD3(
            -0.6 * amplitude * sine(angle), lateral(gait, rate: rate / 2),
            amplitude * (cosine(angle) + waveShare * cosine(2 * angle + 1)))
    }

    private func running(_ gait: Gait) -> SIMD3<Double> {
        let rate = 2 * Double.pi / gait.stepSeconds
        let stance = gait.phase / stanceShare
        let isOnGround = stance < 1
        let push = isOnGround ? .pi / 2 / stanceShare * sine(.pi * stance) : 0
        let brake = isOnGround ? -0.25 / stanceShare * sine(2 * .pi * stance) : 0
        return SIMD3(brake * standardGravity, lateral(gait, rate: rate / 2), (push - 1) * standardGravity)
    }

    private func lateral(_ gait: Gait, rate: Double) -> Double {
        lateralMetres * rate * rate * sine(gait.stridePhase)
    }
}
