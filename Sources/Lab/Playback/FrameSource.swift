public import Wire

/// Something that makes frames as time goes on: a simulated gym, or recordings.
public protocol FrameSource: Sendable {
    /// The devices, in a fixed order.
    var devices: [PlayedDevice] { get }

    /// The instant at which the next frame of any device is complete, in microseconds since 1970; nil at the end.
    var nextDueMicroseconds: Int64? { get }

    /// Takes the frames that are complete at an instant, in the order in which they would be sent.
    mutating func takeDue(untilMicroseconds: Int64) -> [PlayedFrame]

    /// Takes the frames that were held back to be sent out of order, when no more will follow.
    mutating func takeHeld() -> [PlayedFrame]
}

extension FrameSource {
    /// A source that sends in order holds nothing back.
    public mutating func takeHeld() -> [PlayedFrame] { [] }
}

/// A device of a source, and what it truly did in the frames taken so far.
public struct PlayedDevice: Sendable {
    /// The device's name on the bus.
    public let id: DeviceID
    /// What its operator would say about it.
    public let configuration: DeviceConfig
    /// Where it comes from, for people: the character of a simulated device or the file of a recording.
    public let origin: String
    /// Steps truly made in the frames taken so far; nil where nobody knows.
    public internal(set) var trueSteps: Int?
    /// Revolutions truly made in the frames taken so far; nil where nobody knows.
    public internal(set) var trueRevolutions: Int?

    /// A device from its parts.
    public init(
        id: DeviceID, configuration: DeviceConfig, origin: String, trueSteps: Int?, trueRevolutions: Int?
    ) {
        self.id = id
        self.configuration = configuration
        self.origin = origin
        self.trueSteps = trueSteps
        self.trueRevolutions = trueRevolutions
    }
}

/// A frame to send.
public struct PlayedFrame: Sendable {
    /// The position of the device in `FrameSource.devices`.
    public let device: Int
    /// What to send.
    public let frame: Frame

    /// A frame from its parts.
    public init(device: Int, frame: Frame) {
        self.device = device
        self.frame = frame
    }
}
