import Lab

/// The lower leg of a walker, with the sensor strapped to it between the ankle and the middle of the shin.
///
/// The foot stands while the other one swings, and the shank turns over the ankle; then the ankle goes to where the foot
/// lands next. Where it goes and how the shank is turned is that of a ``LegCycle``; muscles pull it there through
/// a damped pendulum, so that its motion is smooth whatever the steps do. Step length follows cadence as it does for the
/// ``Pelvis``.
///
/// The landing of its own foot jolts the shank along its axis by 2 to 4 g in walking and by more in running (M. A.
/// Lafortune, "Three-dimensional acceleration of the tibia during walking and running", J. Biomech. 24 (1991) 877), for
/// some hundredths of a second; of the other foot's it feels little.
struct Shank: SensorCarrier {
    /// Forward, up, the angle of the shank forward of straight down, and that by which a standing walker swings it.
    private var leg = Oscillator<SIMD4<Double>>(frequencyHz: SIMD4(7, 7, 7, 1), damping: Self.damping)
    private var impact: Oscillator<Vector>
    /// True if the sensor is on the left leg.
    private let isLeft: Bool
    /// From the ankle up to the sensor, and from the knee down to the ankle.
    private let heightMetres: Double
    private let lengthMetres: Double
    /// The factors by which one gait differs from another.
    private let kneeShare: Double
    private let stanceShare: Double
    private let runningSpeed: Double
    private let standingAngle: Double
    /// The jump of velocity at contact, in m/s, and how much of the other foot's is felt.
    private let impactVelocity: Double
    private let otherShare: Double
    private let gestureChance: Double

    private var cycle = LegCycle.walk
    private var strength = 0.0
    /// The angle of the shank that the last step asked for.
    private var aim = 0.0
    private var base = SIMD2<Double>(0, 0)
    private var strideMetres = 0.0
    private var riseMetres = 0.0
    private var wasStepping = false
    private var gesture = 0.0
    private var isLifted = false

    private static let damping = 0.8
    /// The lag of the pendulum, in seconds: 2ζ/ω.
    private static let lagSeconds = 2 * damping / (2 * .pi * 7)
    /// The step of which the cycle of walking was drawn, in metres, and the speed of that of running, in m/s.
    private static let drawnStepMetres = 0.7
    private static let drawnSpeed = 3.0
    private static let buildUpSeconds = 0.2

    init(heightMetres: Double, plan: WalkPlan, random: inout RandomSource) {
        isLeft = random.chance(0.5)
        // Most wear it just above the ankle, some where a shin guard would be. Segments: Drillis and Contini.
        lengthMetres = 0.246 * heightMetres
        self.heightMetres = random.chance(0.7) ? random.uniform(in: 0.02...0.2) : random.uniform(in: 0.2...0.32)
        kneeShare = random.uniform(in: 0.85...1.12)
        stanceShare = random.uniform(in: -0.015...0.015)
        runningSpeed = random.uniform(in: 2.2...3.8)
        standingAngle = random.uniform(in: -0.12...0.02)
        impactVelocity = random.uniform(in: 0.2...0.4)
        otherShare = random.uniform(in: 0.05...0.2)
        let frequency = random.uniform(in: 14...24)
        impact = Oscillator(
            frequencyHz: Vector(0.8, 0.8, 1) * frequency, damping: random.uniform(in: 0.2...0.35))
        gestureChance = plan.gestureChance
    }

    mutating func advance(_ gait: Gait, _ trunk: TrunkMotion, random: inout RandomSource) -> BodyMotion {
        gesticulate(gait, &random)
        strength += ((gait.isStepping ? 1 : 0) - strength) * (PhysicsStep.seconds / Self.buildUpSeconds)
        if trunk.isContact { land(gait) }
        if gait.isStepping != wasStepping { turn(gait) }
        let target = gait.isStepping ? stepping(gait) : Vector(base.x, base.y, aim)
        aim = target.z
        let angle = strength * aim + (1 - strength) * standingAngle
        leg.advance(towards: SIMD4(target.x, target.y, angle, gesture))
        impact.advance()
        return motion(0.5 * trunk.sway + Vector(0, 0, gait.isStepping ? 0 : trunk.lift))
    }

    /// True if the step under way is this foot's, which ends with its contact.
    private func isOwn(_ gait: Gait) -> Bool { gait.isLeft == isLeft }

    /// A foot has touched the ground: `gait` is in the next step already, of the other one.
    private mutating func land(_ gait: Gait) {
        let isMine = gait.isLeft != isLeft
        let force = gait.landedStrength * min(0.55 / gait.evenStepSeconds, 1.3) * landingForce(gait)
        let side = isLeft ? 0.15 : -0.15
        impact.strike(Vector(0.4, side, -1) * (impactVelocity * force * (isMine ? 1 : otherShare)))
        guard isMine, wasStepping else { return }
        base += SIMD2(strideMetres, riseMetres)
        choose(gait, steps: 2)
    }

