/// What a perfect sensor would feel at one instant, in its own axes.
struct BodyMotion: Sendable {
    /// Acceleration with gravity (a sensor at rest feels 9.81 m/s² upwards), m/s².
    var specificForce = SIMD3<Double>(repeating: 0)
    /// Angular velocity, rad/s.
    var angularVelocity = SIMD3<Double>(repeating: 0)
    /// The height above the sea, in metres.
    var altitudeMetres = 0.0
    /// Magnetic field, µT; zero where it is not simulated.
    var magneticField = SIMD3<Double>(repeating: 0)
}

/// The step of the simulated physics: the truth is the same at whatever rate a device samples it.
enum PhysicsStep {
    static let microseconds: Int64 = 2_500
    static let seconds = 0.0025
    static let rateHz = 400.0
}

/// Something that was counted in truth.
public enum MotionEvent: Sendable, Hashable {
    /// A foot touched the ground.
    case step
    /// The crank came round.
    case revolution
}

/// An event with its instant.
public struct TimedMotionEvent: Sendable, Hashable {
    /// What happened.
    public var event: MotionEvent
    /// When: microseconds since 1970, UTC, by a perfect clock.
    public var microseconds: Int64

    /// An event from its parts.
    public init(event: MotionEvent, microseconds: Int64) {
        self.event = event
        self.microseconds = microseconds
    }
}
