public import Wire

/// What one transaction makes durable: the states of the devices that changed, and what is to be added to their
/// minutes.
public struct CounterCommit: Sendable {
    /// A device's state.
    public struct State: Sendable, Equatable {
        /// Whose.
        public var device: DeviceID
        /// The state, to be given back to `CounterPipeline.restore` as it is.
        public var bytes: [UInt8]
    }

    /// The states, one a device.
    public var states: [State] = []
    /// The increments, at most one a device and minute.
    public var increments: [MinuteIncrement] = []

    /// Nothing to make durable.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool { states.isEmpty && increments.isEmpty }
}
