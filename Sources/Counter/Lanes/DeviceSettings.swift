import Motion

/// What counting needs to know of a device's configuration.
struct DeviceSettings: Sendable, Equatable {
    /// What the signal is.
    var motion = MotionConfiguration()
    /// The length of a step, in micrometres; 0 where nobody told it, and then there is no distance.
    var micrometresPerStep: Int64 = 0
    /// What a crank revolution is worth, in micrometres; 0 where nobody told it.
    var micrometresPerRevolution: Int64 = 0
}
