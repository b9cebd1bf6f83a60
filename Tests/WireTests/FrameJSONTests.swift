import Seeded
import Testing
import Wire

@Suite("Frames in our JSON form")
struct FrameJSONTests {
    private let decoder = FrameDecoder()

    @Test("The design's example is read as it is meant")
    func example() throws {
        let frame = try decoder.decode(
            #"""
            {"boot":"k3f9","seq":412,"t":1763673600.120,"rate_hz":50,
             "acc":[[0.12,-0.33,9.79],[0.11,-0.30,9.81]],"gyro":[[0.01,0.00,-0.02],[0.01,0.01,-0.02]],"mag":[[21.0,3.1,-42.0]]}
            """#)
        #expect(frame.identity == .sequenced(boot: try BootID(name: "k3f9".utf8), sequence: 412))
        #expect(frame.time == .utc(microseconds: 1_763_673_600_120_000))
        #expect(frame.timing == .uniform(periodNanoseconds: 20_000_000))
        #expect(frame.sensors == [.acceleration, .angularVelocity, .magneticField])
        #expect(frame.sampleCount == 2)
        #expect(
            frame.values == [
                0.12, -0.33, 9.79, 0.01, 0, -0.02, 21, 3.1, -42, 0.11, -0.30, 9.81, 0.01, 0.01, -0.02, 21, 3.1, -42,
            ])
    }

    @Test("A frame written as JSON reads back as the same frame, number by number", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let frame = Frame.random(using: &generator)
        #expect(try decoder.decode(frame.encodedJSON()) == frame)
    }

    @Test(
        "The unit of a time is told by its magnitude",
        arguments: ["1763673600.12", "1763673600120", "1763673600120000", "1763673600120000000", "1.76367360012e12"])
    func timeUnits(text: String) throws {
        let frame = try decoder.decode(#"{"t":\#(text),"acc":[[0,0,9.8]]}"#)
        #expect(frame.time == .utc(microseconds: 1_763_673_600_120_000))
    }

    @Test("A device without a clock sends its uptime")
    func uptime() throws {
        #expect(
            try decoder.decode(#"{"uptime_ms":81230.5,"acc":[[0,0,9.8]]}"#).time == .uptime(microseconds: 81_230_500))
        #expect(try decoder.decode(#"{"acc":[[0,0,9.8]]}"#).time == .absent)
    }

    @Test("A boot is the same as a number and as text")
    func bootAsNumberOrText() throws {
        let number = try decoder.decode(#"{"boot":7,"seq":0,"acc":[[0,0,9.8]]}"#)
        #expect(try decoder.decode(#"{"boot":"7","seq":0,"acc":[[0,0,9.8]]}"#) == number)
    }

    @Test("Uneven sampling is told by intervals, in ms")
    func intervals() throws {
        let frame = try decoder.decode(#"{"dt_ms":[20,21.5],"acc":[[0,0,9],[0,0,9],[0,0,9]]}"#)
        #expect(frame.timing == .intervals)
        #expect(frame.intervalsMicroseconds == [20_000, 21_500])
        let uniform = try decoder.decode(#"{"dt_ms":20,"acc":[[0,0,9],[0,0,9],[0,0,9]]}"#)
        #expect(uniform.timing == .uniform(periodNanoseconds: 20_000_000))
    }

    @Test("CoreMotion's user acceleration and gravity add up to acceleration")
    func coreMotion() throws {
        let both = try decoder.decode(
            #"{"userAcceleration":[[1,2,3]],"gravity":[[0.5,0,-9.5]],"rotationRate":[[1,0,0]],"attitude":[[0,0,0,1]]}"#)
        #expect(both.sensors == [.acceleration, .angularVelocity])
        #expect(both.values == [1.5, 2, -6.5, 1, 0, 0])
        let user = try decoder.decode(#"{"userAcceleration":[[1,2,3]]}"#)
        #expect(user.sensors == [.acceleration, .gravityRemoved])
    }

    @Test("Where acceleration with gravity is there, it wins over its parts")
    func accelerationWins() throws {
        let frame = try decoder.decode(
            #"{"acc":[[1,1,1]],"userAcceleration":[[2,2,2]],"gyro":[[3,3,3]],"rotationRate":[[4,4,4]]}"#)
        #expect(frame.sensors == [.acceleration, .angularVelocity])
        #expect(frame.values == [1, 1, 1, 3, 3, 3])
    }

    @Test("The magnetometer may be slower: its rows are held")
    func slowMagnetometer() throws {
        let frame = try decoder.decode(
            #"{"rate_hz":50,"acc":[[0,0,0],[0,0,0],[0,0,0],[0,0,0]],"mag":[[1,1,1],[2,2,2]]}"#)
        let held = stride(from: 3, to: frame.values.count, by: 6).map { frame.values[$0] }
        #expect(held == [1, 1, 2, 2])
    }

    @Test("Unknown fields are ignored, whatever they hold")
    func unknownFields() throws {
        let frame = try decoder.decode(#"{"fw":{"v":[1,{"x":null}]},"acc":[[1,2,3]],"temp":27.7,"name":"Grüße"}"#)
        #expect(frame.values == [1, 2, 3])
    }

    @Test("A frame without identity is known by its payload")
    func contentHash() throws {
        let first = try decoder.decode(#"{"acc":[[1,2,3]]}"#)
        let second = try decoder.decode(#"{"acc":[[1,2,4]]}"#)
        #expect(first.identity != second.identity)
        #expect(first.identity == (try decoder.decode(#"{"acc":[[1,2,3]]}"#).identity))
    }

    @Test("A decoder that refused a frame reads the next one")
    func recovery() throws {
        var frame = Frame()
        for payload in [#"{"acc":[[1,2,"#, #"{"acc":[[1,2,3]]}"#] {
            try? Array(payload.utf8).withRawBytes { bytes throws(WireError) in try decoder.decode(bytes, into: &frame) }
        }
        #expect(frame.values == [1, 2, 3])
    }
}
