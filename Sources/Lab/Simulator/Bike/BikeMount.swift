/// The mounting of a sensor on a bike's frame, and the disturbances from the pedals and the room.
///
/// The pedalling signal is the acceleration of the frame. Both legs push, so the line at twice the crank's rate is the
/// strongest; the difference between the legs gives the line at the crank's own rate.
package struct BikeMount: Sendable, Hashable {
    /// Root mean square of the pedalling signal at 80 rpm in the saddle, m/s² over the three axes.
    package var signalRMS: Double
    /// Amplitude at twice the crank's rate over the amplitude at the crank's rate.
    package var secondToFirstRatio: Double
    /// Root mean square of the pedalling signal over that of all vibration without a period, which spans 0 to
    /// `rumbleBandwidthHz`.
    package var signalToNoise: Double
    /// The bandwidth of that vibration, in Hz.
    package var rumbleBandwidthHz = 20.0
    /// The natural frequency of the holder with its phone, in Hz.
    package var resonanceHz: Double
    /// The damping ratio of the holder: 1 is critical.
    package var damping: Double
    /// The drift of the harmonics' phases, as the rider shifts: radians per root second.
    package var phaseDrift: Double
    /// Touches of the holder by a hand, a minute.
    package var touchesPerMinute: Double
    /// The height of the sensor above the line that the frame sways about, in metres.
    package var heightMetres: Double
    /// Turns of the flywheel a turn of the crank, and its unbalance as acceleration of the frame at 80 rpm, m/s².
    package var flywheelRatio: Double
    /// The unbalance of the flywheel, as acceleration of the frame at 80 rpm, m/s².
    package var flywheelUnbalance: Double
    /// The floor's ringing, or none.
    package var floor: FloorResonance?
    /// The magnets on it, and the Earth's field, for a device that measures it.
    package var magnets: BikeMagnets

    /// A mount from its parts; the defaults are a phone in a plastic holder on a spinning bike.
    package init(
        signalRMS: Double = 0.4, secondToFirstRatio: Double = 2.5, signalToNoise: Double = 3, resonanceHz: Double = 11,
        damping: Double = 0.08, phaseDrift: Double = 0.05, touchesPerMinute: Double = 0.5, heightMetres: Double = 1.0,
        flywheelRatio: Double = 4.25, flywheelUnbalance: Double = 0.03, floor: FloorResonance? = nil,
        magnets: BikeMagnets = BikeMagnets()
    ) {
        self.signalRMS = signalRMS
        self.secondToFirstRatio = secondToFirstRatio
        self.signalToNoise = signalToNoise
        self.resonanceHz = resonanceHz
        self.damping = damping
        self.phaseDrift = phaseDrift
        self.touchesPerMinute = touchesPerMinute
        self.heightMetres = heightMetres
        self.flywheelRatio = flywheelRatio
        self.flywheelUnbalance = flywheelUnbalance
        self.floor = floor
        self.magnets = magnets
    }
}

/// A floor that rings at one frequency: a mode of the building that a machine, a washing machine or footfalls beside
/// the bike excite without a period of their own.
///
/// Light floors have their first mode at 4 to 8 Hz, damped by 1 to 3 % when bare and by 5 % when furnished (T. M.
/// Murray, D. E. Allen, E. E. Ungar, "Floor Vibrations Due to Human Activity", AISC Steel Design Guide 11 (1997)); a
/// platform, a rubber mat or a stand under the bike rings slower and is damped more.
package struct FloorResonance: Sendable, Hashable {
    package var frequencyHz: Double
    /// The quality factor: one over twice the damping ratio.
    package var quality: Double
    /// Root mean square of the floor's acceleration over the three axes, m/s².
    package var rms: Double

    package init(frequencyHz: Double, quality: Double, rms: Double) {
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

/// A hand that now and then touches the holder: a push of a tenth of a second from any side.
struct HandTouch: Sendable {
    private let chanceAStep: Double
    private var remainingSteps = 0
    private var totalSteps = 1
    private var push = SIMD3<Double>(repeating: 0)

    init(touchesPerMinute: Double) {
        chanceAStep = touchesPerMinute / 60 * PhysicsStep.seconds
    }

    /// The acceleration of this step, m/s²: a half sine while the hand pushes.
    mutating func advance(_ random: inout RandomSource) -> SIMD3<Double> {
        if remainingSteps == 0 {
            guard random.chance(chanceAStep) else { return SIMD3(repeating: 0) }
            totalSteps = Int(random.uniform(in: 0.05...0.2) * PhysicsStep.rateHz)
            remainingSteps = totalSteps
            push = random.direction() * random.uniform(in: 0.5...3)
        }
        remainingSteps -= 1
        return push * sine(.pi * Double(totalSteps - remainingSteps) / Double(totalSteps))
    }
}
