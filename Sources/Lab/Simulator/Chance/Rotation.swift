import Glibc

/// A fixed rotation of three axes: the mounting of a sensor.
struct Rotation: Sendable {
    private var first = SIMD3<Double>(1, 0, 0)
    private var second = SIMD3<Double>(0, 1, 0)
    private var third = SIMD3<Double>(0, 0, 1)

    init() {}

    /// A rotation about an axis of unit length, by Rodrigues' formula.
    init(axis: SIMD3<Double>, radians: Double) {
        first = Self.turned(SIMD3(1, 0, 0), axis, radians)
        second = Self.turned(SIMD3(0, 1, 0), axis, radians)
        third = Self.turned(SIMD3(0, 0, 1), axis, radians)
    }

    /// The rotation of the fixed world by a turn, an axis times an angle in radians: the world as the turned sensor
    /// sees it.
    init(seenFrom turn: SIMD3<Double>) {
        let radians = (turn * turn).sum().squareRoot()
        if radians > 1e-9 { self.init(axis: turn / radians, radians: -radians) } else { self.init() }
    }

    /// A vector of the carrier in the axes of the sensor.
    func applied(to vector: SIMD3<Double>) -> SIMD3<Double> {
        first * vector.x + second * vector.y + third * vector.z
    }

    private static func turned(_ vector: SIMD3<Double>, _ axis: SIMD3<Double>, _ radians: Double) -> SIMD3<Double> {
        let cross = SIMD3(
            axis.y * vector.z - axis.z * vector.y,
            axis.z * vector.x - axis.x * vector.z,
            axis.x * vector.y - axis.y * vector.x)
        let along = axis * ((axis * vector).sum() * (1 - cosine(radians)))
        return vector * cosine(radians) + cross * sine(radians) + along
    }
}

/// The C library's functions of real numbers under their whole names.
func sine(_ radians: Double) -> Double { sin(radians) }
func cosine(_ radians: Double) -> Double { cos(radians) }
func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
func arcCosine(_ value: Double) -> Double { acos(value) }
func exponential(_ exponent: Double) -> Double { exp(exponent) }
func naturalLogarithm(_ value: Double) -> Double { log(value) }

/// The standard acceleration of free fall, m/s² (BIPM, The International System of Units, 9th edition).
let standardGravity = 9.80665

/// Radians a second of one revolution a minute.
let radiansPerSecondPerRPM = 2 * Double.pi / 60
