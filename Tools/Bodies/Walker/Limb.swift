package import Lab

/// An arm or a thigh that swings at the rate of the stride, with the sensor on it.
///
/// Muscles pull the limb towards where the gait wants it, through a damped pendulum, so that its motion is smooth
/// whatever the steps do; it swings as far as the steps are long. Amplitudes: arm ±6° to ±16° in walking (P. Meyns, S.
/// M. Bruijn, J. Duysens, "The how and why of arm swing during human walking", Gait Posture 38 (2013) 555), thigh about
/// ±20° (D. A. Winter, "Biomechanics and Motor Control of Human Movement"). A second harmonic of a quarter of the first
/// in walking and of a seventh in running is our estimate of the curves that Winter and T. F. Novacheck ("The
/// biomechanics of running", Gait Posture 7 (1998) 77) draw of the hip's angle: a runner's thigh swings nearly as a sine.
/// On stairs a thigh follows its ``GaitCurve``, and an arm swings half as far.
package struct Limb: SensorCarrier {
    private let leverMetres: Double
    private let isLeg: Bool
    private let walkingSwing: Double
    private let runningSwing: Double
    private let lag: Double
    private let flexionShare: (walking: Double, running: Double)
    private var swing = Oscillator<SIMD2<Double>>(frequencyHz: SIMD2(3.5, 0.7), damping: damping)
    private var strength = 0.0
    private var gesture = 0.0
    private let gestureChance: Double
    private let gestureRange: ClosedRange<Double>

    private static let damping = 0.7
    /// The lag of the pendulum, in seconds: 2ζ/ω.
    private static let lagSeconds = 2 * damping / (2 * .pi * 3.5)
    /// The swing of an arm on stairs, as a share of that on the flat.
    private static let stairSwing = 0.5

    package init(placement: SimulatedPlacement, heightMetres: Double, plan: WalkPlan, random: inout RandomSource) {
        gestureChance = plan.gestureChance
        isLeg = placement == .pocket || placement == .thigh
        lag = random.uniform(in: -0.4...0.4)
        switch placement {
        case .wrist:
            // Upper arm 0.186 and forearm 0.146 of body height (Drillis and Contini).
            leverMetres = 0.332 * heightMetres
            walkingSwing = plan.armSwing * random.uniform(in: 0.1...0.28)
            runningSwing = plan.armSwing * random.uniform(in: 0.3...0.5)
            flexionShare = (0.15, 0.15)
            gestureRange = -0.2...1.4
        case .pocket, .thigh:
            leverMetres =
                placement == .pocket
                ? random.uniform(in: 0.15...0.25) : 0.245 * heightMetres * random.uniform(in: 0.4...0.75)
            walkingSwing = random.uniform(in: 0.3...0.42)
            runningSwing = random.uniform(in: 0.45...0.65)
            flexionShare = (0.25, 0.14)
            gestureRange = -0.1...0.5
        case .hip, .hand, .bag, .frame, .crank, .ankle:
            leverMetres = 0
            walkingSwing = 0.03
            runningSwing = 0.06
            flexionShare = (0.5, 0.5)
            gestureRange = -0.1...0.2
        }
    }

    package mutating func advance(_ gait: Gait, _ trunk: TrunkMotion, random: inout RandomSource) -> BodyMotion {
        gesticulate(gait, &random)
        strength += (reach(gait) - strength) * (PhysicsStep.seconds / 0.35)
        let target = strength * (isClimbing(gait) ? onStairs(gait) : swinging(gait))
        swing.advance(towards: SIMD2(target, gesture))
        return motion(root: trunk.acceleration)
    }

    /// True if this is a leg on stairs.
    private func isClimbing(_ gait: Gait) -> Bool { isLeg && gait.stairMetres != 0 }

    /// The amplitude of the limb's swing, in radians; on stairs, a leg's share of its cycle.
    private func reach(_ gait: Gait) -> Double {
        guard gait.isStepping else { return 0 }
        if isClimbing(gait) { return 1 }
        if gait.stairMetres != 0 { return Self.stairSwing * walkingSwing }
        return gait.stepLength * (gait.isRunning ? runningSwing : walkingSwing)
    }

    private func swinging(_ gait: Gait) -> Double {
        let angle = gait.stridePhase + lag
        let share = gait.isRunning ? flexionShare.running : flexionShare.walking
        return sine(angle) + share * sine(2 * angle + 0.7)
    }

    /// The angle of a thigh on stairs, whose foot lands when the stride is at half.
    private func onStairs(_ gait: Gait) -> Double {
        let place = gait.stridePhase / (2 * .pi) + 0.5 + Self.lagSeconds / (2 * gait.stepSeconds)
        return (gait.stairMetres > 0 ? GaitCurve.thighUpstairs : .thighDownstairs).value(
            at: place - place.rounded(.down))
    }

    private mutating func gesticulate(_ gait: Gait, _ random: inout RandomSource) {
        if gait.isStepping {
            gesture = 0
        } else if random.chance(gestureChance) {
            gesture = random.uniform(in: gestureRange)
        }
    }

    /// The limb hangs down from its root and is swung forward by the angle θ about the axis to the left.
    private func motion(root: Vector) -> BodyMotion {
        let angle = swing.position.sum()
        let rate = swing.velocity.sum()
        let turning = swing.acceleration.sum()
        let (cosineOfAngle, sineOfAngle) = (cosine(angle), sine(angle))
        var force = root
        force.x += leverMetres * (turning * cosineOfAngle - rate * rate * sineOfAngle)
        force.z += leverMetres * (turning * sineOfAngle + rate * rate * cosineOfAngle) + standardGravity
        return BodyMotion(specificForce: alongLimb(force, swungBy: angle), angularVelocity: Vector(0, -rate, 0))
    }
}
