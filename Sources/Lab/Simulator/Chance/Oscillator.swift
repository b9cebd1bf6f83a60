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
