/// A floor that rings at one frequency: a mode of the building that a machine, a washing machine or footfalls beside
/// the bike excite without a period of their own.
///
/// Light floors have their first mode at 4 to 8 Hz, damped by 1 to 3 % when bare and by 5 % when furnished (T. M.
/// Murray, D. E. Allen, E. E. Ungar, "Floor Vibrations Due to Human Activity", AISC Steel Design Guide 11 (1997)); a
/// platform, a rubber mat or a stand under the bike rings slower and is damped more.
public struct FloorResonance: Sendable, Hashable {
    /// Where it rings, in Hz.
    public var frequencyHz: Double
    /// The quality factor: one over twice the damping ratio.
    public var quality: Double
    /// Root mean square of the floor's acceleration over the three axes, m/s².
    public var rms: Double

    /// A resonance from its figures.
    public init(frequencyHz: Double, quality: Double, rms: Double) {
        self.frequencyHz = frequencyHz
        self.quality = quality
        self.rms = rms
    }
}

/// A floor that rings: narrow-band noise, most of it up and down.
struct RingingFloor: Sendable {
    private var modes: Oscillator<SIMD3<Double>>
    private let kick: SIMD3<Double>
    private let angular: SIMD3<Double>

    init(_ resonance: FloorResonance, random: inout RandomSource) {
        let (quality, frequency) = (max(resonance.quality, 0.5), min(max(resonance.frequencyHz, 0.1), 20))
        // Forward, left, up: each way has a mode of its own near by.
        let frequencies = SIMD3(random.uniform(in: 0.9...1.1), random.uniform(in: 0.9...1.1), 1) * frequency
        let shares = SIMD3(random.uniform(in: 0...0.5), random.uniform(in: 0...0.5), 1)
        modes = Oscillator(frequencyHz: frequencies, damping: 0.5 / quality)
        angular = frequencies * (2 * Double.pi)
        // White noise of density σ² makes ω₀·x′ of a lightly damped mode vary by ω₀σ²Q/2.
        let amplitudes = shares * (resonance.rms / (shares * shares).sum().squareRoot())
        let densities = amplitudes * amplitudes * 2 / (angular * quality)
        kick = (densities / PhysicsStep.seconds).squareRoot()
    }

    /// The floor's acceleration in this step, m/s². The force is one that falls with frequency, so that both sides of
    /// the resonance are quiet.
    mutating func advance(_ random: inout RandomSource) -> SIMD3<Double> {
        modes.advance(drive: random.deviates() * kick, stepSeconds: PhysicsStep.seconds)
        return modes.velocity * angular
    }
}
