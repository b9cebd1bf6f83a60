import Lab

/// Work that a hand does over and over: it has a rhythm, as a walk has, and no steps.
package enum HandWork: Sendable, Hashable, CaseIterable {
    case saw, scrub, iron, stir, hammer, chop, knead, paint, clap, shake, wave, brush, curl, row

    /// The figures of a work, most of them ranges to draw from:
    /// - strokes to and fro, circles or blows a second, about what people choose for themselves;
    /// - the reach of the hand to either side, in metres;
    /// - the slope of the strokes, on a bench, on a wall or down on something, in radians;
    /// - the turn of the forearm to either side, in radians;
    /// - the acceleration of the wrist by the grain of the surface at full speed, m/s²;
    /// - the jump of velocity of a knock that reaches the wrist, in m/s;
    /// - the most knocks of a turn: some works knock at both ends.
    typealias Figures = (
        rateHz: ClosedRange<Double>, reachMetres: ClosedRange<Double>, slopeRadians: ClosedRange<Double>,
        turnRadians: ClosedRange<Double>, grainRMS: ClosedRange<Double>, knockVelocity: ClosedRange<Double>,
        knocksATurn: Double
    )

    var figures: Figures {
        switch self {
        case .saw: (0.6...1.5, 0.08...0.2, -0.7...0.7, 0.1...0.4, 0.3...2.5, 0...0.12, 2)  // Rough with grain.
        case .scrub: (1.2...2.8, 0.03...0.12, -0.3...1.5, 0.05...0.25, 0.2...1.5, 0...0.12, 2)  // Short strokes.
        case .iron: (0.3...0.7, 0.08...0.2, -0.2...0.2, 0.05...0.25, 0.03...0.4, 0...0.04, 1)  // Slow and smooth.
        case .stir: (0.7...1.8, 0.03...0.08, -0.2...0.2, 0.1...0.4, 0.03...0.4, 0...0.04, 1)  // Circles with a spoon.
        case .hammer: (0.7...2, 0.08...0.2, 1...1.6, 0.3...0.8, 0...0.1, 0.15...0.8, 1)
        case .chop: (1.4...3.2, 0.015...0.05, 1...1.6, 0.1...0.3, 0...0.1, 0.03...0.2, 1)  // A knife on a board.
        case .knead: (0.5...1.1, 0.04...0.12, 0.2...1, 0.1...0.4, 0.03...0.4, 0...0.04, 1)  // Both hands in dough.
        case .paint: (0.3...0.8, 0.15...0.4, 1.2...1.57, 0.1...0.4, 0.03...0.4, 0...0.04, 1)  // A roller on a wall.
        // Two to five times a second (Z. Néda, E. Ravasz, Y. Brechet, T. Vicsek, A.-L. Barabási, "The sound of many
        // hands clapping", Nature 403 (2000) 849).
        case .clap: (2...5, 0.03...0.12, -0.2...0.2, 0.05...0.25, 0...0.1, 0.1...0.5, 1)
        case .shake: (2.5...5.5, 0.03...0.12, -0.5...1.5, 0.2...0.6, 0...0.1, 0...0.04, 2)
        case .wave: (1...2.5, 0.1...0.25, -0.2...0.2, 0.2...0.6, 0...0.1, 0...0.04, 1)
        case .brush: (3...5, 0.01...0.03, -0.6...0.6, 0.05...0.2, 0.05...0.4, 0...0.04, 1)  // A toothbrush.
        case .curl: (0.25...0.6, 0.12...0.25, 1.2...1.57, 0.7...1.1, 0...0.1, 0...0.04, 1)  // A dumbbell.
        case .row: (0.3...0.6, 0.4...0.65, -0.2...0.2, 0.1...0.4, 0.05...0.4, 0...0.1, 2)  // A rowing machine.
        }
    }
}

/// A watch on the wrist of someone who stands and works with that hand: stints of work with rests and other
/// movements between them.
struct WorkingHand: SimulatedBody {
    private let knocks: Int
    private let knockVelocity: Double
    private let rateHz: Double
    private let reach: (first: Vector, second: Vector)
    private let turn: Vector
    private let lag: Double
    private let unevenness: Double
    private let orientation: Rotation
    private let grainRMS: Double

    private var grain = Rumble(rms: 1, bandwidthHz: 25)
    private var sway = Rumble(rms: 0.06, bandwidthHz: 1.5)
    private var pace: Wander
    private var strength: Wander
    private var posing = Oscillator<Vector>(frequencyHz: Vector(repeating: 1), damping: 0.9)
    private var impact: Oscillator<Vector>
    private var aim = Vector.zero
    private var phase = 0.0
    /// Pace and strength over the usual ones, and effort, 0…1: muscles change them smoothly.
    private var drive = Oscillator<Vector>(frequencyHz: Vector(1, 1, 0.8), damping: 1)
    private var cycleShare = 1.0
    private var isWorking = false
    private var remainingSeconds = 3.0
    /// The hand's place one and two steps ago, in metres.
    private var path = (last: Vector.zero, before: Vector.zero)
    private var turning = Turning()

    init(work: HandWork, random: inout RandomSource) {
        let figures = work.figures
        knocks = Int(random.uniform(in: 0...(figures.knocksATurn + 1)))
        knockVelocity = random.uniform(in: figures.knockVelocity)
        rateHz = random.uniform(in: figures.rateHz)
        // Quick strokes are short: a hand is flung by more than a gravity for a moment only, m/s².
        let angularRate = 2 * Double.pi * rateHz
        let longest = random.uniform(in: work == .shake ? 8...30 : 3...10) / (angularRate * angularRate)
        let metres = min(random.uniform(in: figures.reachMetres), longest)
        let slope = random.uniform(in: figures.slopeRadians)
        let isCircle = work == .stir || work == .knead
        let breadth = random.uniform(in: isCircle ? 0.6...1 : 0...0.2)
        reach = (
            Vector(cosine(slope), 0, sine(slope)) * metres,
            Vector(0, 1, random.uniform(in: -0.2...0.2)) * (metres * breadth)
        )
        turn = random.direction() * random.uniform(in: figures.turnRadians)
        lag = random.uniform(in: -0.6...0.6)
        // Of two strokes one is quicker than the other; a hammer falls faster than it is raised.
        unevenness = random.uniform(in: work == .hammer || work == .chop ? 0.2...0.45 : 0...0.25)
        orientation = Rotation(random: &random)
        grainRMS = random.uniform(in: figures.grainRMS)
        pace = Wander(deviation: 0.04, correlationSeconds: 6, random: &random)
        strength = Wander(deviation: 0.15, correlationSeconds: 3, random: &random)
        impact = Oscillator(
            frequencyHz: Vector(1, 0.8, 0.7) * random.uniform(in: 9...18), damping: random.uniform(in: 0.25...0.5))
    }

    private var effort: Double { drive.position.z }

    mutating func advance(_ random: inout RandomSource) -> BodyMotion {
        remainingSeconds -= PhysicsStep.seconds
        if remainingSeconds <= 0 { choose(&random) }
        grain.advance(&random)
        sway.advance(&random)
        pace.advance(&random)
        strength.advance(&random)
        let aimed = Vector(cycleShare + pace.value, 1 + strength.value, isWorking ? 1 : 0)
        drive.advance(towards: aimed)
        posing.advance(towards: aim)
        if isWorking || effort > 0.05 { turnOn(&random) }
        impact.advance()
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
        path = (place, path.last)
        let shaken = sway.value + grain.value * (grainRMS * speed) + impact.acceleration
        return orientation.applied(to: turning.motion(moved + shaken + gravityUp, turnedBy: tilt))
    }
}
