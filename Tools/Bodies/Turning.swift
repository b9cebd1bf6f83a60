import Glibc

/// Gravity as a sensor at rest measures it, m/s².
let gravityUp = Vector(0, 0, standardGravity)

/// The C library's functions under their whole names.
func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
func arcCosine(_ value: Double) -> Double { acos(value) }

/// A carrier that is turned now in one way and now in another.
struct Turning: Sendable {
    private var last: Vector?

    init() {}

    /// The movement that a sensor on it measures, from a force in fixed axes and the present turn, an axis times an
    /// angle in radians.
    mutating func motion(_ force: Vector, turnedBy turn: Vector) -> BodyMotion {
        let rate = (turn - (last ?? turn)) / PhysicsStep.seconds
        last = turn
        return BodyMotion(specificForce: Rotation(seenFrom: turn).applied(to: force), angularVelocity: rate)
    }
}

extension Rotation {
    /// The rotation of the fixed world by a turn, an axis times an angle in radians: the world as the turned sensor
    /// measures it.
    fileprivate init(seenFrom turn: Vector) {
        let radians = turn.length
        let axis = radians > 1e-9 ? turn / radians : Vector(0, 0, 1)
        self.init(axis: axis, radians: radians > 1e-9 ? -radians : 0)
    }
}
