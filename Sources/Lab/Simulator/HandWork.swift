/// Work that a hand does over and over: it has a rhythm, as a walk has, and no steps.
package enum HandWork: Sendable, Hashable, CaseIterable {
    /// Long strokes to and fro, rough with grain, that may knock where they end.
    case saw
    /// Short strokes to and fro over something rough.
    case scrub
    /// Long smooth strokes, slow.
    case iron
    /// Circles with a spoon.
    case stir
    /// The forearm is raised and strikes.
    case hammer
    /// A knife that goes up and down on a board.
    case chop
    /// Both hands lean into dough and turn it.
    case knead
    /// A roller up and down a wall.
    case paint
    /// Hands that applaud, two to five times a second (Z. Néda, E. Ravasz, Y. Brechet, T. Vicsek, A.-L. Barabási, "The
    /// sound of many hands clapping", Nature 403 (2000) 849).
    case clap
    /// A bottle or a cup of dice that is shaken.
    case shake
    /// A hand that waves.
    case wave
    /// A toothbrush.
    case brush
    /// A dumbbell that is lifted and let down.
    case curl
    /// The handle of a rowing machine, 18 to 36 strokes a minute.
    case row

    /// The figures of a work, most of them ranges to draw from.
    struct Figures {
        /// Strokes to and fro, circles or blows a second: about what people choose for themselves.
        let rateHz: ClosedRange<Double>
        /// The reach of the hand to either side, in metres.
        let reachMetres: ClosedRange<Double>
        /// The slope of the strokes: on a bench, on a wall, or down on something.
        let slopeRadians: ClosedRange<Double>
        /// The turn of the forearm to either side, in radians.
        let turnRadians: ClosedRange<Double>
        /// The acceleration of the wrist by the grain of the surface at full speed, m/s².
        let grainRMS: ClosedRange<Double>
        /// The jump of velocity of a knock that reaches the wrist, in m/s.
        let knockVelocity: ClosedRange<Double>
        /// The most knocks of a turn: some works knock at both ends.
        var knocksATurn = 1
        /// The most by which the hand is flung to and fro, in m/s²: by more than a gravity it is for a moment only.
        var acceleration: ClosedRange<Double> = 3...10
    }

    var figures: Figures {
        switch self {
        case .saw:
            Figures(
                rateHz: 0.6...1.5, reachMetres: 0.08...0.2, slopeRadians: -0.7...0.7, turnRadians: 0.1...0.4,
                grainRMS: 0.3...2.5, knockVelocity: 0...0.12, knocksATurn: 2)
        case .scrub:
            Figures(
                rateHz: 1.2...2.8, reachMetres: 0.03...0.12, slopeRadians: -0.3...1.5, turnRadians: 0.05...0.25,
                grainRMS: 0.2...1.5, knockVelocity: 0...0.12, knocksATurn: 2)
        case .iron:
            Figures(
                rateHz: 0.3...0.7, reachMetres: 0.08...0.2, slopeRadians: -0.2...0.2, turnRadians: 0.05...0.25,
                grainRMS: 0.03...0.4, knockVelocity: 0...0.04)
        case .stir:
            Figures(
                rateHz: 0.7...1.8, reachMetres: 0.03...0.08, slopeRadians: -0.2...0.2, turnRadians: 0.1...0.4,
                grainRMS: 0.03...0.4, knockVelocity: 0...0.04)
        case .hammer:
            Figures(
                rateHz: 0.7...2, reachMetres: 0.08...0.2, slopeRadians: 1...1.6, turnRadians: 0.3...0.8,
                grainRMS: 0...0.1, knockVelocity: 0.15...0.8)
        case .chop:
            Figures(
                rateHz: 1.4...3.2, reachMetres: 0.015...0.05, slopeRadians: 1...1.6, turnRadians: 0.1...0.3,
                grainRMS: 0...0.1, knockVelocity: 0.03...0.2)
        case .knead:
            Figures(
                rateHz: 0.5...1.1, reachMetres: 0.04...0.12, slopeRadians: 0.2...1, turnRadians: 0.1...0.4,
                grainRMS: 0.03...0.4, knockVelocity: 0...0.04)
        case .paint:
            Figures(
                rateHz: 0.3...0.8, reachMetres: 0.15...0.4, slopeRadians: 1.2...1.57, turnRadians: 0.1...0.4,
                grainRMS: 0.03...0.4, knockVelocity: 0...0.04)
        case .clap:
            Figures(
                rateHz: 2...5, reachMetres: 0.03...0.12, slopeRadians: -0.2...0.2, turnRadians: 0.05...0.25,
                grainRMS: 0...0.1, knockVelocity: 0.1...0.5)
        case .shake:
            Figures(
                rateHz: 2.5...5.5, reachMetres: 0.03...0.12, slopeRadians: -0.5...1.5, turnRadians: 0.2...0.6,
                grainRMS: 0...0.1, knockVelocity: 0...0.04, knocksATurn: 2, acceleration: 8...30)
        case .wave:
            Figures(
                rateHz: 1...2.5, reachMetres: 0.1...0.25, slopeRadians: -0.2...0.2, turnRadians: 0.2...0.6,
                grainRMS: 0...0.1, knockVelocity: 0...0.04)
        case .brush:
            Figures(
                rateHz: 3...5, reachMetres: 0.01...0.03, slopeRadians: -0.6...0.6, turnRadians: 0.05...0.2,
                grainRMS: 0.05...0.4, knockVelocity: 0...0.04)
        case .curl:
            Figures(
                rateHz: 0.25...0.6, reachMetres: 0.12...0.25, slopeRadians: 1.2...1.57, turnRadians: 0.7...1.1,
                grainRMS: 0...0.1, knockVelocity: 0...0.04)
        case .row:
            Figures(
                rateHz: 0.3...0.6, reachMetres: 0.4...0.65, slopeRadians: -0.2...0.2, turnRadians: 0.1...0.4,
                grainRMS: 0.05...0.4, knockVelocity: 0...0.1, knocksATurn: 2)
        }
    }
}

