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
