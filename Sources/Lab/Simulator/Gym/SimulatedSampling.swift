public import Wire

/// How a simulated device samples and packs its samples.
public struct SimulatedSampling: Sendable, Hashable {
    /// The sampling rate, in Hz.
    public let rateHz: Double
    /// Samples in a frame.
    public let samplesPerFrame: Int
    /// Which of acceleration, angular velocity and magnetic field; about a walker there is no field but the phone's
    /// own.
    public let sensors: SensorSet
    /// The part that senses.
    public let part: SensorPart
    /// The part that senses the magnetic field, where that is measured.
    public let magnetometer: MagnetometerPart
    /// Whether the device knows the time of day; without it a frame carries the time since the device's start.
    public let hasClock: Bool

    /// Readings of a barometer in a frame; 0 without one.
    public var pressuresPerFrame = 0
    /// The barometer.
    public var barometer = BarometerPart.bmp280

    /// Nanoseconds from one sample to the next.
    var periodNanoseconds: UInt32 { UInt32((1e9 / rateHz).rounded()) }

    /// Sampling from its parts. The rate is brought into `FrameLimits`' range, the frame to at least one sample and to
    /// no more than fit, and the sensors to those that are simulated.
    public init(
        rateHz: Double = 50, frameSeconds: Double = 1, sensors: SensorSet = [.acceleration, .angularVelocity],
        part: SensorPart = .lsm6dso, magnetometer: MagnetometerPart = .bmm150, hasClock: Bool = true
    ) {
        let rate = rateHz.isFinite ? min(max(rateHz, FrameLimits.minimumRateHz), FrameLimits.maximumRateHz) : 50
        let samples = frameSeconds.isFinite ? max(rate * frameSeconds, 1) : 1
        self.rateHz = rate
        samplesPerFrame = Int(min(samples.rounded(), Double(FrameLimits.maximumSamples)))
        let simulated = sensors.intersection([.acceleration, .angularVelocity, .magneticField])
        self.sensors = simulated.isEmpty ? .acceleration : simulated
        self.part = part
        self.magnetometer = magnetometer
        self.hasClock = hasClock
    }
}
