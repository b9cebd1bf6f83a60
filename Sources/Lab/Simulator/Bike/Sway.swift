/// The frame's roll and pitch that belong to its sideways and lengthwise acceleration: it sways about the floor.
///
/// A point at height h that moves with velocity v turns about the floor at v / h. The integral from acceleration to
/// velocity and on to the angle forgets slowly, as a bike that stands does not walk away.
struct Sway: Sendable {
    private let heightMetres: Double
    private var velocity = SIMD3<Double>(repeating: 0)
    private var angle = SIMD3<Double>(repeating: 0)

    /// The rate of forgetting, in 1/s: well below the slowest pedalling.
    private static let forgetting = 2 * Double.pi * 0.1

    init(heightMetres: Double) {
        self.heightMetres = max(heightMetres, 0.1)
    }

    /// Takes the acceleration (forward, left, up) and gives what a sensor feels of gravity's tilt and of the turning.
    mutating func advance(_ acceleration: SIMD3<Double>) -> BodyMotion {
        velocity += (acceleration - velocity * Self.forgetting) * PhysicsStep.seconds
        let turning = SIMD3(-velocity.y, velocity.x, 0) / heightMetres
        angle += (turning - angle * Self.forgetting) * PhysicsStep.seconds
        return BodyMotion(
            specificForce: SIMD3(-angle.y, angle.x, 0) * standardGravity, angularVelocity: turning)
    }
}
