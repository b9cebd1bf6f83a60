/// How two legs shake a frame: harmonics of the crank's angle, each with its own direction, ellipse and drifting phase.
///
/// A leg pushes hardest about a quarter turn after the top and hardly on the way up (Coyle et al., Med. Sci. Sports
/// Exerc. 23 (1991) 93-107, figures of crank torque), so one leg's force has every harmonic. Half a turn later comes
/// the other leg: the even harmonics of the two add, the odd ones cancel but for the difference between the legs and
/// for the sideways push, which changes its side with the leg.
struct PedalForce: Sendable {
    private var first: Harmonic
    private var second: Harmonic
    private var third: Harmonic
    private var fourth: Harmonic

    /// Share of the third harmonic relative to the first, and of the fourth relative to the second.
    private static let higherShare = 0.35...0.6

    init(mount: BikeMount, random: inout RandomSource) {
        let ratio = max(mount.secondToFirstRatio, 0.01)
        let thirdShare = random.uniform(in: Self.higherShare) / ratio
        let fourthShare = random.uniform(in: Self.higherShare) * 0.6
        let power = 1 / (ratio * ratio) + 1 + thirdShare * thirdShare + fourthShare * fourthShare
        let unit = mount.signalRMS * (2 / power).squareRoot()
        let drift = mount.phaseDrift * PhysicsStep.seconds.squareRoot()
        first = Harmonic(order: 1, amplitude: unit / ratio, isSideways: true, drift: drift, random: &random)
        second = Harmonic(order: 2, amplitude: unit, isSideways: false, drift: drift, random: &random)
        third = Harmonic(order: 3, amplitude: unit * thirdShare, isSideways: true, drift: drift, random: &random)
        fourth = Harmonic(order: 4, amplitude: unit * fourthShare, isSideways: false, drift: drift, random: &random)
    }

    /// The frame's acceleration at a crank angle, m/s²: forward, left, up.
    mutating func acceleration(at angle: Double, random: inout RandomSource) -> SIMD3<Double> {
        first.advance(at: angle, &random) + second.advance(at: angle, &random)
            + third.advance(at: angle, &random) + fourth.advance(at: angle, &random)
    }
}

/// One harmonic of the pedalling signal: an ellipse in space.
private struct Harmonic: Sendable {
    let order: Double
    let drift: Double
    let major: SIMD3<Double>
    let minor: SIMD3<Double>
    var phase: Double

    init(order: Double, amplitude: Double, isSideways: Bool, drift: Double, random: inout RandomSource) {
        self.order = order
        self.drift = drift
        phase = random.uniform(in: 0...(2 * .pi))
        let main = isSideways ? SIMD3(0.3, 1.0, 0.3) : SIMD3(0.6, 0.3, 1.0)
        let longAxis = main + random.deviates() * 0.3
        let shortAxis = random.deviates() * 0.25
        let norm = ((longAxis * longAxis).sum() + (shortAxis * shortAxis).sum()).squareRoot()
        major = longAxis * (amplitude / norm)
        minor = shortAxis * (amplitude / norm)
    }

    mutating func advance(at angle: Double, _ random: inout RandomSource) -> SIMD3<Double> {
        phase += drift * random.deviate()
        let argument = order * angle + phase
        return major * cosine(argument) + minor * sine(argument)
    }
}
