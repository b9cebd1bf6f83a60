/// What a sensor frame says, whatever form it came in: SI units, one row of numbers a sample.
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
    /// The number of rows.
    public var sampleCount: Int = 0
    /// The rows, one after another: for each sensor of `sensors`, in the order of its bits, x, y and z. Acceleration
    /// in m/s², angular velocity in rad/s, magnetic field in µT.
    public var values: [Float] = []
    /// Microseconds from each sample to the next, `sampleCount − 1` of them, where `timing` is `.intervals`.
    public var intervalsMicroseconds: [UInt32] = []

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
    }
}

/// The limits of one frame.
public enum FrameLimits {
    /// The most samples in a frame: 10 s at 400 Hz.
    public static let maximumSamples = 4096
    /// The largest payload of a frame, in bytes.
    public static let maximumPayloadBytes = 262_144
    /// The slowest sampling that is taken, in Hz.
    public static let minimumRateHz = 1.0
    /// The fastest sampling that is taken, in Hz.
    public static let maximumRateHz = 1000.0
    /// The longest interval between two samples of one frame, in microseconds: a longer gap starts a new frame.
    public static let maximumIntervalMicroseconds: UInt32 = 10_000_000
    /// The largest magnitude of an acceleration, in m/s²: twice the range of a ±200 g part.
    public static let maximumAcceleration: Float = 4_000
    /// The largest magnitude of an angular velocity, in rad/s: beyond a ±4,000 °/s part.
    public static let maximumAngularVelocity: Float = 80
    /// The largest magnitude of a magnetic field, in µT: beyond a ±100 G part.
    public static let maximumMagneticField: Float = 10_000
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

/// A set of three-axis sensors.
public struct SensorSet: OptionSet, Sendable, Hashable {
    /// The bits, one a sensor.
    public let rawValue: UInt8

    /// A set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Acceleration, m/s².
    public static let acceleration = SensorSet(rawValue: 1)
    /// Angular velocity, rad/s.
    public static let angularVelocity = SensorSet(rawValue: 2)
    /// Magnetic field, µT.
    public static let magneticField = SensorSet(rawValue: 4)
    /// Not a sensor: the acceleration of this frame is without gravity (user acceleration).
    public static let gravityRemoved = SensorSet(rawValue: 128)

    /// The number of three-axis sensors in the set.
    public var sensorCount: Int { (rawValue & 7).nonzeroBitCount }
    /// The numbers in one row of a frame.
    public var valuesPerSample: Int { sensorCount * 3 }
}
