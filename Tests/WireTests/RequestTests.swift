import Seeded
import Testing

@testable import Wire

@Suite("Requests and replies")
struct RequestTests {
    @Test("A request reads back as it was written")
    func request() throws {
        var request = HistoryRequest(
            verb: .historySeries, device: try DeviceID("bike-07"), from: .localDate(year: 2026, month: 11, day: 20),
            to: .instant(seconds: 1_795_197_600.5), zone: "Europe/Berlin", bucket: .hour, limit: 100, cursor: "c",
            replyTo: "stride/reply/app-1", transaction: .string("a\"1\\\n"), deadline: 1_795_197_660)
        (request.alias, request.isExport) = ("имя \"\\ of many", true)
        #expect(try HistoryRequest(verb: .historySeries, json: request.encodedJSON()) == request)
    }

    @Test("A request may say nothing")
    func nothing() throws {
        #expect(try HistoryRequest(verb: .devices, json: []) == HistoryRequest(verb: .devices))
        #expect(try HistoryRequest(verb: .devices, json: Array("{}".utf8)) == HistoryRequest(verb: .devices))
    }

    @Test("A transaction comes back as it was sent, text or number")
    func transaction() throws {
        let number = try HistoryRequest(verb: .devices, json: Array(#"{"transaction":23}"#.utf8))
        let reply = HistoryReply.ok(transaction: number.transaction, data: Page<DeviceEntry>())
        #expect(
            String(decoding: reply.encodedJSON(), as: UTF8.self)
                == #"{"status":"ok","transaction":23,"data":{"devices":[]}}"#)
        let text = try HistoryRequest(verb: .devices, json: Array(#"{"transaction":"23"}"#.utf8))
        #expect(text.transaction == .string("23"))
    }

    @Test(
        "A request that makes no sense is refused by name",
        arguments: [
            ("[]", WireError.wrongType), (#"{"device":"../x"}"#, .invalidDeviceID), (#"{"device":7}"#, .wrongType),
            (#"{"from":"yesterday"}"#, .malformed), (#"{"from":"2026-02-30"}"#, .absurdTime),
            (#"{"from":{}}"#, .wrongType),
            (#"{"bucket":"year"}"#, .outOfRange), (#"{"limit":0}"#, .outOfRange), (#"{"limit":1e9}"#, .outOfRange),
            (#"{"limit":"7"}"#, .wrongType), (#"{"transaction":[1]}"#, .wrongType),
            (#"{"device":"a","device":"b"}"#, .contradiction),
            ("{\"cursor\":\"" + String(repeating: "x", count: 300) + "\"}", .outOfRange),
            ("{\"x\":\"" + String(repeating: "x", count: 5000) + "\"}", .payloadTooLarge),
        ])
    func refused(text: String, error: WireError) {
        #expect(throws: error) { try HistoryRequest(verb: .historySeries, json: Array(text.utf8)) }
    }

    @Test("A reply reads back as it was written, with data or without")
    func reply() throws {
        let data = Page<SeriesBucket>(
            device: try DeviceID("bike-07"), bucket: .minute,
            rows: [
                SeriesBucket(
                    start: 1_795_194_000, counts: Counts([.revolutions: 84, .active: 60_000]),
                    rpm: CadenceFigures(average: 84, minimum: 80, maximum: 88.5))
            ])
        let ok = HistoryReply.ok(transaction: .string("a1"), data: data)
        guard case .ok(let transaction, let bytes) = try HistoryReply(json: ok.encodedJSON()) else {
            Issue.record("not ok")
            return
        }
        #expect(transaction == .string("a1"))
        #expect(try Page<SeriesBucket>(json: bytes) == data)
        for code in ReplyError.Code.allCases {
            let failed = HistoryReply.error(
                transaction: nil, ReplyError(code: code, message: "'to' is \"before\" 'from'"))
            #expect(try HistoryReply(json: failed.encodedJSON()) == failed)
        }
    }

    @Test("A day starts at 04:00, and a day that starts at 25:00 does not")
    func dayStart() throws {
        #expect(try DeviceConfig(json: Array(#"{"day_start":"04:00"}"#.utf8)).dayStartMinutes == 240)
        #expect(throws: WireError.absurdTime) { try DeviceConfig(json: Array(#"{"day_start":"25:00"}"#.utf8)) }
        #expect(throws: WireError.wrongType) { try DeviceConfig(json: Array(#"{"estimator":"prototype"}"#.utf8)) }
        #expect(try DeviceConfig(json: Array("{}".utf8)) == DeviceConfig())
    }
}

@Suite("JSON that we write")
struct JSONWriterTests {
    @Test("Numbers are written in few digits and never as NaN")
    func numbers() {
        var writer = JSONWriter()
        writer.beginArray()
        for number in [0.1, 84, -0.5, 1e300, .nan, .infinity, 9_007_199_254_740_992, 1e-7] { writer.value(number) }
        writer.value(84.0333333, decimals: 2)
        writer.value(-0.004, decimals: 2)
        writer.value(-12.5, decimals: 3)
        writer.value(1e300, decimals: 3)
        writer.value(.nan, decimals: 3)
        writer.endArray()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "[0.1,84,-0.5,1e+300,null,null,9007199254740992.0,1e-07,84.03,0,-12.5,1e+300,null]")
    }

    @Test("Any text comes back through a parser", arguments: 0..<200)
    func text(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let scalars = (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FF, using: &generator)) }
        let text = String(String.UnicodeScalarView(scalars))
        var writer = JSONWriter()
        writer.value(text)
        let parsed = try writer.bytes.withRawBytes { bytes throws(WireError) in try JSONValue(parsing: bytes) }
        #expect(parsed == .string(text))
    }
}
