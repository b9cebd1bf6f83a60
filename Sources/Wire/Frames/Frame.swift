/// The content of a sensor frame, independent of its wire format: SI units, one row of numbers per sample.
///
/// A frame carries samples of three-axis sensors, air pressures, or both.
///
/// A frame is a reusable buffer: decoders write into it (`removeAll` keeps its storage), so that a steady stream of
/// frames allocates nothing.
public struct Frame: Sendable, Equatable {
    /// The identity of the frame.
    public var identity: FrameIdentity = .unsequenced(contentHash: 0)
    /// The time on the device's clock at the first sample.
    public var time: FrameTime = .absent
    /// The spacing of the samples.
    public var timing: FrameTiming = .uniform(periodNanoseconds: 0)
    /// The sensors that each row carries.
    public var sensors: SensorSet = []
    /// The number of rows; in a frame with pressures only, the number of pressures.
    public var sampleCount: Int = 0
    /// The rows, one after another: for each sensor of `sensors`, in the order of its bits, x, y and z. Acceleration
    /// in m/s², angular velocity in rad/s, magnetic field in µT.
    public var values: [Float] = []
    /// The intervals between samples in microseconds, `sampleCount − 1` of them, if `timing` is `.intervals`.
    public var intervalsMicroseconds: [UInt32] = []
    /// Air pressures, in hPa, evenly spaced over the frame. They are few, because a barometer is slow.
    public var pressuresHectopascals: [Float] = []
    /// Whether values beyond `FrameLimits` were left out as missing samples. Ingest tells it; the counter is not given it.
    package var hasLeftOut = false

    /// An empty frame to decode into.
    public init() {}

    /// Removes the content, and keeps the storage.
    public mutating func removeAll() {
        identity = .unsequenced(contentHash: 0)
        time = .absent
        timing = .uniform(periodNanoseconds: 0)
        sensors = []
        sampleCount = 0
        values.removeAll(keepingCapacity: true)
        intervalsMicroseconds.removeAll(keepingCapacity: true)
        pressuresHectopascals.removeAll(keepingCapacity: true)
        hasLeftOut = false
    }
}

/// The identity of a frame.
public enum FrameIdentity: Sendable, Hashable {
    /// The device counts its frames from 0 in each boot.
    case sequenced(boot: BootID, sequence: UInt64)
    /// A device without frame numbers: a stable hash of the payload, if necessary with a time, identifies the frame.
    case unsequenced(contentHash: UInt64)
}

/// The time on the device's clock at the first sample of a frame.
public enum FrameTime: Sendable, Hashable {
    /// Microseconds since 1970, UTC, by the device's own clock.
    case utc(microseconds: Int64)
    /// Microseconds since the device started.
    case uptime(microseconds: Int64)
    /// The device sent no time.
    case absent
}

/// The spacing of a frame's samples.
public enum FrameTiming: Sendable, Hashable {
    /// At a fixed period. A frame of one sample may carry 0: the rate is unknown.
    case uniform(periodNanoseconds: UInt32)
    /// At the intervals of `Frame.intervalsMicroseconds`.
    case intervals
}

/// A set of three-axis sensors.
public struct SensorSet: OptionSet, Sendable, Hashable {
    /// The bits, one per sensor.
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

/// One life of a device, from power-on to power-off. Together with a sequence number it identifies a frame for ever.
///
/// A device may send a whole number or up to 32 bytes of text. A number is carried as it is, text as its 64-bit stable
/// hash, so that an identity has a fixed size; `7` and `"7"` are the same boot.
public struct BootID: Hashable, Sendable {
    /// The longest boot name, in bytes.
    public static let maximumBytes = 32

    /// The number, or the hash of the text, that is carried.
    public let rawValue: UInt64

    /// Takes a boot's number from a device, an internal batch or a stored state.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Takes the boot name that a device sent.
    public init(name: some Collection<UInt8>) throws(WireError) {
        guard name.count <= Self.maximumBytes else { throw .outOfRange }
        if let number = Self.number(name) {
            rawValue = number
            return
        }
        var hash = StableHash()
        hash.combine(name)
        rawValue = hash.value
    }

    /// A name that reads back as this boot: its number in decimal digits.
    public var name: String { String(rawValue) }

    /// The value of decimal digits as `name` writes them: no sign, no leading zero.
    private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (shifted, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }
}