    private func landingForce(_ gait: Gait) -> Double {
        if gait.isRunning { return 1.5 }
        return gait.stairMetres < 0 ? 1.2 : gait.stairMetres > 0 ? 0.6 : 1
    }

    /// Begins to walk, or stands.
    private mutating func turn(_ gait: Gait) {
        wasStepping = gait.isStepping
        if gait.isStepping {
            choose(gait, steps: isOwn(gait) ? 1 : 2)
        } else {
            (strideMetres, riseMetres) = (0, 0)
        }
    }

    /// The parameters of the stride that begins, with the number of steps to the foot's next contact.
    private mutating func choose(_ gait: Gait, steps: Double) {
        if gait.stairMetres != 0 {
            cycle = .stairs(gait)
            strideMetres = steps * WalkPlan.treadMetres
        } else {
            cycle = gait.isRunning ? .run : .walk
            strideMetres = steps * stepMetres(gait)
        }
        riseMetres = steps * gait.stairMetres
    }

    /// The length of a step on the flat.
    private func stepMetres(_ gait: Gait) -> Double {
        gait.isRunning ? runningSpeed * gait.evenStepSeconds : Pelvis.walkRatio / gait.evenStepSeconds
    }

    /// The reach of the steps, relative to those of which the cycle was drawn: of the thigh, and of the knee, which
    /// bends in short steps as well.
    private func reach(_ gait: Gait) -> (thigh: Double, knee: Double) {
        guard gait.stairMetres == 0 else { return (1, kneeShare) }
        let share =
            gait.isRunning ? runningSpeed / Self.drawnSpeed : stepMetres(gait) / Self.drawnStepMetres
        let thigh = min(max(share, 0.35), 1.2)
        return (thigh, (0.55 + 0.45 * thigh) * kneeShare)
    }

    /// The target of the ankle in a step, and the angle of the shank.
    private func stepping(_ gait: Gait) -> Vector {
        let place = 0.5 * (gait.phase + Self.lagSeconds / gait.stepSeconds + (isOwn(gait) ? 1 : 0))
        let isNext = place >= 1
        let share = warped(isNext ? place - 1 : place, gait)
        let reach = reach(gait)
        let angle = reach.thigh * cycle.thigh.value(at: share) - reach.knee * cycle.knee.value(at: share)
        let came = isNext ? 1 : cycle.forward.value(at: share)
        let rose = isNext ? 1 : cycle.climb.value(at: share)
        return Vector(
            base.x + strideMetres * came, base.y + riseMetres * rose + reach.knee * cycle.height.value(at: share),
            angle)
    }

    /// The share of the drawn cycle at a share of this stride: who walks slowly stands on both feet for longer (M. P.
    /// Murray, "Gait as a total pattern of movement", Am. J. Phys. Med. 46 (1967) 290: 60 % at 117 and 65 % at 80 steps
    /// a minute).
    private func warped(_ share: Double, _ gait: Gait) -> Double {
        let slowness = gait.isRunning ? 0 : min(max(0.26 * (gait.evenStepSeconds - 0.52), -0.02), 0.1)
        let toeOff = cycle.toeOff + slowness + stanceShare
        return share < toeOff
            ? share * cycle.toeOff / toeOff : 1 - (1 - share) * (1 - cycle.toeOff) / (1 - toeOff)
    }

    /// A standing walker swings the shank about the knee now and then, and sets the foot down again.
    private mutating func gesticulate(_ gait: Gait, _ random: inout RandomSource) {
        if gait.isStepping {
            (gesture, isLifted) = (0, false)
        } else if random.chance(gestureChance) {
            gesture = gesture == 0 ? random.uniform(in: -1...0.5) : 0
            isLifted = isLifted || gesture != 0
        } else if isLifted, gesture == 0, abs(leg.position.w) < 0.03 {
            isLifted = false
            impact.strike(Vector(0, 0, -0.3 * impactVelocity))
        }
    }

    /// The ankle moves, the shank turns about it, and the sensor is on the shank.
    private func motion(_ shaken: Vector) -> BodyMotion {
        let angle = leg.position.z + leg.position.w
        let rate = leg.velocity.z + leg.velocity.w
        let turning = leg.acceleration.z + leg.acceleration.w
        let (cosineOfAngle, sineOfAngle) = (cosine(angle), sine(angle))
        // In a gesture it is the knee that rests.
        let swing = SIMD2(cosine(leg.position.w), sine(leg.position.w)) * lengthMetres
        let (swingTurning, swingSquare) = (leg.acceleration.w, leg.velocity.w * leg.velocity.w)
        let force = Vector(
            leg.acceleration.x + swing.x * swingTurning - swing.y * swingSquare
                - heightMetres * (cosineOfAngle * turning - sineOfAngle * rate * rate),
            0,
            leg.acceleration.y + swing.y * swingTurning + swing.x * swingSquare
                - heightMetres * (sineOfAngle * turning + cosineOfAngle * rate * rate) + standardGravity)
        return BodyMotion(
            specificForce: alongLimb(force + shaken, swungBy: angle) + impact.acceleration,
            angularVelocity: Vector(0, -rate, 0))
    }
}
