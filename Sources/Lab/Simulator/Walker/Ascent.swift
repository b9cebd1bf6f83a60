/// Where a walker is in height, and how much of it was gone on foot.
struct Ascent: Sendable {
    /// The height above the sea, in metres.
    private(set) var altitudeMetres = 120.0
    /// Metres gone up on foot.
    private(set) var upMetres = 0.0
    /// Metres gone down on foot.
    private(set) var downMetres = 0.0
    private var speed = 0.0

    /// Seconds in which a body takes up the speed of the stairs, or a lift its own: at most 1.25 m/s² for 1 m/s.
    private static let settlingSeconds = 0.8

    /// Goes on by one physics step; the answer is the acceleration upwards, m/s².
    mutating func advance(_ gait: Gait) -> Double {
        let acceleration = (gait.riseMetresPerSecond - speed) / Self.settlingSeconds
        speed += acceleration * PhysicsStep.seconds
        altitudeMetres += speed * PhysicsStep.seconds
        if gait.isStepping {
            let rise = gait.riseMetresPerSecond * PhysicsStep.seconds
            upMetres += max(rise, 0)
            downMetres += max(-rise, 0)
        }
        return acceleration
    }
}
