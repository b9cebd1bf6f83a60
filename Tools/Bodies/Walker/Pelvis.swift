package import Lab

/// The movement of a body's middle over its stepping feet, and the shock of a foot's contact.
///
/// Walking is an inverted pendulum: with legs of length l and steps of length s the body would rise by l − √(l² − s²/4)
/// in each step; knees, ankles and feet flatten the arc to the 4 to 5 cm that are measured at ordinary speed, about 60
/// % (S. A. Gard, D. S. Childress, "What determines the vertical displacement of the body during normal walking?", J.
/// Prosthet. Orthot. 13 (2001) 64). Step length follows cadence by the walk ratio of 0.0065 m per step/min (N. Sekiya,
/// H. Nagasaki, Gait Posture 7 (1998) 225). Running is a bouncing spring: a half sine of force while a foot is on the
/// ground, nothing while it is not (R. Blickhan, "The spring-mass model for running and hopping", J. Biomech. 22 (1989)
/// 1217).
///
/// On stairs a leg lifts the body, or lets it down, and little happens until the next one does: our estimate is that its
/// speed upwards swings by 0.8 of the mean, and downwards by 1.2. On the way up that makes forces as in walking, nearly,
/// and greater ones on the way down, as they are on force plates (A. Stacoff, C. Diezi, G. Luder, E. Stüssi, I. A.
/// Kramers-de Quervain, "Ground reaction forces on stairs: effects of stair inclination and age", Gait Posture 21 (2005)
/// 24). The forefoot lands first, softly on the way up; on the way down the fall is stopped soon after, and the trunk
/// moves more to the sides than on the flat (A. Weiss, M. Brozgol, N. Giladi, J. M. Hausdorff, "Can a single lower trunk
/// body-fixed sensor differentiate between level-walking and stair descent and ascent in older adults?", Med. Eng. Phys.
/// 38 (2016) 1146).
package struct Pelvis: Sendable {
    private let legMetres: Double
    private let stanceShare: Double
    private let lateralMetres: Double
    private let waveShare: Double
    private var strength = 0.0
    private var impact: Oscillator<Vector>
    private let impactVelocity: Double

    /// The length of a step over its cadence, in metres per step a second.
    package static let walkRatio = 0.0065 * 60
    private static let flattening = 0.6
    private static let longestStepShare = 1.1
    /// The second harmonic that a stopped fall has beyond that of a step.
    private static let descentSharpness = 0.25
    /// The factor of the sway to the sides then.
    private static let descentSway = 1.5
    /// Seconds in which the amplitude of the gait builds up and dies away.
    private static let buildUpSeconds = 0.25

    /// A body of a given height; the impact is the jump of velocity at contact that reaches the sensor, in m/s.
    package init(heightMetres: Double, impactVelocity: Double, random: inout RandomSource) {
        // Segment lengths as shares of body height: R. Drillis, R. Contini (1966), in D. A. Winter, "Biomechanics and
        // Motor Control of Human Movement": leg 0.530.
        legMetres = 0.530 * heightMetres
        stanceShare = random.uniform(in: 0.6...0.75)
        lateralMetres = random.uniform(in: 0.012...0.025)
        waveShare = random.uniform(in: 0.1...0.3)
        // Shoes, floors and gaits are harder and softer.
        self.impactVelocity = impactVelocity * random.uniform(in: 0.4...1.6)
        let frequency = random.uniform(in: 9...15)
        impact = Oscillator(frequencyHz: Vector(0.8, 0.7, 1) * frequency, damping: random.uniform(in: 0.25...0.4))
    }

    /// The acceleration in one physics step, without gravity: forward, left, up, m/s².
    package mutating func advance(_ gait: Gait, isContact: Bool) -> Vector {
        let target = gait.isStepping ? 1.0 : 0.0
        strength += (target - strength) * (PhysicsStep.seconds / Self.buildUpSeconds)
        if isContact { strike(gait) }
        impact.advance()
        let bounce = gait.isRunning ? running(gait) : walking(gait)
        return bounce * (strength * gait.strength) + impact.acceleration
    }

    private mutating func strike(_ gait: Gait) {
        let pace = 0.55 / gait.evenStepSeconds
        // What a heel strike sends up grows with the speed of a walk, which goes with the square of its cadence (A.
        // Voloshin, "The influence of walking speed on dynamic loading on the human musculoskeletal system", Med. Sci.
        // Sports Exerc. 32 (2000) 1156).
        let force = Self.landingForce(gait) * (gait.isRunning ? pace : min(pace * pace, pace))
        let side = gait.isLeft ? 0.3 : -0.3
        impact.strike(Vector(-0.5, side, 1) * (impactVelocity * force * strength * gait.landedStrength))
    }

    private static func landingForce(_ gait: Gait) -> Double {
        if gait.isRunning { return 2.5 }
        return gait.stairMetres < 0 ? 1.4 : gait.stairMetres > 0 ? 0.6 : 1
    }

    private func walking(_ gait: Gait) -> Vector {
        let rate = 2 * Double.pi / gait.stepSeconds
        // The body's speed hardly changes from one step to the next: a short step is short in time and in length.
        let speed = Self.walkRatio / (gait.evenStepSeconds * gait.evenStepSeconds)
        let step = min(speed * gait.stepSeconds, legMetres * Self.longestStepShare)
        let rise = legMetres - (legMetres * legMetres - step * step / 4).squareRoot()
        let wave = gait.stairMetres == 0 ? rise * Self.flattening / 2 : Self.stairWave(gait.stairMetres)
        let amplitude = wave * rate * rate
        let angle = 2 * Double.pi * gait.phase
        let sharpness = gait.stairMetres < 0 ? Self.descentSharpness : 0
        let braking = gait.stairMetres == 0 ? 0.6 : 0.6 * min(WalkPlan.treadMetres / step, 1)
        // Lowest, and pushed up hardest, around contact; braked after contact, driven on before it.
        return Vector(
            -braking * amplitude * sine(angle), lateral(gait, rate: rate / 2),
            amplitude * (cosine(angle) + (waveShare + sharpness) * cosine(2 * angle + 1)))
    }

    /// By how much the body goes up and down beside an even rise or fall, in metres.
    private static func stairWave(_ stairMetres: Double) -> Double {
        (stairMetres > 0 ? 0.8 * stairMetres : -1.2 * stairMetres) / (2 * .pi)
    }

    private func running(_ gait: Gait) -> Vector {
        let rate = 2 * Double.pi / gait.stepSeconds
        let stance = gait.phase / stanceShare
        let isOnGround = stance < 1
        let push = isOnGround ? .pi / 2 / stanceShare * sine(.pi * stance) : 0
        let brake = isOnGround ? -0.25 / stanceShare * sine(2 * .pi * stance) : 0
        return Vector(brake * standardGravity, lateral(gait, rate: rate / 2), (push - 1) * standardGravity)
    }

    private func lateral(_ gait: Gait, rate: Double) -> Double {
        let share = gait.stairMetres < 0 ? Self.descentSway : 1
        return share * lateralMetres * rate * rate * sine(gait.stridePhase)
    }
}
