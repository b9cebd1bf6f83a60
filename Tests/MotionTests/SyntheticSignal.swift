#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Seeded
import Motion

/// Signals whose truth is known because they are made here.
struct SyntheticSignal {
    static let startMicroseconds: Int64 = 1_700_000_000_000_000

    var samples: [MotionSample] = []
    private var generator: SeededGenerator
    private var timeSeconds = 0.0
    private let rateHz: Double
    private let jitter: Double
    private let gravity: SIMD3<Float>

    /// `jitter` is the share of the sample interval by which times vary.
    init(rateHz: Double = 50, jitter: Double = 0, seed: UInt64 = 1) {
        generator = SeededGenerator(seed: seed)
        self.rateHz = rateHz
        self.jitter = jitter
        gravity = generator.direction() * 9.81
    }

    var durationSeconds: Double { timeSeconds }

    private mutating func append(_ acceleration: SIMD3<Float>, _ turning: SIMD3<Float>, _ sensors: SensorSet) {
        let offset = Double.random(in: -0.5...0.5, using: &generator) * jitter / rateHz
        let time = Self.startMicroseconds + Int64((timeSeconds + offset) * 1e6)
        samples.append(
            MotionSample(
                timeMicroseconds: time, acceleration: gravity + acceleration, angularVelocity: turning, sensors: sensors
            ))
        timeSeconds += 1 / rateHz
    }

    /// Nothing but the sensor's noise.
    mutating func rest(seconds: Double, noise: Float = 0.01, sensors: SensorSet = [.acceleration]) {
        for _ in 0..<Int(seconds * rateHz) {
            append(generator.normal3() * noise, generator.normal3() * 0.002, sensors)
        }
    }

    /// A floor that trembles: noise along one axis, which is as much at any frequency.
    mutating func tremble(seconds: Double, deviation: Float, sensors: SensorSet) {
        let (along, about) = (generator.direction(), generator.direction())
        for _ in 0..<Int(seconds * rateHz) {
            append(
                along * generator.normal() * deviation + generator.normal3() * 0.01,
                about * generator.normal() * deviation * 0.1 + generator.normal3() * 0.001, sensors)
        }
    }

    /// Slow swaying without a period: noise that falls with frequency, in both sensors.
    mutating func sway(seconds: Double) {
        let keep = Float(exp(-2 * Double.pi * 0.3 / rateHz))
        var (tilt, turning) = (SIMD3<Float>.zero, SIMD3<Float>.zero)
        for _ in 0..<Int(seconds * rateHz) {
            tilt = tilt * keep + generator.normal3() * 0.02
            turning = turning * keep + generator.normal3() * 0.004
            append(tilt + generator.normal3() * 0.02, turning, [.acceleration, .angularVelocity])
        }
    }

    /// Something is put away: slow noise, m/s², that is forgotten within a third of a second.
    mutating func fumble(seconds: Double, deviation: Float) {
        let keep = Float(exp(-3 / rateHz))
        let gain = deviation * (1 - keep * keep).squareRoot()
        var pushed = SIMD3<Float>.zero
        for _ in 0..<Int(seconds * rateHz) {
            pushed = pushed * keep + generator.normal3() * gain
            append(pushed + generator.normal3() * 0.02, generator.normal3() * 0.1, [.acceleration])
        }
    }

    /// Squats: a trunk that goes down by some metres and up again, leans by a quarter of a radian, and stands for a fifth
    /// of the time; no two take quite as long.
    mutating func squat(seconds: Double, perMinute: Double, metres: Double) {
        let (up, any) = (gravity / 9.81, generator.direction())
        let level = any - up * (any * up).sum()
        let side = level / (level * level).sum().squareRoot()
        var (phase, pace) = (0.0, 1.0)
        for _ in 0..<Int(seconds * rateHz) {
            let angularRate = 2 * Double.pi * perMinute / 60 * pace / 0.8
            let angle = 2 * Double.pi * min(phase / 0.8, 1)
            let lean = phase < 0.8 ? 0.125 * (1 - cos(angle)) : 0
            let lift = phase < 0.8 ? -metres / 2 * angularRate * angularRate * cos(angle) : 0
            append(
                up * Float(lift - 9.81 * (1 - cos(lean))) + side * Float(9.81 * sin(lean)) + generator.normal3() * 0.05,
                .zero, [.acceleration])
            phase += perMinute / 60 * pace / rateHz
            if phase >= 1 {
                phase -= 1
                pace = 1 + Double.random(in: -0.07...0.07, using: &generator)
            }
        }
    }

