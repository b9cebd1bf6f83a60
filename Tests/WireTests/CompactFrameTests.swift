import Seeded
import Testing
import Wire

@Suite("Frames in the compact JSON form")
struct CompactFrameTests {
    private let decoder = FrameDecoder()

    @Test("The design's example is read in SI units")
    func example() throws {
        let frame = try decoder.decode(#"{"b":7,"s":412,"t":81230,"hz":50,"a":[12,-34,1001,15,-30,998]}"#)
        #expect(frame.identity == .sequenced(boot: BootID(rawValue: 7), sequence: 412))
        #expect(frame.time == .uptime(microseconds: 81_230_000))
        #expect(frame.timing == .uniform(periodNanoseconds: 20_000_000))
        #expect(frame.sensors == .acceleration)
        #expect(frame.sampleCount == 2)
        #expect(frame.values[2] == Float(1001 * 9.80665 / 1000))
    }

    @Test("Angular velocity is in mrad/s")
    func gyroscope() throws {
        let frame = try decoder.decode(#"{"b":7,"s":0,"hz":50,"a":[0,0,1000],"g":[250,-500,0]}"#)
        #expect(frame.values[3...] == [0.25, -0.5, 0])
    }

    @Test("A time so great that no device lives that long is UTC")
    func utc() throws {
        #expect(
            try decoder.decode(#"{"b":7,"s":0,"t":1763673600120,"a":[0,0,1000]}"#).time
                == .utc(microseconds: 1_763_673_600_120_000))
    }

    @Test("Twelve samples fit the packet of a microcontroller's client")
    func size() {
        var frame = Frame()
        frame.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 412)
        frame.time = .uptime(microseconds: 81_230_000)
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = .acceleration
        frame.sampleCount = 12
        frame.values = (0..<12).flatMap { _ in [Float(0.12), -0.33, 9.81] }
        #expect(frame.encodedCompactJSON().count <= 200)
    }

    @Test("What has been rounded once stays as it is", arguments: 0..<100)
    func idempotence(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var frame = Frame.random(using: &generator)
        frame.sensors = [.acceleration, .angularVelocity]
        frame.values = (0..<(frame.sampleCount * 6)).map { _ in .random(in: -78...78, using: &generator) }
        let bytes = frame.encodedCompactJSON()
        #expect(try decoder.decode(bytes).encodedCompactJSON() == bytes)
    }
}
