import Bodies
import Wire

/// What one simulated rider or walker sends: frames of a second, the same for the same seed.
struct SimulatedSignal {
    /// The beginning, 2026-01-01T00:00:00Z, in microseconds since 1970.
    static let startMicroseconds: Int64 = 1_767_225_600_000_000

    let configuration: DeviceConfig
    let frames: [Frame]

    init(isBike: Bool, seed: UInt64, seconds: Int) throws {
        var device = try SimulatedDevice(
            isBike: isBike, seconds: Double(seconds), frameSeconds: 1, startMicroseconds: Self.startMicroseconds,
            seed: seed)
        configuration = device.actor.configuration
        frames = (0..<seconds).map { _ in
            var frame = Frame()
            device.makeFrame(into: &frame)
            return frame
        }
    }
}
