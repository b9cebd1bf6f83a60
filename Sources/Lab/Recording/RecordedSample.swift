/// One line of a recording. A sensor whose fields are empty is nil.
public struct RecordedSample: Sendable, Equatable {
    /// Seconds since the recording's zero.
    public var timeSeconds: Double
    /// m/s² with gravity.
    public var acceleration: SIMD3<Float>?
    /// rad/s
    public var angularVelocity: SIMD3<Float>?
    /// µT
    public var magneticField: SIMD3<Float>?
    /// Pressure of the air, hPa, on the lines on which a barometer spoke.
    public var pressureHectopascals: Float?

    /// A sample from its parts.
    public init(
        timeSeconds: Double, acceleration: SIMD3<Float>? = nil, angularVelocity: SIMD3<Float>? = nil,
        magneticField: SIMD3<Float>? = nil, pressureHectopascals: Float? = nil
    ) {
        self.timeSeconds = timeSeconds
        self.acceleration = acceleration
        self.angularVelocity = angularVelocity
        self.magneticField = magneticField
        self.pressureHectopascals = pressureHectopascals
    }
}
