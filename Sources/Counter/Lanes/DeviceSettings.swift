import Motion

/// What counting needs to know of a device's configuration.
struct DeviceSettings: Sendable, Equatable {
    /// What the signal is.
    var motion = MotionConfiguration()
    /// How long a step is.
    var stepLength = StepLength.unknown
    /// What a crank revolution is worth, in micrometres; 0 where nobody told it.
    var micrometresPerRevolution: Int64 = 0
}
