import Lab
import Testing
import Wire

@Suite("Everybody in a simulated gym is counted as the truth says")
struct GymCountTests {
    private static let start: Int64 = 1_795_194_000_000_000
    private static let seconds = 120

    /// The truth and the count of each device.
    private static func counts(
        seed: UInt64, rateHz: Double, isConfigured: Bool = true
    ) -> [(id: DeviceID, truth: Int, counted: Int)] {
        var gym = SimulatedGym(
            bikes: 3, wearables: 3, seed: seed, stopSeconds: Double(seconds), rateHz: rateHz, startMicroseconds: start)
        return gym.devices.indices.map { index in
            let device = gym.devices[index]
            var count = OfflineCount(
                device: device.id, configuration: isConfigured ? device.configuration : DeviceConfig())
            var frame = Frame()
            for _ in 0..<seconds {
                gym.makeFrame(of: index, into: &frame)
                count.accept([frame])
            }
            let (summary, truth) = (count.finish(), gym.devices[index].truth)
            return (
                device.id, truth.steps + truth.revolutions, Int(clamping: summary.steps + summary.revolutions)
            )
        }
    }

    @Test(
        "Within 2 %, whatever the seed and the rate", arguments: [25, 50, 100.0], Array(1...4 as ClosedRange<UInt64>))
    func near(rateHz: Double, seed: UInt64) {
        for (id, truth, counted) in Self.counts(seed: seed, rateHz: rateHz) {
            #expect(truth > 90)
            #expect(abs(counted - truth) * 50 <= truth, "\(id): \(counted) of \(truth)")
        }
    }
}
