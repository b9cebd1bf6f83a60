import Lab
import Testing
import Wire

@Suite("A simulated gym")
struct SimulatedGymTests {
    private static let start = 1_763_673_600_000_000 as Int64

    @Test("Frames come in the order of time, each device's in its own order, and none before its end")
    func order() {
        var gym = SimulatedGym(bikes: 3, wearables: 4, seed: 5, startMicroseconds: Self.start)
        var frame = Frame()
        var next = Array(repeating: UInt64(0), count: 7)
        for now in stride(from: Self.start, through: Self.start + 20_000_000, by: 300_000) {
            for index in gym.dueDevices(untilMicroseconds: now) {
                #expect(gym.devices[index].nextFrameEndMicroseconds <= now)
                gym.makeFrame(of: index, into: &frame)
                #expect(frame.identity == .sequenced(boot: gym.devices[index].boot, sequence: next[index]))
                next[index] += 1
            }
        }
        #expect((next.min() ?? 0) >= 18)
    }

    @Test("Devices have names, kinds, placements and boots of their own")
    func devices() {
        let gym = SimulatedGym(bikes: 2, wearables: 3, seed: 5, startMicroseconds: Self.start)
        #expect(gym.devices.map(\.id.description) == ["bike-1", "bike-2", "walker-1", "walker-2", "walker-3"])
        #expect(gym.devices.map(\.kind) == [.bike, .bike, .wearable, .wearable, .wearable])
        #expect(gym.devices.map(\.placement) == [.frame, .frame, .wrist, .pocket, .hip])
        #expect(Set(gym.devices.map(\.boot)).count == 5)
    }

    @Test("A second run of a seed at another time is another life of every device")
    func boots() {
        let first = SimulatedGym(bikes: 2, wearables: 2, seed: 5, startMicroseconds: Self.start)
        let second = SimulatedGym(bikes: 2, wearables: 2, seed: 5, startMicroseconds: Self.start + 1)
        #expect(Set(first.devices.map(\.boot)).isDisjoint(with: second.devices.map(\.boot)))
    }

    @Test(
        "Where a gym stops everybody moves, at an ordinary cadence, and rests at the end",
        arguments: [20.0, 60, 61, 90])
    func stopping(seconds: Double) {
        var gym = SimulatedGym(
            bikes: 3, wearables: 3, seed: 5, stopSeconds: seconds, startMicroseconds: Self.start)
        for index in gym.devices.indices {
            let events = (0..<Int(seconds)).flatMap { _ in
                var frame = Frame()
                gym.makeFrame(of: index, into: &frame)
                return gym.devices[index].lastEvents.map { Double($0.microseconds - Self.start) / 1e6 }
            }
            let active = seconds - (seconds > 60 ? 18 : 10)
            let rate = Double(events.count) / active * 60
            #expect((gym.devices[index].kind == .bike ? 50.0...101 : 88...130).contains(rate))
            #expect((events.max() ?? 0) < seconds - 3)
        }
    }

    @Test("Straps and power meters tell what a rider can have, and change nothing of the motion")
    func sensors() {
        var plain = SimulatedGym(bikes: 2, wearables: 1, seed: 5, startMicroseconds: Self.start)
        var worn = SimulatedGym(
            bikes: 2, wearables: 1, seed: 5, sensors: [.strap, .powerMeter], startMicroseconds: Self.start)
        var (frame, same) = (Frame(), Frame())
        for index in worn.devices.indices {
            var joules = 0.0
            for _ in 0..<300 {
                plain.makeFrame(of: index, into: &frame)
                worn.makeFrame(of: index, into: &same)
                #expect(frame == same)
                let rider = worn.devices[index].rider
                #expect((60...221).contains(rider.bpm ?? 0))
                #expect((0...600).contains(rider.watts ?? 0) && (rider.watts == nil) == (index == 2))
                joules += rider.watts ?? 0
            }
            #expect(plain.devices[index].rider.isEmpty)
            #expect(worn.devices[index].truth.joules == joules && (joules > 0) == (index < 2))
        }
    }

    @Test("The truth is written as JSON that says what happened to every device")
    func truth() throws {
        var gym = SimulatedGym(
            bikes: 1, wearables: 1, seed: 5, stopSeconds: 20, startMicroseconds: Self.start)
        var frame = Frame()
        for _ in 0..<20 { gym.makeFrame(of: 0, into: &frame) }
        let text = String(decoding: gym.encodedTruth(), as: UTF8.self)
        let revolutions = gym.devices[0].truth.revolutions
        let bike = """
            {"device":"bike-1","kind":"bike","placement":"frame","steps":0,"revolutions":\(revolutions),\
            "frames_sent":20},
            """
        #expect(text.hasPrefix("{\"seed\":5,\"devices\":[" + bike))
        #expect(text.hasSuffix("\"frames_sent\":0}]}"))
    }

    @Test("A gym of nobody and a gym of too many stay within bounds")
    func bounds() {
        #expect(SimulatedGym(bikes: -1, wearables: 0, seed: 1, startMicroseconds: 0).devices.isEmpty)
        #expect(SimulatedGym(bikes: 0, wearables: 0, seed: 1, startMicroseconds: 0).nextDueMicroseconds == nil)
    }

    @Test("The events of each round are those of its frames, in order, and add up to the truth")
    func events() {
        let start = Self.start
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

    @Test(
        "Everybody is counted as the truth says within 2 %, whatever the seed and the rate",
        arguments: [25, 50, 100.0], Array(1...4 as ClosedRange<UInt64>))
    func counted(rateHz: Double, seed: UInt64) {
        var gym = SimulatedGym(
            bikes: 3, wearables: 3, seed: seed, stopSeconds: 120, rateHz: rateHz, startMicroseconds: Self.start)
        for index in gym.devices.indices {
            let device = gym.devices[index]
            var count = OfflineCount(device: device.id, configuration: device.configuration)
            var frame = Frame()
            for _ in 0..<120 {
                gym.makeFrame(of: index, into: &frame)
                count.accept([frame])
            }
            let (summary, truth) = (count.finish(), gym.devices[index].truth)
            let (wanted, counted) = (
                truth.steps + truth.revolutions, Int(clamping: summary.steps + summary.revolutions)
            )
            #expect(wanted > 90)
            #expect(abs(counted - wanted) * 50 <= wanted, "\(device.id): \(counted) of \(wanted)")
        }
    }
}
