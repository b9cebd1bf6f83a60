import Testing
import Wire

/// A payload that must be refused, and with which word.
struct BadFrame: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let payload: [UInt8]
    let error: WireError

    init(_ description: String, _ text: String, _ error: WireError) {
        (testDescription, payload, self.error) = (description, Array(text.utf8), error)
    }

    static let rows = String(repeating: "[0,0,0],", count: 4096)

    static let all: [BadFrame] = [
        BadFrame("only spaces", "   ", .emptyPayload),
        BadFrame("cut short", #"{"acc":[[1,2,3],[1,2"#, .malformed),
        BadFrame("two documents", #"{"acc":[[1,2,3]]}{"acc":[[1,2,3]]}"#, .malformed),
        BadFrame("Infinity", #"{"acc":[[Infinity,0,0]]}"#, .noSamples),
        BadFrame("a number beyond any double", #"{"acc":[[1e999,0,0]]}"#, .outOfRange),
        BadFrame("seq 2^64", #"{"boot":1,"seq":18446744073709551616,"acc":[[1,2,3]]}"#, .outOfRange),
        BadFrame("a zero before a number", #"{"boot":1,"seq":007,"acc":[[1,2,3]]}"#, .malformed),
        BadFrame("1e308", #"{"acc":[[1e308,0,0]]}"#, .outOfRange),
        BadFrame("−1e308", #"{"acc":[[-1e308,0,0]]}"#, .outOfRange),
        BadFrame("acceleration in mm/s²", #"{"acc":[[0,0,9810]]}"#, .outOfRange),
        BadFrame("angular velocity in °/s", #"{"gyro":[[0,0,360]]}"#, .outOfRange),
        BadFrame("4,097 samples", "{\"rate_hz\":50,\"acc\":[" + rows + "[0,0,0]]}", .tooManySamples),
        BadFrame(
            "deep nesting of an unknown field",
            "{\"x\":" + String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000) + "}", .malformed),
        BadFrame("deep nesting of the document", String(repeating: "[", count: 100_000), .malformed),
        BadFrame("an array", "[1,2,3]", .wrongType),
        BadFrame("a number", "42", .wrongType),
        BadFrame("null", "null", .wrongType),
        BadFrame("rows that are text", #"{"acc":["1","2"]}"#, .wrongType),
        BadFrame("rows of two", #"{"acc":[[1,2]]}"#, .wrongType),
        BadFrame("rows of four", #"{"acc":[[1,2,3,4]]}"#, .wrongType),
        BadFrame("null in a row", #"{"acc":[[1,2,null]]}"#, .noSamples),
        BadFrame("a sensor that is a number", #"{"acc":9.81}"#, .wrongType),
        BadFrame("seq as text", #"{"boot":1,"seq":"1","acc":[[1,2,3]]}"#, .wrongType),
        BadFrame("negative seq", #"{"boot":1,"seq":-1,"acc":[[1,2,3]]}"#, .outOfRange),
        BadFrame("seq beyond 2^53", #"{"boot":1,"seq":9007199254740993,"acc":[[1,2,3]]}"#, .outOfRange),
        BadFrame("seq without boot", #"{"seq":1,"acc":[[1,2,3]]}"#, .wrongType),
        BadFrame("boot without seq", #"{"boot":1,"acc":[[1,2,3]]}"#, .wrongType),
        BadFrame("boot with a fraction", #"{"boot":1.5,"seq":1,"acc":[[1,2,3]]}"#, .wrongType),
        BadFrame(
            "boot of 33 bytes", "{\"boot\":\"" + String(repeating: "x", count: 33) + #"","seq":1,"acc":[[1,2,3]]}"#,
            .outOfRange),
        BadFrame("negative rate", #"{"rate_hz":-50,"acc":[[1,2,3],[1,2,3]]}"#, .absurdRate),
        BadFrame("rate 1e9", #"{"rate_hz":1e9,"acc":[[1,2,3],[1,2,3]]}"#, .absurdRate),
        BadFrame("rate as text", #"{"rate_hz":"50","acc":[[1,2,3],[1,2,3]]}"#, .wrongType),
        BadFrame("two samples without a rate", #"{"acc":[[1,2,3],[1,2,3]]}"#, .absurdRate),
        BadFrame("intervals of 0", #"{"dt_ms":[0,0],"acc":[[1,2,3],[1,2,3],[1,2,3]]}"#, .absurdRate),
        BadFrame("an interval of a minute", #"{"dt_ms":[60000],"acc":[[1,2,3],[1,2,3]]}"#, .absurdRate),
        BadFrame("a negative interval", #"{"dt_ms":[-20],"acc":[[1,2,3],[1,2,3]]}"#, .outOfRange),
        BadFrame("too few intervals", #"{"dt_ms":[20],"acc":[[1,2,3],[1,2,3],[1,2,3]]}"#, .unevenSensors),
        BadFrame("the same field twice", #"{"seq":1,"boot":1,"seq":2,"acc":[[1,2,3]]}"#, .contradiction),
        BadFrame("both JSON forms at once", #"{"boot":1,"seq":1,"a":[1,2,3]}"#, .contradiction),
        BadFrame("a time in 1e300 s", #"{"t":1e300,"acc":[[1,2,3]]}"#, .absurdTime),
        BadFrame("a time of 20 digits", #"{"t":18446744073709551615,"acc":[[1,2,3]]}"#, .outOfRange),
        BadFrame("a time as text", #"{"t":"N/A","acc":[[1,2,3]]}"#, .wrongType),
        BadFrame("negative uptime", #"{"uptime_ms":-1,"acc":[[1,2,3]]}"#, .absurdTime),
        BadFrame("no sensor", #"{"boot":1,"seq":1}"#, .noSamples),
        BadFrame("more magnetometer than acceleration", #"{"acc":[[1,2,3]],"mag":[[1,2,3],[1,2,3]]}"#, .unevenSensors),
        BadFrame("compact values not in threes", #"{"b":1,"s":1,"hz":50,"a":[1,2,3,4]}"#, .unevenSensors),
    ]
}

@Suite("Bad input is refused by name")
struct BadInputTests {
    @Test("A bad frame is refused with the word for it, and leaves nothing behind", arguments: BadFrame.all)
    func refused(bad: BadFrame) {
        let decoder = FrameDecoder()
        var frame = Frame()
        #expect(throws: bad.error) {
            try bad.payload.withRawBytes { bytes throws(WireError) in try decoder.decode(bytes, into: &frame) }
        }
        #expect(frame == Frame())
    }

    @Test("A number that no sensor gives is left out, and the other samples of its frame stay")
    func leftOut() throws {
        let decoder = FrameDecoder()
        for bad in ["1e30", "-1e39", "1e308", "9810"] {
            let frame = try decoder.decode(#"{"rate_hz":50,"acc":[[1,2,3],[0,\#(bad),9],[4,5,6]]}"#)
            #expect(frame.values.map(\.isNaN) == [4].reduce(into: [Bool](repeating: false, count: 9)) { $0[$1] = true })
            #expect(frame.hasLeftOut)
        }
        let missing = try decoder.decode(#"{"rate_hz":50,"acc":[[1,2,3],[0,null,9]]}"#)
        #expect(!missing.hasLeftOut)
        let pressure = try decoder.decode(#"{"acc":[[0,0,9]],"pressure":[1013,-1,null]}"#)
        #expect(pressure.pressuresHectopascals == [1013, 0, 0] && pressure.hasLeftOut)
    }

    @Test("Every refusal has its own word, and a line that says what to do")
    func words() {
        #expect(Set(WireError.allCases.map(\.reason)).count == WireError.allCases.count)
        #expect(WireError.allCases.allSatisfy { !"\($0)".isEmpty && !"\($0)".contains("\n") })
    }

    @Test("Documents nest eight deep and not deeper")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) {
            try nested(JSONValue.maximumDepth).withRawBytes { bytes throws(WireError) in try JSONValue(parsing: bytes) }
        }
        #expect(throws: WireError.malformed) {
            try nested(JSONValue.maximumDepth + 1)
                .withRawBytes { bytes throws(WireError) in try JSONValue(parsing: bytes) }
        }
    }
}
