/// What a sensor frame says, whatever form it came in: SI units, one row of numbers a sample.
///
/// A frame carries samples of sensors with three axes, pressures of the air, or both.
///
/// A frame is a reusable buffer: decoders write into it (`removeAll` keeps its storage), so that a steady stream of
/// frames allocates nothing.
public struct Frame: Sendable, Equatable {
    /// Who the frame is.
    public var identity: FrameIdentity = .unsequenced(contentHash: 0)
    /// What the device's clock said at the first sample.
    public var time: FrameTime = .absent
    /// How the samples are spaced.
    public var timing: FrameTiming = .uniform(periodNanoseconds: 0)
    /// Which sensors each row carries.
    public var sensors: SensorSet = []
    /// The number of rows; of a frame that has pressures alone, their number.
    public var sampleCount: Int = 0
    /// The rows, one after another: for each sensor of `sensors`, in the order of its bits, x, y and z. Acceleration
    /// in m/s², angular velocity in rad/s, magnetic field in µT.
    public var values: [Float] = []
    /// Microseconds from each sample to the next, `sampleCount − 1` of them, where `timing` is `.intervals`.
    public var intervalsMicroseconds: [UInt32] = []
    /// Pressures of the air, in hPa, evenly over the frame: few, because a barometer is slow.
    public var pressuresHectopascals: [Float] = []

    /// An empty frame to decode into.
    public init() {}

    /// Forgets the content and keeps the storage.
    public mutating func removeAll() {
        identity = .unsequenced(contentHash: 0)
        time = .absent
        timing = .uniform(periodNanoseconds: 0)
        sensors = []
        sampleCount = 0
        values.removeAll(keepingCapacity: true)
        intervalsMicroseconds.removeAll(keepingCapacity: true)
        pressuresHectopascals.removeAll(keepingCapacity: true)
    }
}

/// The identity of a frame.
public enum FrameIdentity: Sendable, Hashable {
    /// The device counts its frames from 0 in each boot.
    case sequenced(boot: BootID, sequence: UInt64)
    /// The device does not; the frame is known by the stable hash of its payload and its time.
    case unsequenced(contentHash: UInt64)
}

/// What the device's clock said at the first sample of a frame.
public enum FrameTime: Sendable, Hashable {
    /// Microseconds since 1970, UTC, by the device's own clock.
    case utc(microseconds: Int64)
    /// Microseconds since the device started.
    case uptime(microseconds: Int64)
    /// The device told no time.
    case absent
}

/// How the samples of a frame are spaced.
public enum FrameTiming: Sendable, Hashable {
    /// At a fixed period. A frame of one sample may carry 0: the rate is unknown.
    case uniform(periodNanoseconds: UInt32)
    /// As `Frame.intervalsMicroseconds` says.
    case intervals
}
