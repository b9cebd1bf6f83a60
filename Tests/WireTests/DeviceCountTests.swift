import Testing

@testable import Wire

@Suite("Devices that count by themselves")
struct DeviceCountTests {
    @Test("Revolutions with identity and time")
    func revolutions() throws {
        let content = try Self.content(#"{"boot":"k3f9","seq":12,"t":1763673600.5,"revolutions":1042}"#, on: .rev)
        let expected = RevolutionCount(
            identity: .sequenced(boot: try BootID(name: "k3f9".utf8), sequence: 12),
            time: .utc(microseconds: 1_763_673_600_500_000), cumulative: 1042, modulus: 0, lastEventTime1024: nil)
        #expect(content == .revolutions(expected))
    }

    @Test(
        "Revolutions as a plain number, as ESPHome and QZ send them",
        arguments: ["1042", "1042.00", " 1042\n", "\u{FEFF}1042"])
    func plainNumber(text: String) throws {
        guard case .revolutions(let count) = try Self.content(text, on: .rev) else {
            Issue.record("not a count")
            return
        }
        #expect(count.cumulative == 1042)
        #expect(count.time == .absent)
    }

    @Test("The three kinds of step count")
    func steps() throws {
        let interval = try Self.content(
            #"{"kind":"interval","from":1763673600,"to":1763674200,"steps":812}"#, on: .count)
        #expect(
            interval
                == .steps(
                    DeviceStepCount(
                        kind: .interval, steps: 812, startMicroseconds: 1_763_673_600_000_000,
                        endMicroseconds: 1_763_674_200_000_000, boot: BootID(rawValue: 0))))
        let day = try Self.content(#"{"kind":"day","steps":9101}"#, on: .count)
        #expect(
            day
                == .steps(
                    DeviceStepCount(
                        kind: .day, steps: 9101, startMicroseconds: Self.arrival, endMicroseconds: Self.arrival,
                        boot: BootID(rawValue: 0))))
        let boot = try Self.content(#"{"kind":"boot","boot":3,"t":1763673600000,"steps":51200}"#, on: .count)
        #expect(
            boot
                == .steps(
                    DeviceStepCount(
                        kind: .boot, steps: 51_200, startMicroseconds: 1_763_673_600_000_000,
                        endMicroseconds: 1_763_673_600_000_000, boot: BootID(rawValue: 3))))
    }

    @Test("What is written reads back the same")
    func roundTrip() throws {
        let count = DeviceStepCount(
            kind: .boot, steps: 4711, startMicroseconds: 1_763_673_600_123_456, endMicroseconds: 1_763_673_600_123_456,
            boot: BootID(rawValue: .max))
        #expect(try Self.content(String(decoding: count.encodedJSON(), as: UTF8.self), on: .count) == .steps(count))
        let turns = RevolutionCount(
            identity: .sequenced(boot: BootID(rawValue: 9), sequence: 1), time: .uptime(microseconds: 5_500),
            cumulative: 77, modulus: 0, lastEventTime1024: nil)
        #expect(try Self.content(String(decoding: turns.encodedJSON(), as: UTF8.self), on: .rev) == .revolutions(turns))
    }

    @Test(
        "A count that says nothing or the impossible is refused by name",
        arguments: [
            ("1.5", DeviceChannel.rev, WireError.wrongType),
            ("true", .rev, .wrongType),
            ("NaN", .rev, .wrongType),
            ("1e300", .rev, .wrongType),
            ("unavailable", .ftms, .malformed), ("88 rpm", .csc, .malformed), ("pause", .mark, .malformed),
            (#"{"kind":null,"t":99}"#, .mark, .wrongType),
            (#"{"kind":"start","t":4102444800}"#, .mark, .absurdTime), (#"{"kind":"stop","t":0}"#, .mark, .absurdTime),
            (#"{"revolutions":-3}"#, .rev, .outOfRange),
            (#"{"revolutions":"3"}"#, .rev, .wrongType),
            (#"{"revolutions":9007199254740993}"#, .rev, .outOfRange),
            (#"{"seq":3,"revolutions":3}"#, .rev, .wrongType),
            (#"{"boot":3,"revolutions":3}"#, .rev, .wrongType),
            (#"{"revolutions":3,"t":4102444800}"#, .rev, .absurdTime),
            (#"{"steps":9101}"#, .count, .wrongType),
            (#"{"kind":"week","steps":9101}"#, .count, .outOfRange),
            (#"{"kind":"day","steps":-1}"#, .count, .outOfRange),
            (#"{"kind":"interval","from":1763674200,"to":1763673600,"steps":1}"#, .count, .absurdTime),
            (#"{"kind":"interval","from":1563673600,"to":1763673600,"steps":1}"#, .count, .absurdTime),
            (#"{"kind":"interval","from":1763673600,"steps":1}"#, .count, .wrongType),
            (#"{"kind":"day","steps":1,"steps":2}"#, .count, .contradiction),
            ("{}", .imu, .unknownTopic),
        ])
    func refused(text: String, channel: DeviceChannel, error: WireError) {
        #expect(throws: error) { try Self.content(text, on: channel) }
    }

    static let arrival: Int64 = 1_763_673_600_000_000

    static func content(_ text: String, on channel: DeviceChannel) throws(WireError) -> MotionContent? {
        try Array(text.utf8).withRawBytes { bytes throws(WireError) in
            try MotionContent.decoding(
                DeviceMessage(payload: bytes, arrivalMicroseconds: arrival), on: channel)
        }.first
    }
}

extension DeviceStepCount {
    /// The payload of `count`.
    func encodedJSON() -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("kind", "\(kind)")
            if kind == .boot, boot != BootID(rawValue: 0) { writer.field("boot", boot.name) }
            writer.key(kind == .interval ? "from" : "t")
            writer.fixed(startMicroseconds, decimals: 6)
            if kind == .interval {
                writer.key("to")
                writer.fixed(endMicroseconds, decimals: 6)
            }
            writer.field("steps", steps)
        }
    }
}
