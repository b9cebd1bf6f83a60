import Glibc
import Wire

/// A few harmonics of a turning phase, each an ellipse in space: what a frame or a body does once, twice and more times a
/// turn.
struct Harmonics: Sendable {
    /// One harmonic: `cosine · cos(order · angle) + sine · sin(order · angle)`.
    private struct Line {
        let order: Double
        let cosine: SIMD3<Float>
        let sine: SIMD3<Float>
    }

    private var lines: [Line] = []

    /// Adds a harmonic of the phase, which lies anywhere.
    mutating func add(_ order: Double, _ amplitude: SIMD3<Float>, atPhase phase: Double) {
        lines.append(Line(order: order, cosine: amplitude * Float(cos(phase)), sine: amplitude * Float(sin(phase))))
    }

    /// The sum at an angle, in radians.
    func value(at angle: Double) -> SIMD3<Float> {
        lines.reduce(into: .zero) { sum, line in
            sum += line.cosine * Float(cos(line.order * angle)) + line.sine * Float(sin(line.order * angle))
        }
    }

    /// Its rate of change where the angle grows by so many radians a second.
    func derivative(at angle: Double, radiansPerSecond rate: Double) -> SIMD3<Float> {
        lines.reduce(into: .zero) { sum, line in
            let speed = Float(line.order * rate)
            sum += (line.sine * Float(cos(line.order * angle)) - line.cosine * Float(sin(line.order * angle))) * speed
        }
    }
}

/// What a sensor at rest in its carrier measures: acceleration with gravity, m/s², and angular velocity, rad/s; forward,
/// left and up.
struct Felt {
    static let gravity: Float = 9.80665

    var acceleration = SIMD3<Float>(0, 0, gravity)
    var angularVelocity = SIMD3<Float>.zero

    /// The same by a sensor that is tilted forward by an angle, in radians.
    func tilted(by angle: Double) -> Felt {
        let (c, s) = (Float(cos(angle)), Float(sin(angle)))
        func turned(_ v: SIMD3<Float>) -> SIMD3<Float> { SIMD3(c * v.x + s * v.z, v.y, c * v.z - s * v.x) }
        return Felt(acceleration: turned(acceleration), angularVelocity: turned(angularVelocity))
    }
}

/// The frame of a spinning bike with a phone on it.
///
/// Both legs push, so that it shakes most at twice the crank's rate; the difference between them gives the line at the
/// rate itself. It sways about the floor, so that a gyroscope hears the same.
struct BikeSignal: Sendable {
    private let velocity: Harmonics
    private let holderTilt: Double
    let noise: Float

    /// The height of the phone above the line that the frame sways about, in metres.
    private static let heightMetres: Float = 1
    /// The rate at which the amplitudes are stated, in turns a second: 80 rpm.
    private static let statedRate = 80.0 / 60

    init(random: inout RandomSource) {
        let rms = random.uniform(in: 0.4...0.7)
        let first = 1 / random.uniform(in: 1.2...2)
        var velocity = Harmonics()
        for (order, share) in [(1.0, first), (2, 1), (3, first * 0.5), (4, 0.28)] {
            // The odd ones go to the sides.
            let isOdd = order == 1 || order == 3
            let direction: SIMD3<Float> = isOdd ? SIMD3(0.3, 1, 0.3) : SIMD3(0.6, 0.3, 1)
            let amplitude = Float(rms * share / order * 1.0)
            velocity.add(order, direction * amplitude, atPhase: random.uniform(in: 0...(2 * .pi)))
        }
        self.velocity = velocity
        holderTilt = random.uniform(in: 0.2...1.3)
        noise = Float(rms / random.uniform(in: 4...6) / 3.0.squareRoot())
    }

    /// At a crank angle in turns, that grows by so many a second.
    func felt(turns: Double, rate: Double) -> Felt {
        let angle = 2 * .pi * (turns - turns.rounded(.down))
        let speed = rate / Self.statedRate
        // Partly muscle, whatever the cadence, and partly the swinging legs.
        let push = Float(min(1, 3 * rate) * (0.4 + 0.6 * speed * speed))
        let shaken = velocity.derivative(at: angle, radiansPerSecond: 1) * push
        let moved = velocity.value(at: angle) * (push / Float(max(2 * .pi * rate, 1)))
        var felt = Felt()
        felt.acceleration += shaken
        felt.angularVelocity = SIMD3(-moved.y, moved.x, 0) / Self.heightMetres
        return felt.tilted(by: holderTilt)
    }
}

