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

/// A crank's running count, as CSC sensors and reed switches tell it.
public struct RevolutionCount: Sendable, Equatable {
    /// Who the message is.
    public var identity: FrameIdentity
    /// When it was sent.
    public var time: FrameTime
    /// Revolutions so far, in `modulus` arithmetic.
    public var cumulative: UInt64
    /// Where the count wraps to 0: 65,536 for CSC crank data; 0 if it never does.
    public var modulus: UInt64
    /// The time of the last revolution in units of 1/1024 s, modulo 65,536, where the source tells it (CSC).
    public var lastEventTime1024: UInt16?

    /// A count from its parts.
    public init(
        identity: FrameIdentity, time: FrameTime, cumulative: UInt64, modulus: UInt64, lastEventTime1024: UInt16?
    ) {
        self.identity = identity
        self.time = time
        self.cumulative = cumulative
        self.modulus = modulus
        self.lastEventTime1024 = lastEventTime1024
    }
}

/// Steps from a device that counts by itself. The three kinds differ in what a repeated or falling value means.
public struct DeviceStepCount: Sendable, Equatable {
    /// What the number counts.
    public enum Kind: UInt8, Sendable {
        /// Steps in `[start, end)`; the same interval again replaces the earlier number.
        case interval = 1
        /// Steps since the device's own midnight.
        case day = 2
        /// Steps since the device started.
        case boot = 3
    }

    /// What the number counts.
    public var kind: Kind
    /// The number.
    public var steps: UInt64
    /// The first instant of an interval, or the time of the message: microseconds since 1970.
    public var startMicroseconds: Int64
    /// The end of an interval (not included); equal to the start for counters.
    public var endMicroseconds: Int64
    /// The boot of a boot counter; zero elsewhere.
    public var boot: BootID

    /// A count from its parts.
    public init(kind: Kind, steps: UInt64, startMicroseconds: Int64, endMicroseconds: Int64, boot: BootID) {
        self.kind = kind
        self.steps = steps
        self.startMicroseconds = startMicroseconds
        self.endMicroseconds = endMicroseconds
        self.boot = boot
    }
}
