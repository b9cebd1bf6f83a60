/// A floor that was gone on foot.
public struct FloorEvent: Sendable, Hashable {
    /// The way of it.
    public enum Direction: Sendable, Hashable {
        /// Upwards.
        case up
        /// Downwards.
        case down
    }

    /// The way of it.
    public var direction: Direction
    /// When it was complete, UTC in microseconds since 1970.
    public var timeMicroseconds: Int64

    /// An event from its parts.
    public init(_ direction: Direction, timeMicroseconds: Int64) {
        self.direction = direction
        self.timeMicroseconds = timeMicroseconds
    }
}
