package import Lab
import Glibc

/// Three axes, of a body forward, left and up.
package typealias Vector = SIMD3<Double>

extension Vector {
    package var length: Double { (self * self).sum().squareRoot() }

    package func cross(_ other: Vector) -> Vector {
        Vector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }
}

extension RandomSource {
    /// Three independent standard normal deviates.
    package mutating func deviates() -> Vector {
        Vector(deviate(), deviate(), deviate())
    }

    /// A direction, every one as likely as any other.
    package mutating func direction() -> Vector {
        let vector = deviates()
        return vector.length > 1e-9 ? vector / vector.length : Vector(0, 0, 1)
    }
}

/// The C library's functions of real numbers under their whole names.
package func sine(_ radians: Double) -> Double { sin(radians) }
package func cosine(_ radians: Double) -> Double { cos(radians) }
package func exponential(_ exponent: Double) -> Double { exp(exponent) }
package func naturalLogarithm(_ value: Double) -> Double { log(value) }

/// The standard acceleration of free fall, m/s² (BIPM, The International System of Units, 9th edition), upwards as a
/// sensor at rest measures it.
package let standardGravity = 9.80665

/// Radians a second of one revolution a minute.
package let radiansPerSecondPerRPM = 2 * Double.pi / 60

/// The step of the simulated physics: the truth is the same at whatever rate a device samples it.
package enum PhysicsStep {
    package static let microseconds: Int64 = 2_500
    package static let seconds = 0.0025
    package static let rateHz = 400.0
}

/// A person or a bike that moves a sensor.
package protocol SimulatedBody: Sendable {
    /// Metres gone up and down on foot.
    var climbed: (up: Double, down: Double) { get }

    /// Goes on by one physics step.
    mutating func advance(_ random: inout RandomSource) -> BodyMotion
}

extension SimulatedBody {
    package var climbed: (up: Double, down: Double) { (0, 0) }
}

/// The movement in one physics step, in the axes of a perfect sensor.
package struct BodyMotion: Sendable {
    /// Acceleration with gravity (a sensor at rest measures 9.81 m/s² upwards), m/s².
    package var specificForce = Vector.zero
    /// Angular velocity, rad/s.
    package var angularVelocity = Vector.zero
    /// The height above the sea, in metres.
    package var altitudeMetres = 0.0
    /// Magnetic field, µT; zero where it is not simulated.
    package var magneticField = Vector.zero
    /// The step or revolution that was completed.
    package var event: TrueEvent.Kind?

    package init(
        specificForce: Vector = .zero, angularVelocity: Vector = .zero, magneticField: Vector = .zero,
        event: TrueEvent.Kind? = nil
    ) {
        (self.specificForce, self.angularVelocity) = (specificForce, angularVelocity)
        (self.magneticField, self.event) = (magneticField, event)
    }
}

/// A fixed rotation of three axes: the mounting of a sensor.
package struct Rotation: Sendable {
    private var first = Vector(1, 0, 0)
    private var second = Vector(0, 1, 0)
    private var third = Vector(0, 0, 1)

    /// A rotation about an axis of unit length, by Rodrigues' formula.
    package init(axis: Vector, radians: Double) {
        func turned(_ vector: Vector) -> Vector {
            let along = axis * ((axis * vector).sum() * (1 - cosine(radians)))
            return vector * cosine(radians) + axis.cross(vector) * sine(radians) + along
        }
        (first, second, third) = (turned(first), turned(second), turned(third))
    }

    /// Any mounting.
    package init(random: inout RandomSource) {
        self.init(axis: random.direction(), radians: random.uniform(in: 0...Double.pi))
    }

    /// A vector of the carrier in the axes of the sensor.
    package func applied(to vector: Vector) -> Vector {
        first * vector.x + second * vector.y + third * vector.z
    }

    /// A movement of the carrier in the axes of the sensor.
    package func applied(to motion: BodyMotion) -> BodyMotion {
        var turned = motion
        turned.specificForce = applied(to: motion.specificForce)
        turned.angularVelocity = applied(to: motion.angularVelocity)
        turned.magneticField = applied(to: motion.magneticField)
        return turned
    }
}

/// A vector in the axes of a limb that hangs down and is swung forward by an angle about the axis to the left.
package func alongLimb(_ vector: Vector, swungBy angle: Double) -> Vector {
    let (cosineOfAngle, sineOfAngle) = (cosine(angle), sine(angle))
    return Vector(
        cosineOfAngle * vector.x + sineOfAngle * vector.z, vector.y, cosineOfAngle * vector.z - sineOfAngle * vector.x)
}

/// A mass on a spring with damping, driven: `x″ + 2ζω₀x′ + ω₀²x = drive`, stepped by semi-implicit Euler.
///
/// Others see its bodies, because it is generic and each step is quick. The step must be well below `1 / (π f)`; all uses here stay below 30 Hz at 400 steps a second.
package struct Oscillator<Value: SIMD>: Sendable where Value.Scalar == Double, Value: Sendable {
    package var position = Value(repeating: 0)
    package var velocity = Value(repeating: 0)
    /// The acceleration of the last step.
    package var acceleration = Value(repeating: 0)
    @usableFromInline let stiffness: Value
    @usableFromInline let friction: Value

    /// An oscillator at rest, with a natural frequency on each axis.
    @inlinable package init(frequencyHz: Value, damping: Double) {
        let angular = frequencyHz * (2 * Double.pi)
        stiffness = angular * angular
        friction = angular * (2 * damping)
    }

    /// Goes on by one physics step under a drive (an acceleration).
    @inlinable package mutating func advance(drive: Value = Value(repeating: 0)) {
        acceleration = drive - stiffness * position - friction * velocity
        velocity += acceleration * PhysicsStep.seconds
        position += velocity * PhysicsStep.seconds
    }

    /// Goes on by one physics step, pulled towards a position.
    @inlinable package mutating func advance(towards target: Value) {
        advance(drive: stiffness * target)
    }

    /// Changes the velocity at once, as a blow does.
    @inlinable package mutating func strike(_ velocityChange: Value) {
        velocity += velocityChange
    }
}

/// A quantity that wanders about zero and is pulled back: the Ornstein-Uhlenbeck process, stepped exactly.
///
/// Source: G. E. Uhlenbeck, L. S. Ornstein, "On the Theory of the Brownian Motion", Physical Review 36 (1930) 823.
package struct Wander: Sendable {
    package private(set) var value: Double
    private let decay: Double
    private let kick: Double

    /// A wander of a given standard deviation and correlation time, that starts somewhere typical.
    package init(
        deviation: Double, correlationSeconds: Double, stepSeconds: Double = PhysicsStep.seconds,
        random: inout RandomSource
    ) {
        decay = exponential(-stepSeconds / max(correlationSeconds, stepSeconds))
        kick = deviation * (1 - decay * decay).squareRoot()
        value = deviation * random.deviate()
    }

    /// Goes on by one step.
    package mutating func advance(_ random: inout RandomSource) {
        value = value * decay + kick * random.deviate()
    }
}

/// Vibration without a period on three axes, of a given root mean square in all and a given bandwidth.
package struct Rumble: Sendable {
    package private(set) var value = Vector.zero
    private let decay: Double
    private let kick: Double

    package init(rms: Double, bandwidthHz: Double) {
        decay = exponential(-2 * Double.pi * bandwidthHz * PhysicsStep.seconds)
        kick = rms / 3.0.squareRoot() * (1 - decay * decay).squareRoot()
    }

    /// Goes on by one physics step.
    package mutating func advance(_ random: inout RandomSource) {
        value = value * decay + random.deviates() * kick
    }
}
