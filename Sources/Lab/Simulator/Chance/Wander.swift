/// A quantity that wanders about zero and is pulled back: the Ornstein-Uhlenbeck process, stepped exactly.
///
/// Source: G. E. Uhlenbeck, L. S. Ornstein, "On the Theory of the Brownian Motion", Physical Review 36 (1930) 823.
struct Wander: Sendable {
    /// Where it is now.
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