/// A watch on the wrist of someone who stands and works with that hand: stints of work with rests and other
/// movements between them.
struct WorkingHand: Sendable {
    private let knocks: Int
    private let knockVelocity: Double
    private let rateHz: Double
    private let reach: (first: SIMD3<Double>, second: SIMD3<Double>)
    private let turn: SIMD3<Double>
    private let lag: Double
    private let unevenness: Double
    private let orientation: Rotation
    private let grainRMS: Double

    private var grain: Rumble
    private var sway: Rumble
    private var pace: Wander
    private var strength: Wander
    private var posing = Oscillator<SIMD3<Double>>(frequencyHz: SIMD3(repeating: 1), damping: 0.9)
    private var impact: Oscillator<SIMD3<Double>>
    private var aim = SIMD3<Double>(repeating: 0)
    private var phase = 0.0
    /// Pace and strength over the usual ones, and effort, 0…1: muscles change them smoothly.
    private var drive = Oscillator<SIMD3<Double>>(frequencyHz: SIMD3(1, 1, 0.8), damping: 1)
    private var cycleShare = 1.0
    private var isWorking = false
    private var remainingSeconds = 3.0
    /// Of the hand's path and of its turning, one and two steps ago.
    private var path = (last: SIMD3<Double>(repeating: 0), before: SIMD3<Double>(repeating: 0))
    private var lastTilt = SIMD3<Double>(repeating: 0)

