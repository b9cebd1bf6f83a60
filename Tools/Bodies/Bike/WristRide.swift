import Lab

/// A rider with a watch, the hand on the handlebar.
///
/// The trunk leans from side to side once a revolution and nods at each push, so that forearm and watch turn by
/// degrees; the watch feels gravity turn in it more than it is moved. A hand changes its grip now and then, takes a
/// bottle to the mouth and wipes the face with a towel, while the legs go on.
struct WristRide: SimulatedBody {
    private var crank: Crank
    private var hand: RidingHand
    private var rumble: Rumble
    private var lean: (first: Wander, second: Wander, strength: Wander)
    private let reach: (first: Vector, second: Vector)
    private let push: (first: Vector, second: Vector)
    private let phases: (first: Double, second: Double)
    private var turning = Turning()

    init(plan: RidePlan, random: inout RandomSource) {
        crank = Crank(plan: plan, random: &random)
        hand = RidingHand(random: &random)
        rumble = Rumble(rms: random.uniform(in: 0.05...0.3), bandwidthHz: 15)
        lean = (
            Wander(deviation: 0.3, correlationSeconds: 6, random: &random),
            Wander(deviation: 0.4, correlationSeconds: 6, random: &random),
            Wander(deviation: 0.2, correlationSeconds: 4, random: &random)
        )
        // Degrees of lean once a revolution, and of the nod at each push beside it.
        let degrees = random.uniform(in: 0.5...3) * .pi / 180
        let share = random.uniform(in: 0.2...1.2)
        reach = (random.direction() * degrees, random.direction() * (degrees * share))
        // A hand that is held is shaken by some hundredths of gravity at 60 rpm.
        let shaken = random.uniform(in: 0.03...0.3)
        push = (random.direction() * shaken, random.direction() * (shaken * share))
        phases = (random.uniform(in: 0...(2 * .pi)), random.uniform(in: 0...(2 * .pi)))
    }

    mutating func advance(_ random: inout RandomSource) -> BodyMotion {
        let event = crank.advance(&random)
        rumble.advance(&random)
        lean.first.advance(&random)
        lean.second.advance(&random)
        lean.strength.advance(&random)
        hand.advance(&random)
        let first = crank.angle + phases.first + lean.first.value
        let second = 2 * crank.angle + phases.second + lean.second.value
        let strength = min(crank.effort, 1.5) * max(0.3, 1 + lean.strength.value) * hand.hold
        let tilt = (reach.first * cosine(first) + reach.second * cosine(second)) * strength
        let speed = crank.turningRate / (60 * radiansPerSecondPerRPM)
        let moved = (push.first * cosine(first) + push.second * cosine(second)) * (speed * strength)
        let shaken = moved + rumble.value * (0.2 + 0.8 * hand.hold * min(crank.effort, 1))
        var motion = turning.motion(shaken + hand.movement + gravityUp, turnedBy: tilt + hand.pose)
        motion.event = event
        return motion
    }
}

/// The movement of a hand on a ride: it holds the bar in one of several ways, drinks, and wipes.
struct RidingHand: Sendable {
    /// The share of the body's movement that reaches it, 0…1.
    var hold: Double { holding.position.x }
    /// Its orientation, as an axis times an angle in radians.
    var pose: Vector { posing.position + rubbing * 0.15 }
    /// Its own acceleration, m/s².
    var movement: Vector { rubbing * 5 + rest.value }

    private var posing = Oscillator<Vector>(frequencyHz: Vector(repeating: 1.2), damping: 0.9)
    private var holding = Oscillator<SIMD2<Double>>(frequencyHz: SIMD2(1, 1), damping: 1)
    private var rest = Rumble(rms: 0.05, bandwidthHz: 2)
    private var aim: Vector
    private var grip: Vector
    private var aimedHold = 1.0
    private var rubbing = Vector.zero
    private var rubDirection = Vector.zero
    private var rubRate = 0.0
    private var rubAngle = 0.0
    private var remainingSeconds: Double
    private var isBusy = false

    init(random: inout RandomSource) {
        grip = random.direction() * random.uniform(in: 0...1.2)
        aim = grip
        remainingSeconds = random.uniform(in: 10...40)
    }

    mutating func advance(_ random: inout RandomSource) {
        remainingSeconds -= PhysicsStep.seconds
        if remainingSeconds <= 0 { choose(&random) }
        posing.advance(towards: aim)
        holding.advance(towards: SIMD2(aimedHold, 0))
        rest.advance(&random)
        rubAngle += 2 * .pi * rubRate * PhysicsStep.seconds
        rubbing = rubDirection * sine(rubAngle)
    }

    /// After each of its doings the hand goes back to the bar for a while.
    private mutating func choose(_ random: inout RandomSource) {
        rubDirection = .zero
        aimedHold = 1
        guard !isBusy else {
            isBusy = false
            aim = grip
            remainingSeconds = random.uniform(in: 15...60)
            return
        }
        isBusy = true
        let doing = random.uniform()
        if doing < 0.5 {
            grip = random.direction() * random.uniform(in: 0...1.2)
            aim = grip
            remainingSeconds = 0.5
        } else if doing < 0.8 {
            aim = grip + random.direction() * random.uniform(in: 0.8...1.5)
            aimedHold = random.uniform(in: 0.3...0.8)
            remainingSeconds = random.uniform(in: 3...6)
        } else {
            aim = grip + random.direction() * random.uniform(in: 0.6...1.2)
            aimedHold = 0.3
            rubDirection = random.direction() * random.uniform(in: 0.5...1.2)
            rubRate = random.uniform(in: 1.5...3)
            remainingSeconds = random.uniform(in: 2...5)
        }
    }
}
