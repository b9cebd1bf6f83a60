public import Wire

/// Where a simulated sensor sits; the raw value is the word of a device's config.
public enum SimulatedPlacement: String, Sendable, Hashable, CaseIterable {
    /// In a holder on a bike's frame.
    case frame
    /// On a bike's crank arm.
    case crank
    /// On a walker's or a rider's wrist.
    case wrist
    /// In the hand of a walker who reads on it.
    case hand
    /// In a walker's bag, on the back or hanging from a shoulder.
    case bag
    /// On a walker's belt.
    case hip
    /// In a walker's or a rider's trouser pocket.
    case pocket
    /// On a walker's or a rider's thigh.
    case thigh
    /// On a walker's or a rider's leg above the ankle.
    case ankle

    /// The same in a device's config.
    public var sensor: SensorPlacement { SensorPlacement(rawValue: rawValue) ?? .unknown }
}

/// What a simulated sensor is on; the raw value is the word of a device's config.
public enum SimulatedKind: String, Sendable, Hashable, CaseIterable {
    /// A stationary bike: its truth is revolutions.
    case bike
    /// A walker: their truth is steps.
    case wearable
}
