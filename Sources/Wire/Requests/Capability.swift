/// What can be asked of a device.
public enum Capability: String, Sendable, Hashable, CaseIterable {
    /// Steps are counted.
    case steps
    /// Crank revolutions are counted.
    case revolutions
    /// Steps or revolutions a minute are known.
    case cadence
    /// Metres are known.
    case distance
    /// Seconds a metre are known.
    case pace
    /// Floors gone up and down are known.
    case floors
    /// What the wearer does is recognised.
    case activity
    /// Pauses and resumptions are told.
    case events
}

/// Whether something is available on a device, and if not why.
public enum Availability: Sendable, Hashable {
    /// It is.
    case available
    /// It is not: why, and what to do, in one line.
    case unavailable(String)
}
