@testable import Bodies
import Lab
import Seeded
import Testing
import trials
import Wire

@Suite("Simulated people in a building are counted to their floors")
struct SimulatedStairsTests {
    private func floors(
        storeys: Int, placement: SimulatedPlacement, pressuresPerFrame: Int, seed: UInt64
    ) throws -> FloorCounts? {
        var sampling = SimulatedSampling(rateHz: 50)
        sampling.pressuresPerFrame = pressuresPerFrame
        let id = try DeviceID("walker-1")
        var device = SimulatedDevice(
            id: id, actor: .walker(.building(storeys: storeys), placement), sampling: sampling,
            startMicroseconds: 1_795_194_000_000_000, seed: seed)
        var config = DeviceConfig()
        config.kind = .wearable
        config.placement = placement.sensor
        var count = OfflineCount(device: id, configuration: config)
        let frames = (0..<200 + storeys * 90).map { _ in
            var frame = Frame()
            device.makeFrame(into: &frame)
            return frame
        }
        count.accept(frames)
        return count.finish().floors
    }

    /// A draught while a flight is climbed may hide a floor; nothing makes one.
    @Test(
        "Stairs up and down are counted, a lift of the same height is not",
        arguments: [SimulatedPlacement.hip, .pocket, .wrist], Sweep.seeds(1...3))
    func building(placement: SimulatedPlacement, seed: UInt64) throws {
        let storeys = Int(seed) + 1
        let floors = try #require(
            try floors(storeys: storeys, placement: placement, pressuresPerFrame: 1, seed: seed))
        for counted in [floors.ascended, floors.descended] {
            #expect((storeys - 1...storeys).contains(Int(counted)))
        }
    }

    @Test("Without a barometer nothing is said of floors")
    func without() throws {
        #expect(try floors(storeys: 2, placement: .hip, pressuresPerFrame: 0, seed: 1) == nil)
    }
}
