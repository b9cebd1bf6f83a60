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