    /// What shakes without end: noise of so many m/s² in all that is as much at any frequency a tick can hold, whatever
    /// the sample rate; and `sway`, slow noise a third of a second long.
    mutating func shake(seconds: Double, deviation: Float, sway: Float) {
        let (fast, keep) = (deviation * Float(rateHz / 75).squareRoot(), Float(exp(-3 / rateHz)))
        let gain = sway * ((1 - keep * keep) / 3).squareRoot()
        var swayed = SIMD3<Float>.zero
        for _ in 0..<Int(seconds * rateHz) {
            swayed = swayed * keep + generator.normal3() * gain
            append(swayed + generator.normal3() * fast, .zero, [.acceleration])
        }
    }

    /// No samples.
    mutating func gap(seconds: Double) {
        timeSeconds += seconds
    }

    /// A walk: vertical footfalls with three harmonics, sway at half the step rate. How hard the heels are set down is
    /// how strong the harmonics are; steps come quicker or slower by the share `wander`.
    mutating func walk(
        seconds: Double, stepsPerSecond: Double, amplitude: Float = 2, heels: Float = 1, noise: Float = 0.2,
        wander: Double = 0, sensors: SensorSet = [.acceleration]
    ) {
        let up = gravity / 9.81
        let side = generator.direction()
        var (steps, pace) = (0.0, 1.0)
        for _ in 0..<Int(seconds * rateHz) {
            let phase = Float(2 * Double.pi * steps.truncatingRemainder(dividingBy: 2))
            let heel = heels * (0.4 * cos(2 * phase + 0.7) + 0.25 * cos(3 * phase + 2))
            let vertical = amplitude * (cos(phase) + heel)
            let sway = 0.4 * amplitude * sin(phase / 2)
            append(up * vertical + side * sway + generator.normal3() * noise, generator.normal3() * 0.05, sensors)
            let before = Int(steps)
            steps += stepsPerSecond * pace / rateHz
            if wander > 0, Int(steps) > before { pace = 1 + wander * Double(generator.normal()) }
        }
    }

    /// How a bike's frame shakes.
    struct Pedalling {
        var rpm: Double
        /// Amplitude at twice the crank's rate over that at the crank's rate: both feet push.
        var ratio: Float = 2
        /// Energy of the signal over that of the noise, at the sample rate.
        var signalToNoise: Float = 10
        var deviation: Float = 0.3
        var sensors: SensorSet = [.acceleration]
    }

    /// Pedalling felt at the frame; the phase of the second harmonic drifts slowly.
    mutating func pedal(seconds: Double, _ pedalling: Pedalling) {
        let (first, second) = (generator.direction(), generator.direction())
        let (turnFirst, turnSecond) = (generator.direction(), generator.direction())
        let noise = pedalling.deviation / pedalling.signalToNoise.squareRoot() / Float(3).squareRoot()
        let scale = pedalling.deviation * Float(2).squareRoot() / (1 + pedalling.ratio * pedalling.ratio).squareRoot()
        var drift: Float = 0
        var phase = 0.0
        for _ in 0..<Int(seconds * rateHz) {
            drift += generator.normal() * 0.01
            phase = (phase + pedalling.rpm / 60 / rateHz).truncatingRemainder(dividingBy: 1)
            let angle = Float(2 * Double.pi * phase)
            let one = cos(angle) * scale
            let two = cos(2 * angle + drift) * scale * pedalling.ratio
            append(
                first * one + second * two + generator.normal3() * noise,
                (turnFirst * one + turnSecond * two + generator.normal3() * noise) * 0.2, pedalling.sensors)
        }
    }

    /// A wrist on the handlebar of an exercise bike, whose owner makes a strong gesture now and then.
    mutating func pedalAtWrist(seconds: Double, rpm: Double, gestureSeconds: ClosedRange<Double>) {
        let (push, turn, wave) = (generator.direction(), generator.direction(), generator.direction())
        for index in 0..<Int(seconds * rateHz) {
            let time = Double(index) / rateHz
            let angle = Float((time * rpm / 60).truncatingRemainder(dividingBy: 1) * 2 * .pi)
            let gesture: Float = gestureSeconds.contains(time) ? 9 * sin(Float(time) * 5) : 0
            append(
                push * (0.5 * cos(angle)) + wave * gesture + generator.normal3() * 0.1,
                turn * (0.3 * sin(angle)) + wave * (0.2 * gesture) + generator.normal3() * 0.05,
                [.acceleration, .angularVelocity])
        }
    }
}

extension SeededGenerator {
    /// Normally distributed with mean 0 and deviation 1 (Box & Muller 1958).
    mutating func normal() -> Float {
        let radius = (-2 * log(Float.random(in: 1e-7...1, using: &self))).squareRoot()
        return radius * cos(Float.random(in: 0...(2 * .pi), using: &self))
    }

    mutating func normal3() -> SIMD3<Float> {
        SIMD3(normal(), normal(), normal())
    }

    mutating func direction() -> SIMD3<Float> {
        let vector = normal3()
        let length = (vector * vector).sum().squareRoot()
        return length > 1e-6 ? vector / length : SIMD3(0, 0, 1)
    }
}
