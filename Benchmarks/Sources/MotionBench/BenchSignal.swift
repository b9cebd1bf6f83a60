#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import Motion

/// A kind of signal, at any rate, with or without a magnetic field. It repeats itself every ``blockSeconds``.
struct BenchSignal {
    /// So many seconds hold whole periods of every movement here.
    static let blockSeconds = 40
    private static let startMicroseconds: Int64 = 1_767_225_600_000_000
    private static let gravity: Float = 9.81
    /// A field as in Central Europe, µT, north and down, and the noise of a phone's part.
    private static let field = SIMD3<Float>(20, 0, -44)
    private static let fieldNoise: Float = 0.6

    let name: String
    let configuration: MotionConfiguration
    /// The rate of the movement, Hz, and its amplitudes: acceleration at that rate and at twice it, m/s², turning,
    /// rad/s.
    private let movementHz: Double
    private let amplitude: Float
    private let doubleAmplitude: Float
    private let turning: Float

    static let all = [
        BenchSignal(
            name: "walk, wrist", configuration: .init(kind: .wearable, placement: .wrist), movementHz: 0.9,
            amplitude: 1, doubleAmplitude: 2, turning: 1),
        BenchSignal(
            name: "rest, wrist", configuration: .init(kind: .wearable, placement: .wrist), movementHz: 0, amplitude: 0,
            doubleAmplitude: 0, turning: 0),
        BenchSignal(
            name: "walk, untold", configuration: .init(), movementHz: 0.9, amplitude: 1, doubleAmplitude: 2, turning: 1),
        BenchSignal(
            name: "exercise bike, wrist", configuration: .init(kind: .wearable, placement: .wrist), movementHz: 1.3,
            amplitude: 0.4, doubleAmplitude: 0.1, turning: 0.3),
        BenchSignal(
            name: "ride, frame", configuration: .init(kind: .bike, placement: .frame), movementHz: 1.3, amplitude: 0.3,
            doubleAmplitude: 0.5, turning: 0.1),
        BenchSignal(
            name: "ride, untold", configuration: .init(), movementHz: 1.3, amplitude: 0.3, doubleAmplitude: 0.5,
            turning: 0.05),
        BenchSignal(
            name: "rest, frame", configuration: .init(kind: .bike, placement: .frame), movementHz: 0, amplitude: 0,
            doubleAmplitude: 0, turning: 0),
    ]

    /// One block, which begins at a whole second.
    func block(rateHz: Int, hasField: Bool) -> [MotionSample] {
        var noise = UInt64(1)
        var sensors: SensorSet = [.acceleration, .angularVelocity]
        if hasField { sensors.insert(.magneticField) }
        return (0..<(Self.blockSeconds * rateHz)).map { index in
            let angle = 2 * Double.pi * movementHz * Double(index) / Double(rateHz)
            let (sine, double) = (Float(sin(angle)), Float(sin(2 * angle)))
            let acceleration = SIMD3(
                amplitude * sine, Self.gravity + doubleAmplitude * double, amplitude * Float(cos(angle)))
            return MotionSample(
                timeMicroseconds: Self.startMicroseconds + Int64(index * 1_000_000 / rateHz),
                acceleration: acceleration + 0.1 * Self.noise(&noise),
                angularVelocity: SIMD3(turning * sine, 0, 0) + 0.01 * Self.noise(&noise),
                magneticField: hasField ? Self.field + Self.fieldNoise * Self.noise(&noise) : .zero,
                sensors: sensors)
        }
    }

    /// Three values in −1…1 of Knuth's linear congruential generator (The Art of Computer Programming 2, 3.3.4).
    private static func noise(_ state: inout UInt64) -> SIMD3<Float> {
        var values = SIMD3<Float>.zero
        for axis in 0..<3 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            values[axis] = Float(Int32(truncatingIfNeeded: state >> 32)) / 2_147_483_648
        }
        return values
    }
}
