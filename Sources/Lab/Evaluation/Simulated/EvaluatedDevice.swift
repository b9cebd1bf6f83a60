import Wire

/// How a simulated device samples, and whether the counter is told what it is.
public struct EvaluatedDevice: Sendable {
    /// Rates, sensors and frames.
    public let sampling: SimulatedSampling
    /// Whether the device has a config that says what it is and where it sits.
    public let isConfigured: Bool

    private static let frameSeconds = 0.5

    /// A device with an accelerometer, and a gyroscope too unless told otherwise.
    public init(rateHz: Double = 50, hasGyroscope: Bool = true, isConfigured: Bool = true) {
        sampling = SimulatedSampling(
            rateHz: rateHz, frameSeconds: Self.frameSeconds,
            sensors: hasGyroscope ? [.acceleration, .angularVelocity] : .acceleration)
        self.isConfigured = isConfigured
    }

    /// What the counter is told of the device.
    func configuration(of actor: SimulatedActor) -> DeviceConfig {
        isConfigured ? actor.configuration : DeviceConfig()
    }
}
