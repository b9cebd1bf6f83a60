import Lab
import Testing

@Suite("What truly happens in a simulated gym")
struct GymEventsTests {
    @Test("The events of each round are those of its frames, in order, and add up to the truth")
    func events() {
        let start: Int64 = 1_767_225_600_000_000
        var source = GymSource(gym: SimulatedGym(bikes: 1, wearables: 1, seed: 3, startMicroseconds: start))
        var counts = [0, 0]
        var (last, before): (Int64, Int64) = (start, start)
        for second in 1...30 {
            let until = start + Int64(second) * 1_000_000
            _ = source.takeDue(untilMicroseconds: until)
            for (index, device) in source.devices.enumerated() {
                counts[index] += device.lastEvents.count
                let times = device.lastEvents.map(\.microseconds)
                #expect(times.allSatisfy { $0 > before - 2_000_000 && $0 <= until })
            }
            let bike = source.devices[0].lastEvents.map(\.microseconds)
            #expect(([last] + bike) == ([last] + bike).sorted())
            last = bike.last ?? last
            before = until
        }
        #expect(counts[0] > 5 && counts[1] > 20)
        #expect(counts == [source.gym.devices[0].truth.revolutions, source.gym.devices[1].truth.steps])
    }
}
