package import Wire

/// What one transaction makes durable: the states of the devices that changed, and what is to be added to their
/// minutes.
package struct CounterCommit: Sendable {
    /// A device's state.
    package struct State: Sendable, Equatable {
        /// Whose.
        package var device: DeviceID
        /// The state, to be given back to `CounterPipeline.restore` as it is.
        package var bytes: [UInt8]
    }

    /// The states, one a device.
    package var states: [State] = []
    /// The increments, at most one a device and minute.
    package var increments: [MinuteIncrement] = []

    /// Nothing to make durable.
    package init() {}

    /// Whether nothing changed.
    package var isEmpty: Bool { states.isEmpty && increments.isEmpty }
}
