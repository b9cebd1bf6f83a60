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
    /// The greatest pressure, in hPa: beyond any barometer of a wearable.
    public static let maximumPressure: Float = 2_000
    /// The periods of `minimumRateHz ... maximumRateHz`.
    static let periodNanoseconds: ClosedRange<UInt32> = 1_000_000...1_000_000_000
    /// The earliest time that a clock may claim: 2001-01-01, in microseconds since 1970.
    static let minimumTimeMicroseconds: Int64 = 978_307_200_000_000
    /// The latest time that a clock may claim: 2100-01-01, in microseconds since 1970.
    static let maximumTimeMicroseconds: Int64 = 4_102_444_800_000_000
    /// The longest uptime: what lies beyond is a UTC time.
    static let maximumUptimeMicroseconds: Int64 = 978_307_199_999_999
}