    init(work: HandWork, random: inout RandomSource) {
        let figures = work.figures
        knocks = Int(random.uniform(in: 0...Double(figures.knocksATurn + 1)))
        knockVelocity = random.uniform(in: figures.knockVelocity)
        rateHz = random.uniform(in: figures.rateHz)
        // Quick strokes are short.
        let angularRate = 2 * Double.pi * rateHz
        let longest = random.uniform(in: figures.acceleration) / (angularRate * angularRate)
        let metres = min(random.uniform(in: figures.reachMetres), longest)
        let slope = random.uniform(in: figures.slopeRadians)
        let isCircle = work == .stir || work == .knead
        let breadth = random.uniform(in: isCircle ? 0.6...1 : 0...0.2)
        reach = (
            SIMD3(cosine(slope), 0, sine(slope)) * metres,
            SIMD3(0, 1, random.uniform(in: -0.2...0.2)) * (metres * breadth)
        )
        turn = random.direction() * random.uniform(in: figures.turnRadians)
        lag = random.uniform(in: -0.6...0.6)
        // Of two strokes one is quicker than the other; a hammer falls faster than it is raised.
        unevenness = random.uniform(in: work == .hammer || work == .chop ? 0.2...0.45 : 0...0.25)
        orientation = Rotation(axis: random.direction(), radians: random.uniform(in: 0...Double.pi))
        grainRMS = random.uniform(in: figures.grainRMS)
        grain = Rumble(rms: 1, bandwidthHz: 25, stepSeconds: PhysicsStep.seconds)
        sway = Rumble(rms: 0.06, bandwidthHz: 1.5, stepSeconds: PhysicsStep.seconds)
        pace = Wander(deviation: 0.04, correlationSeconds: 6, stepSeconds: PhysicsStep.seconds, random: &random)
        strength = Wander(deviation: 0.15, correlationSeconds: 3, stepSeconds: PhysicsStep.seconds, random: &random)
        impact = Oscillator(
            frequencyHz: SIMD3(1, 0.8, 0.7) * random.uniform(in: 9...18), damping: random.uniform(in: 0.25...0.5))
    }

    private var effort: Double { drive.position.z }

    /// Goes on by one physics step.
    mutating func advance(_ random: inout RandomSource) -> BodyMotion {
        remainingSeconds -= PhysicsStep.seconds
        if remainingSeconds <= 0 { choose(&random) }
        grain.advance(&random)
        sway.advance(&random)
        pace.advance(&random)
        strength.advance(&random)
        let aimed = SIMD3(cycleShare + pace.value, 1 + strength.value, isWorking ? 1 : 0)
        drive.advance(drive: drive.pull(towards: aimed), stepSeconds: PhysicsStep.seconds)
        posing.advance(drive: posing.pull(towards: aim), stepSeconds: PhysicsStep.seconds)
        if isWorking || effort > 0.05 { turnOn(&random) }
        impact.advance(drive: SIMD3(repeating: 0), stepSeconds: PhysicsStep.seconds)
        return felt()
    }

    /// The work goes on by one physics step; knocks fall where a stroke ends.
    private mutating func turnOn(_ random: inout RandomSource) {
        let before = phase
        phase += rateHz * max(drive.position.x, 0.3) * PhysicsStep.seconds
        if isWorking, before < 0.5, phase >= 0.5, knocks > 1 { knock(&random) }
        guard phase >= 1 else { return }
        phase -= 1
        cycleShare = min(max(1 + 0.04 * random.deviate(), 0.7), 1.4)
        if isWorking, knocks > 0 { knock(&random) }
    }

    private mutating func knock(_ random: inout RandomSource) {
        let strength = max(0.2, 1 + 0.3 * random.deviate())
        let direction = reach.first / (reach.first * reach.first).sum().squareRoot() + random.direction() * 0.4
        impact.strike(direction * (knockVelocity * strength))
    }

    private mutating func choose(_ random: inout RandomSource) {
        isWorking.toggle()
        remainingSeconds = isWorking ? random.uniform(in: 5...40) : random.uniform(in: 1...6)
        aim = random.direction() * random.uniform(in: 0...0.5)
    }

    private mutating func felt() -> BodyMotion {
        let angle = 2 * Double.pi * phase
        let warped = angle + unevenness * sine(angle)
        let strength = effort * drive.position.y
        let place = (reach.first * cosine(warped) + reach.second * sine(warped)) * strength
        let tilt = turn * (cosine(warped + lag) * strength) + posing.position
        let moved = (place - 2 * path.last + path.before) / (PhysicsStep.seconds * PhysicsStep.seconds)
        let speed = (sine(warped) < 0 ? -sine(warped) : sine(warped)) * effort
        let turning = (tilt - lastTilt) / PhysicsStep.seconds
        path = (place, path.last)
        lastTilt = tilt
        let shaken = sway.value + grain.value * (grainRMS * speed) + impact.acceleration
        let rotation = Rotation(seenFrom: tilt)
        let force = rotation.applied(to: moved + shaken + SIMD3(0, 0, standardGravity))
        return BodyMotion(
            specificForce: orientation.applied(to: force), angularVelocity: orientation.applied(to: turning))
    }
}