/// A walker with a watch on the wrist, or a phone in the pocket or on the belt.
///
/// The body goes up and down once a step and to the sides once a stride, a foot that lands sends a jolt up, and what
/// hangs swings once a stride.
struct WalkSignal: Sendable {
    private let bounce: Harmonics
    private let swing: Harmonics
    private let leverMetres: Float
    private let joltVelocity: Float
    private let mountTilt: Double
    let noise: Float = 0.05

    /// Of the jolt of a contact: how fast it dies away, 1/s, and how fast it swings, rad/s.
    private static let (joltDecay, joltRate) = (22.0, 72.0)
    /// The rate at which the amplitudes are stated, in steps a second: 110 a minute.
    private static let statedRate = 110.0 / 60
    /// A pelvis turns about the vertical once a stride, radians.
    private static let pelvicTurn: Float = 0.05

    init(_ placement: SensorPlacement, random: inout RandomSource) {
        var (bounce, swing) = (Harmonics(), Harmonics())
        // Lowest and pushed up hardest around contact, braked after it and driven on before it.
        let up = Float(random.uniform(in: 2.4...3))
        bounce.add(2, SIMD3(0, 0, up), atPhase: 0)
        bounce.add(2, SIMD3(-0.6 * up, 0, 0), atPhase: .pi / 2)
        bounce.add(4, SIMD3(0, 0, up * Float(random.uniform(in: 0.1...0.3))), atPhase: -1)
        bounce.add(1, SIMD3(0, Float(random.uniform(in: 0.4...0.8)), 0), atPhase: .pi / 2)
        let radians: Double
        switch placement {
        case .wrist: (radians, leverMetres, joltVelocity) = (random.uniform(in: 0.15...0.28), 0.58, 0.055)
        case .pocket: (radians, leverMetres, joltVelocity) = (random.uniform(in: 0.3...0.42), 0.2, 0.16)
        default: (radians, leverMetres, joltVelocity) = (0.03, 0, 0.09)
        }
        let lag = random.uniform(in: -0.4...0.4)
        swing.add(1, SIMD3(Float(radians), 0, 0), atPhase: .pi / 2 - lag)
        swing.add(2, SIMD3(Float(radians * 0.2), 0, 0), atPhase: .pi / 2 - 2 * lag - 0.7)
        (self.bounce, self.swing) = (bounce, swing)
        mountTilt = random.uniform(in: 0...(2 * .pi))
    }

    /// After so many steps, that grow by so many a second; the strength is 0 in who stands and 1 in who walks.
    func felt(steps: Double, rate: Double, strength: Double) -> Felt {
        // A turn of the phase is a stride, two steps.
        let angle = .pi * (steps - 2 * (steps / 2).rounded(.down))
        let speed = rate / Self.statedRate
        var felt = Felt()
        felt.acceleration += bounce.value(at: angle) * Float(strength * speed * speed * speed * speed)
        let since = rate > 0 ? (steps - steps.rounded(.down)) / rate : 1
        let jolt = joltVelocity * Float(strength * speed * Self.joltRate * exp(-Self.joltDecay * since))
        felt.acceleration += SIMD3(-0.5, angle < .pi ? 0.3 : -0.3, 1) * (jolt * Float(cos(Self.joltRate * since)))
        let strideRate = Double.pi * rate
        let swung = swing.value(at: angle).x * Float(strength)
        let swinging = swing.derivative(at: angle, radiansPerSecond: strideRate).x * Float(strength)
        let (c, s) = (Float(cos(Double(swung))), Float(sin(Double(swung))))
        // Along the limb outwards, and across it.
        let turning = -swung * Float(strideRate * strideRate)
        felt.acceleration += SIMD3(
            leverMetres * (turning * c - swinging * swinging * s), 0,
            leverMetres * (turning * s + swinging * swinging * c))
        felt = felt.tilted(by: Double(swung))
        felt.angularVelocity = SIMD3(
            0, -swinging, Self.pelvicTurn * Float(strength * strideRate * cos(angle)))
        return felt.tilted(by: mountTilt)
    }
}
