/// The sensors of a sample.
public struct SensorSet: OptionSet, Sendable, Hashable {
    /// The bits, as they are stored.
    public let rawValue: UInt8

    /// A set from its stored bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Acceleration in m/s² (or g), with or without gravity.
    public static let acceleration = SensorSet(rawValue: 1)
    /// Angular velocity in rad/s.
    public static let angularVelocity = SensorSet(rawValue: 2)
    /// Magnetic field in µT.
    public static let magneticField = SensorSet(rawValue: 4)

    /// Acceleration and angular velocity, as most devices send.
    static var sixAxes: SensorSet { [.acceleration, .angularVelocity] }
}

/// One reading of a device's sensors at one time.
public struct MotionSample: Sendable, Equatable {
    /// UTC in microseconds since 1970, never decreasing for a device.
    public var timeMicroseconds: Int64
    /// Acceleration in m/s², with gravity or without, any mounting. Values in g are recognised.
    public var acceleration: SIMD3<Float>
    /// Angular velocity in rad/s.
    public var angularVelocity: SIMD3<Float>
    /// Magnetic field in µT.
    public var magneticField: SIMD3<Float>
    /// The sensors that have values; the other values are not read.
    public var sensors: SensorSet

    /// A sample; leave out what the device does not measure.
    public init(
        timeMicroseconds: Int64,
        acceleration: SIMD3<Float> = .zero,
        angularVelocity: SIMD3<Float> = .zero,
        magneticField: SIMD3<Float> = .zero,
        sensors: SensorSet
    ) {
        self.timeMicroseconds = timeMicroseconds
        self.acceleration = acceleration
        self.angularVelocity = angularVelocity
        self.magneticField = magneticField
        self.sensors = sensors
    }
}
