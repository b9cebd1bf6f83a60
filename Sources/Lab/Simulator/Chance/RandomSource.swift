/// A seeded stream of chance: the same seed gives the same numbers on every run.
///
/// The generator is SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators",
/// OOPSLA 2014, figure 15. Normal deviates are made by the Box-Muller transform.
struct RandomSource: Sendable {
    private var state: UInt64
    private var spareDeviate: Double?

    /// A stream of its own for every pair of seed and stream number.
    init(seed: UInt64, stream: UInt64) {
        state = Self.mixed(seed &+ 0x9e37_79b9_7f4a_7c15 &* (Self.mixed(stream) | 1))
    }

    /// A stream of its own that takes nothing from this one.
    func branch() -> RandomSource {
        RandomSource(seed: state, stream: 0x6272_616e_6368)
    }

    /// 64 random bits.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    /// A number in `0 ..< 1`.
    mutating func uniform() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    /// A number within a range.
    mutating func uniform(in range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
    }

    /// True as often as the probability says.
    mutating func chance(_ probability: Double) -> Bool {
        uniform() < probability
    }

    /// A standard normal deviate.
    mutating func deviate() -> Double {
        if let spare = spareDeviate {
            spareDeviate = nil
            return spare
        }
        let radius = (-2 * naturalLogarithm(1 - uniform())).squareRoot()
        let angle = 2 * Double.pi * uniform()
        spareDeviate = radius * sine(angle)
        return radius * cosine(angle)
    }

    /// Three independent standard normal deviates.
    mutating func deviates() -> SIMD3<Double> {
        SIMD3(deviate(), deviate(), deviate())
    }

    /// A direction, every one as likely as any other.
    mutating func direction() -> SIMD3<Double> {
        let vector = deviates()
        let length = (vector * vector).sum().squareRoot()
        return length > 1e-9 ? vector / length : SIMD3(0, 0, 1)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }
}

/// A mass on a spring with damping, driven: `x″ + 2ζω₀x′ + ω₀²x = drive`, stepped by semi-implicit Euler.
///
/// The step must be well below `1 / (π f)`; all uses here stay below 30 Hz at 400 steps a second.
struct Oscillator<Value: SIMD>: Sendable where Value.Scalar == Double, Value: Sendable {
    private(set) var position = Value(repeating: 0)
    private(set) var velocity = Value(repeating: 0)
    /// The acceleration of the last step.
    private(set) var acceleration = Value(repeating: 0)
    private let stiffness: Value
    private let friction: Value

    /// An oscillator at rest, with a natural frequency on each axis.
    init(frequencyHz: Value, damping: Double) {
        let angular = frequencyHz * (2 * Double.pi)
        stiffness = angular * angular
        friction = angular * (2 * damping)
    }

    /// Goes on by one step under a drive (an acceleration).
    mutating func advance(drive: Value, stepSeconds: Double) {
        acceleration = drive - stiffness * position - friction * velocity
        velocity += acceleration * stepSeconds
        position += velocity * stepSeconds
    }

    /// Changes the velocity at once, as a blow does.
    mutating func strike(_ velocityChange: Value) {
        velocity += velocityChange
    }

    /// The drive that pulls towards a position.
    func pull(towards target: Value) -> Value {
        stiffness * target
    }
}

/// A quantity that wanders about zero and is pulled back: the Ornstein-Uhlenbeck process, stepped exactly.
///
/// Source: G. E. Uhlenbeck, L. S. Ornstein, "On the Theory of the Brownian Motion", Physical Review 36 (1930) 823.
struct Wander: Sendable {
    private(set) var value: Double
    private let decay: Double
    private let kick: Double

    /// A wander of a given standard deviation and correlation time, that starts somewhere typical.
    init(deviation: Double, correlationSeconds: Double, stepSeconds: Double, random: inout RandomSource) {
        decay = exponential(-stepSeconds / max(correlationSeconds, stepSeconds))
        kick = deviation * (1 - decay * decay).squareRoot()
        value = deviation * random.deviate()
    }

    /// Goes on by one step.
    mutating func advance(_ random: inout RandomSource) {
        value = value * decay + kick * random.deviate()
    }
}

/// Vibration without a period on three axes, of a given root mean square in all and a given bandwidth.
struct Rumble: Sendable {
    private(set) var value = SIMD3<Double>(repeating: 0)
    private let decay: Double
    private let kick: Double

    init(rms: Double, bandwidthHz: Double, stepSeconds: Double) {
        decay = exponential(-2 * Double.pi * bandwidthHz * stepSeconds)
        kick = rms / 3.0.squareRoot() * (1 - decay * decay).squareRoot()
    }

    /// Goes on by one step.
    mutating func advance(_ random: inout RandomSource) {
        value = value * decay + random.deviates() * kick
    }
}
