/// One device message on the internal hop from ingest to counter.
public struct MotionRecord: Sendable, Equatable {
    /// Whose it is.
    public var device: DeviceID
    /// When ingest received it: microseconds since 1970, UTC.
    public var arrivalMicroseconds: Int64
    /// What it says.
    public var content: MotionContent

    /// A record from its parts.
    public init(device: DeviceID, arrivalMicroseconds: Int64, content: MotionContent) {
        self.device = device
        self.arrivalMicroseconds = arrivalMicroseconds
        self.content = content
    }
}

/// What a device message says, after ingest has understood it.
public enum MotionContent: Sendable, Equatable {
    /// Raw samples.
    case frame(Frame)
    /// A running count of crank revolutions (`…/rev`, `…/csc`).
    case revolutions(RevolutionCount)
    /// A momentary cadence without a count (`…/ftms`), in revolutions a minute.
    case cadence(rpm: Float, identity: FrameIdentity, time: FrameTime)
    /// Steps counted by the device itself (`…/count`).
    case steps(DeviceStepCount)
    /// Messages of this device that ingest refused since it last told.
    case refusal(WireError, count: UInt32)
}
