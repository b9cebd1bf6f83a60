import Testing
import Wire

@Suite("Heart rate and power")
struct RiderTests {
    /// Heart rates in the forms of straps; nil where nothing is known.
    struct Strap: Sendable, CustomTestStringConvertible {
        var what: String
        var bytes: [UInt8]
        var bpm: Float?
        var testDescription: String { what }

        init(_ what: String, _ bytes: [UInt8], _ bpm: Float?) { (self.what, self.bytes, self.bpm) = (what, bytes, bpm) }
        init(_ what: String, _ text: String, _ bpm: Float?) { self.init(what, Array(text.utf8), bpm) }
    }

    static let straps = [
        Strap("8 bits", [0x00, 72], 72), Strap("16 bits", [0x01, 72, 0], 72),
        Strap("with contact", [0x06, 131], 131), Strap("contact not supported", [0x02, 131], 131),
        Strap("contact lost, and 0", [0x04, 0], nil), Strap("contact lost, and the last number", [0x04, 131], nil),
        Strap("contact lost, 16 bits", [0x05, 131, 0], nil), Strap("contact lost, and 255", [0x04, 255], nil),
        Strap("with intervals", [0x16, 131, 0xCA, 0x01, 0xCC, 0x01], 131),
        Strap("without the intervals", [0x10, 60], 60),
        Strap("with energy and intervals", [0x1E, 131, 0x10, 0x27, 0xCA, 0x01], 131),
        Strap("energy cut short", [0x08, 131, 0x10], 131), Strap("an interval cut short", [0x10, 131, 0xCA], 131),
        Strap("a reserved bit", [0x80, 131, 1, 2, 3], 131),
        Strap("a number", "72", 72), Strap("a number with a fraction", "72.4", 72.4), Strap("three digits", "101", 101),
        Strap("a number with its line's end", "72\r\n", 72), Strap("a number with a mark before", "\u{FEFF}120", 120),
        Strap("a number with a NUL behind", "65\0", 65), Strap("hexadecimal text", "00 48", 72),
        Strap("hexadecimal text in one", "0648", 72), Strap("hexadecimal text with intervals", "164801AC", 72),
        Strap("not available", "unavailable", nil), Strap("unknown", "unknown", nil), Strap("no number", "nan", nil),
        Strap("hex", #"{"hex":"06 48"}"#, 72), Strap("base64", #"{"base64":"Bkg="}"#, 72),
        Strap("an object", #"{"bpm":72}"#, 72), Strap("an object without one", #"{"bpm":null}"#, nil),
        Strap("the slowest", [0x00, 20], 20), Strap("the fastest", [0x00, 250], 250),
    ]

    @Test("A strap's heart rate is read in each of its forms", arguments: straps)
    func strap(_ strap: Strap) throws {
        let contents = try BluetoothTests.contents(strap.bytes, on: .hr)
        #expect(contents.readings(.heart) == (strap.bpm.map { [$0] } ?? []))
        #expect(contents.count == (strap.bpm == nil ? 0 : 1))
    }

    @Test(
        "What is no heart rate is refused by name",
        arguments: [
            ([0x00, 0], WireError.absurdHeartRate), ([0x00, 255], .absurdHeartRate), ([0x06, 0], .absurdHeartRate),
            ([0x01, 0xFF, 0xFF], .absurdHeartRate), ([0x00, 19], .absurdHeartRate), ([0x00, 251], .absurdHeartRate),
            (Array("0".utf8), .absurdHeartRate), (Array("-72".utf8), .absurdHeartRate),
            (Array("1e+30".utf8), .absurdHeartRate), (Array(#"{"bpm":1e300}"#.utf8), .absurdHeartRate),
            ([], .emptyPayload), ([0x00], .malformed), ([0x01, 72], .malformed), ([0x00, 72, 1], .malformed),
            ([0x02, 0x10, 0, 0, 0xFC], .malformed), (Array("hello".utf8), .malformed), (Array("72,5".utf8), .malformed),
            (Array(#"{"bpm":"72"}"#.utf8), .wrongType), (Array(#"{"pulse":72}"#.utf8), .wrongType),
            (Array(#"{"bpm":72,"hex":"0648"}"#.utf8), .contradiction), (Array(#"{"bpm":72,"t":-1}"#.utf8), .absurdTime),
        ] as [([UInt8], WireError)])
    func refused(bytes: [UInt8], reason: WireError) {
        let told: [WireError]
        do throws(WireError) { told = try BluetoothTests.contents(bytes, on: .hr).refused } catch { told = [error] }
        #expect(told == [reason])
    }

    @Test("Of several numbers one that cannot be is refused, and the others count")
    func parts() throws {
        let bike = try BluetoothTests.contents([0x44, 0x02, 0, 0, 0xB0, 0, 0x00, 0x80, 255], on: .ftms)
        #expect(bike.cadences == [88] && bike.refused == [.absurdPower, .absurdHeartRate])
        let fast = try BluetoothTests.contents([0x44, 0x02, 0, 0, 0xFF, 0xFF, 0x40, 0x00, 131], on: .ftms)
        #expect(fast.refused == [.outOfRange] && fast.readings(.power) == [64] && fast.readings(.heart) == [131])
        let crank = try BluetoothTests.contents([0x20, 0, 0xA0, 0x0F, 5, 0, 0, 4], on: .csc)
        #expect(crank.revolutions.map(\.cumulative) == [5] && crank.refused == [.absurdPower])
    }

    @Test("An object has what is known, at its time", arguments: [DeviceChannel.hr, .ftms])
    func object(channel: DeviceChannel) throws {
        let json = #"{"watts":210.5,"bpm":131,"cadence_rpm":88,"t":1763673600.5}"#
        let contents = try BluetoothTests.contents(Array(json.utf8), on: channel)
        #expect(
            contents.cadences == [88] && contents.readings(.power) == [210.5] && contents.readings(.heart) == [131])
        for content in contents {
            switch content {
            case .reading(let reading): #expect(reading.time == .utc(microseconds: 1_763_673_600_500_000))
            default: Issue.record("\(content)")
            }
        }
        let some = try BluetoothTests.contents(Array(#"{"watts":0,"bpm":null}"#.utf8), on: channel)
        #expect(some.readings(.power) == [0] && some.count == 1)
    }

    @Test(
        "A power meter's watts are read under whichever flags",
        arguments: [
            ([0x00, 0, 0xC8, 0], [200]), ([0x01, 0, 0xC8, 0, 100], [200]), ([0x04, 0, 0xC8, 0, 1, 2], [200]),
            ([0x00, 0x10, 0xC8, 0], [200]), ([0x00, 0, 0xFE, 0xFF], [-2]), ([0x00, 0x08, 0xC8, 0, 9, 0], [200]),
            ([0x30, 0, 0xC4, 0x09, 1, 0, 0, 0, 2, 0, 5, 0, 0, 4], [2500]),
        ] as [([UInt8], [Float])])
    func power(bytes: [UInt8], watts: [Float]) throws {
        #expect(try BluetoothTests.contents(bytes, on: .csc).readings(.power) == watts)
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(try BluetoothTests.contents(Array(hex.utf8), on: .csc).readings(.power) == watts)
    }

    @Test(
        "A power that nobody has is refused by name",
        arguments: [
            [0x00, 0, 0x00, 0x80], [0x00, 0, 0xA0, 0x0F], [0x20, 0, 0xFF, 0x7F, 1, 0, 0, 4], [0x00, 0, 0xC5, 0x09],
        ] as [[UInt8]])
    func absurdPower(bytes: [UInt8]) throws {
        #expect(try BluetoothTests.contents(bytes, on: .csc).refused == [.absurdPower])
    }

    @Test("A runner's pod tells no power, at whichever pace")
    func footPod() throws {
        for speed in UInt16(1)...3_200 {
            for cadence in [30, 60, 110, 165, 220] as [UInt8] {
                let bytes: [UInt8] = [0x00, UInt8(speed & 0xFF), UInt8(speed >> 8), cadence]
                #expect(try BluetoothTests.contents(bytes, on: .csc) == [], "\(speed)")
            }
        }
        #expect(try BluetoothTests.contents([0x00, 0, 0, 0], on: .csc).readings(.power) == [0])
    }

    @Test(
        "What a bridge says is of another machine than a bike is passed over",
        arguments: [
            ("2ad1", []), ("0x2AD2", [64]), ("00002ace-0000-1000-8000-00805f9b34fb", []),
            ("00002ad2-0000-1000-8000-00805f9b34fb", [64]),
        ] as [(String, [Float])])
    func machines(characteristic: String, watts: [Float]) throws {
        let json = #"{"characteristic":"\#(characteristic)","hex":"4402f208b000400000"}"#
        #expect(try BluetoothTests.contents(Array(json.utf8), on: .ftms).readings(.power) == watts)
    }

    @Test("qdomyos-zwift's watts and heart rate hold while its clock ticks, and end with it")
    func qdomyosZwift() throws {
        var scene = try DeviceScene("filter=QZ/+/# format=qdomyos-zwift device=topic:1")
        func say(_ leaf: String, _ text: String) throws -> [MotionContent] {
            scene.arrival += 1_000_000
            return try scene.decode(text, topic: "QZ/bike-3/workout/\(leaf)")
        }
        #expect(try say("watts/current", "146.00").readings(.power) == [146])
        #expect(try say("heart/current", "131.00").readings(.heart) == [131])
        let tick = try say("elapsed/total_seconds", "754")
        #expect(tick.readings(.power) == [146] && tick.readings(.heart) == [131])
        #expect(try say("heart/current", "0.00") == [])
        #expect(try say("elapsed/total_seconds", "755").readings(.heart) == [])
        #expect(try say("watts/current", "5000.00").refused == [.absurdPower])
        #expect(try say("elapsed/total_seconds", "756") == [])
        #expect(try say("watts/current", "150.00").readings(.power) == [150])
        #expect(try say("device/paused", "true") == [])
        #expect(try say("elapsed/total_seconds", "757") == [])
    }

    @Test("Apps and bridges tell heart rate and power in forms of their own")
    func apps() throws {
        var theengs = try DeviceScene("filter=a format=theengs device=band")
        let band = try theengs.decode(#"{"model_id":"MB/SW","steps":9101,"act_bpm":125,"mac":"AA:BB:CC:DD:EE:FF"}"#)
        #expect(band.steps.map(\.steps) == [9101] && band.readings(.heart) == [125])
        let away = try theengs.decode(#"{"model_id":"MB/SW","steps":9101,"act_bpm":0,"mac":"AA:BB:CC:DD:EE:FF"}"#)
        #expect(away.steps.map(\.steps) == [9101] && away.refused.isEmpty && away.readings(.heart).isEmpty)
        let asleep = try theengs.decode(#"{"model_id":"MB/SW","steps":9101,"act_bpm":255,"mac":"AA:BB:CC:DD:EE:FF"}"#)
        #expect(asleep.steps.count == 1 && asleep.refused == [.absurdHeartRate])

        var logger = try DeviceScene()
        let watch = try logger.decode(
            #"{"messageId":1,"sessionId":"a","deviceId":"w","payload":["#
                + #"{"name":"heart rate","time":1763673602000000000,"values":{"bpm":92}},"#
                + #"{"name":"heart rate","time":1763673600000000000,"values":{"bpm":90}}]}"#)
        #expect(watch.readings(.heart) == [90, 92])

        var health = try DeviceScene("filter=health format=health-auto-export device=watch")
        let records = try health.decode(
            #"{"data":{"metrics":[{"name":"heart_rate","units":"count/min","data":["#
                + #"{"Min":60,"Avg":66.5,"Max":70,"date":"2025-11-20 21:18:00 +0000"}]},{"name":"cycling_power","units":"W","#
                + #""data":[{"qty":180,"date":"2025-11-20 21:18:05 +0000"}]},{"name":"step_count","data":["#
                + #"{"qty":85,"date":"2025-11-20 21:18:00 +0000"}]}]}}"#)
        #expect(records.readings(.heart) == [66.5] && records.readings(.power) == [180] && records.steps.count == 1)
        let hourly = try health.decode(
            #"{"data":{"metrics":[{"name":"heart_rate","data":[{"Avg":66,"date":"2025-11-20 20:00:00 +0000"}]}]}}"#)
        #expect(hourly == [])
        let odd = try health.decode(
            #"{"data":{"metrics":[{"name":"heart_rate","data":[{"bpm":66}]},{"name":"step_count","data":["#
                + #"{"qty":85,"date":"2025-11-20 21:18:00 +0000"}]}]}}"#)
        #expect(odd.refused == [.wrongType] && odd.steps.count == 1)

        var pulse = try DeviceScene("filter=strap/sensor/heart_rate/state format=number quantity=bpm device=strap")
        #expect(try pulse.decode("101").readings(.heart) == [101])
        #expect(try pulse.decode("nan") == [])
        #expect(try pulse.decode("0").refused == [.absurdHeartRate])
        var watts = try DeviceScene("filter=bike/sensor/power/state format=number quantity=watts device=bike")
        #expect(try watts.decode("146.5").readings(.power) == [146.5])
        var strap = try DeviceScene("filter=ble/+/2a37 format=bluetooth service=hr device=topic:1")
        #expect(try strap.decode([0x06, 131], topic: "ble/strap/2a37").readings(.heart) == [131])

        var mapping = try DeviceScene("filter=a format=mapping device=bike watts=/power*1000 bpm=/pulse t=/time")
        let mapped = try mapping.decode(#"{"power":0.21,"pulse":131,"time":1763673600}"#)
        #expect(mapped.readings(.power) == [210] && mapped.readings(.heart) == [131])
    }
}
