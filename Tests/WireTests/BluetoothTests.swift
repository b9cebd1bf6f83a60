import Testing
import Wire

@Suite("Bluetooth notifications")
struct BluetoothTests {
    @Test(
        "Cycling power with its balance and wheel is as long as CSC, and has no crank",
        arguments: [0x10, 0x11, 0x13] as [UInt8])
    func powerWithWheel(flags: UInt8) throws {
        let balance: [UInt8] = flags & 1 != 0 ? [100] : []
        let bytes = [flags, 0, 200, 0] + balance + [1, 0, 0, 0, 0x34, 0x12]
        #expect(try Self.contents(bytes, on: .csc).revolutions == [])
        #expect(try Self.contents(bytes, on: .csc).readings(.power) == [200])
        let withCrank = try Self.revolutions(
            [flags | 0x20, 0, 200, 0] + balance + [1, 0, 0, 0, 2, 0, 0x34, 0x12, 5, 0])
        #expect(withCrank.cumulative == 0x1234)
    }

    @Test("FTMS: every field before and after the cadence keeps its place")
    func ftmsEverything() throws {
        let bytes: [UInt8] = [
            0xFE, 0x1F, 0, 0, 1, 0, 0xB0, 0, 0xA0, 0, 1, 2, 3, 4, 0, 0x2C, 1, 5, 0, 1, 2, 3, 4, 5, 140, 30, 0x10, 0x0E,
            6, 0,
        ]
        #expect(try Self.cadenceRPM(bytes) == 88)
        #expect(try Self.contents(bytes, on: .ftms).readings(.power) == [300])
        #expect(try Self.contents(bytes, on: .ftms).readings(.heart) == [140])
        #expect(throws: WireError.self) { try Self.contents(Array(bytes.prefix(7)), on: .ftms) }
    }

    @Test(
        "The same bytes as hex or base64 in JSON are the same count",
        arguments: [
            #"{"hex":"02 10 00 00 FC"}"#, #"{"hex":"02:10:00:00:fc"}"#, #"{"hex":"02100000fc"}"#,
            #"{"base64":"AhAAAPw="}"#, #"{"base64":"AhAAAPw"}"#,
        ])
    func text(payload: String) throws {
        #expect(try Self.revolutions(Array(payload.utf8)).cumulative == 16)
    }

    @Test("A bridge may name boot, sequence and time")
    func identity() throws {
        let count = try Self.revolutions(
            Array(#"{"boot":"k3f9","seq":4,"t":1763673600.5,"hex":"02100000fc"}"#.utf8))
        #expect(count.identity == .sequenced(boot: try BootID(name: "k3f9".utf8), sequence: 4))
        #expect(count.time == .utc(microseconds: 1_763_673_600_500_000))
    }

    @Test("FTMS bytes that begin like JSON are still bytes")
    func bracesAsFlags() throws {
        let bytes: [UInt8] = [0x7B, 0, 0, 0, 0xA0, 0, 10, 0, 0, 1, 0, 100, 0]
        #expect(try Self.contents(bytes, on: .ftms).readings(.power) == [100])
    }

    @Test(
        "Bytes cut short, too long or badly written are refused",
        arguments: [
            "", "\u{2}\u{10}", "\u{2}\u{10}\u{0}\u{0}\u{0}\u{0}", #"{"hex":"0"}"#, #"{"hex":"zz"}"#, #"{"base64":"A"}"#,
            #"{"base64":"AhAAAPx="}"#, #"{"hex":"02","base64":"Ag=="}"#, #"{"bytes":"02"}"#,
        ])
    func refused(payload: String) {
        #expect(throws: WireError.self) { try Self.contents(Array(payload.utf8), on: .csc) }
    }

    static func contents(_ bytes: [UInt8], on channel: DeviceChannel) throws(WireError) -> [MotionContent] {
        try bytes.withRawBytes { bytes throws(WireError) in
            try MotionContent.decoding(
                DeviceMessage(payload: bytes, arrivalMicroseconds: 1_763_673_600_000_000), on: channel)
        }
    }

    static func cadenceRPM(_ bytes: [UInt8]) throws -> Float {
        try #require(try contents(bytes, on: .ftms).cadences.first)
    }

    static func revolutions(_ bytes: [UInt8]) throws -> RevolutionCount {
        try #require(try contents(bytes, on: .csc).revolutions.first)
    }
}
