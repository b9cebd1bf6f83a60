/// What a device's wearer is doing; the order is that of the numbers on the wire.
public enum ActivityKind: UInt8, Sendable, Hashable, CaseIterable {
    /// Nothing that is recognised.
    case unknown = 0
    /// Not moving.
    case stationary = 1
    /// Walking, stairs included.
    case walking = 2
    /// Running.
    case running = 3
    /// Pedalling.
    case cycling = 4
    /// In a vehicle.
    case automotive = 5

    /// The word on the bus.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .stationary: "stationary"
        case .walking: "walking"
        case .running: "running"
        case .cycling: "cycling"
        case .automotive: "automotive"
        }
    }
}
