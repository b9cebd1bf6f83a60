import Lab
import Wire

/// What one simulated rider or walker sends: frames of a second, the same for the same seed.
struct SimulatedSignal {
    /// The beginning, 2026-01-01T00:00:00Z, in microseconds since 1970.
    static let startMicroseconds: Int64 = 1_767_225_600_000_000

    let configuration: DeviceConfig
    let frames: [Frame]

    init(isBike: Bool, seed: UInt64, seconds: Int) {
        var gym = SimulatedGym(
            bikes: isBike ? 1 : 0, wearables: isBike ? 0 : 1, seed: seed, character: .demo(seconds: Double(seconds)),
            sampling: SimulatedSampling(frameSeconds: 1), startMicroseconds: Self.startMicroseconds)
        configuration = gym.devices[0].actor.configuration
        frames = (0..<seconds).map { _ in
            var frame = Frame()
            gym.makeFrame(of: 0, into: &frame)
            return frame
        }
    }
}
