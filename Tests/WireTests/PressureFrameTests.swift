import Testing
import Wire

@Suite("Frames with pressures of the air")
struct PressureFrameTests {
    private let decoder = FrameDecoder()

    /// A frame beside whose samples a barometer spoke.
    private var frame: Frame {
        var frame = Frame()
        frame.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 412)
        frame.time = .utc(microseconds: 1_763_673_600_120_000)
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = .acceleration
        frame.sampleCount = 2
        frame.values = [0, 0, 10, 1, 0, 9]
        frame.pressuresHectopascals = [1013.25, 1013.1, 994.2866]
        return frame
    }

    @Test("Our JSON form says them in hPa and reads them back exactly")
    func json() throws {
        let bytes = frame.encodedJSON()
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""pressure":[1013.25,1013.1,994.2866]"#))
        #expect(try decoder.decode(bytes) == frame)
    }

    @Test("The compact form says them in Pa to a tenth")
    func compact() throws {
        var frame = frame
        frame.time = .uptime(microseconds: 81_310_000)
        let bytes = frame.encodedCompactJSON()
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""p":[101325,101310,99428.7]"#))
        let read = try decoder.decode(bytes)
        for (one, other) in zip(read.pressuresHectopascals, frame.pressuresHectopascals) {
            #expect(abs(one - other) < 0.001)
        }
        #expect(read.pressuresHectopascals.count == 3)
    }

    @Test("The protobuf form says them in tenths of a pascal, packed or one by one")
    func protobuf() throws {
        let read = try decoder.decode(frame.encodedProtobuf())
        for (one, other) in zip(read.pressuresHectopascals, frame.pressuresHectopascals) {
            #expect(abs(one - other) < 0.001)
        }
        #expect(read.pressuresHectopascals.count == 3 && read.values == frame.values)
        let single = frame.encodedProtobuf() + [0x78, 0x92, 0xEC, 0x3D]
        #expect(try decoder.decode(single).pressuresHectopascals.last == 1013.266)
    }

    @Test("A barometer may be alone: its values are the samples")
    func alone() throws {
        var frame = frame
        frame.sensors = []
        frame.values = []
        frame.sampleCount = 3
        #expect(try decoder.decode(frame.encodedJSON()) == frame)
        #expect(try decoder.decode(frame.encodedProtobuf()).sampleCount == 3)
        let one = try decoder.decode(#"{"boot":1,"seq":2,"t":1763673600,"pressure":[1013.25]}"#)
        #expect(one.pressuresHectopascals == [1013.25] && one.sampleCount == 1 && one.sensors.isEmpty)
        let compact = try decoder.decode(#"{"b":1,"s":2,"t":5000,"p":[101325]}"#)
        #expect(compact.pressuresHectopascals == [1013.25])
    }

    @Test(
        "What is no pressure is refused",
        arguments: [
            (#"{"pressure":[2001]}"#, WireError.outOfRange), (#"{"pressure":[1e39]}"#, .outOfRange),
            (#"{"acc":[[0,0,9]],"pressure":["1013"]}"#, .wrongType),
            (#"{"acc":[[0,0,9]],"pressure":1013}"#, .wrongType),
            (#"{"acc":[[0,0,9]],"pressure":[[1013]]}"#, .wrongType), (#"{"pressure":[]}"#, .noSamples),
            (#"{"acc":[[0,0,9]],"p":[101325]}"#, .contradiction), (#"{"pressure":[1013,1013]}"#, .absurdRate),
            (#"{"acc":[[0,0,9]],"pressure":[1013],"pressure":[1013]}"#, .contradiction),
        ])
    func refused(json: String, error: WireError) {
        #expect(throws: error) { try decoder.decode(json) }
    }

    @Test("More pressures than a frame may have samples are refused in every form")
    func tooMany() {
        var frame = frame
        frame.pressuresHectopascals = [Float](repeating: 1000, count: FrameLimits.maximumSamples + 1)
        #expect(throws: WireError.tooManySamples) { try decoder.decode(frame.encodedJSON()) }
        #expect(throws: WireError.tooManySamples) { try decoder.decode(frame.encodedProtobuf()) }
    }

    @Test("An empty list beside samples says nothing")
    func empty() throws {
        #expect(try decoder.decode(#"{"acc":[[0,0,9]],"pressure":[]}"#).pressuresHectopascals.isEmpty)
    }
}
