import Contract
import Testing
import Wire

@Suite("Samples of devices that know nothing of stridebus")
struct SampleFormatTests {
    @Test("A vector with a null is a missing sample; one without an axis is refused")
    func missingSample() throws {
        func message(_ vector: String) -> String {
            let samples = [#"{"x":1,"y":0,"z":0}"#, vector, #"{"x":3,"y":0,"z":0}"#].enumerated().map { index, values in
                let time = 1_763_673_600_000_000_000 + index * 10_000_000
                return #"{"name":"totalacceleration","time":\#(time),"values":\#(values)}"#
            }
            return #"{"messageId":1,"sessionId":"a","deviceId":"p","payload":[\#(samples.joined(separator: ","))]}"#
        }
        var scene = try DeviceScene()
        for vector in [#"{"x":1,"y":null,"z":2}"#, #"{"x":null,"y":1,"z":2}"#, "{}"] {
            let frame = try #require(try scene.decode(message(vector)).frames.first)
            #expect(frame.values == [1, 0, 0, 3, 0, 0])
            #expect(frame.intervalsMicroseconds == [20_000])
        }
    }

    @Test("Of a window that slides or grows, the samples that were not sent before count")
    func slidingWindow() throws {
        func message(_ places: Range<Int>) -> String {
            func list(_ value: (Int) -> String) -> String { "[\(places.map(value).joined(separator: ","))]" }
            let start = #"{"event":"START","experimentTime":0,"systemTime":1763673600}"#
            return #"{"x":\#(list { "\($0)" }),"y":\#(list { _ in "0" }),"z":\#(list { _ in "9" }),"#
                + #""t":\#(list { "0.\($0)" }),"time":{"events":[\#(start)]}}"#
        }
        var scene = try DeviceScene()
        for (places, new) in [(1..<4, 1..<4), (1..<6, 4..<6), (3..<8, 6..<8), (8..<9, 8..<9), (8..<9, 8..<9)] {
            let frame = try #require(try scene.decode(message(places)).frames.first)
            #expect(frame.values == new.flatMap { [Float($0), 0, 9] })
        }
    }

    @Test(
        "A reading that cannot be read is refused, and those beside it count",
        arguments: [
            (#"{"name":"totalacceleration","time":1763673600005000000,"values":{"x":1,"z":2}}"#, WireError.wrongType),
            (#"{"name":"gyroscope","time":"soon","values":{"x":0,"y":0,"z":0}}"#, .wrongType),
            (#"{"name":"pedometer","time":1763673600005000000,"values":{"steps":-1}}"#, .outOfRange),
        ])
    func badReading(reading: String, error: WireError) throws {
        let good = [0, 10].map {
            #"{"name":"totalacceleration","time":\#(1_763_673_600_000_000_000 + $0 * 1_000_000),"values":{"x":1,"y":0,"z":9}}"#
        }
        let payload = [good[0], reading, good[1]].joined(separator: ",")
        var scene = try DeviceScene()
        let contents = try scene.decode(#"{"messageId":1,"sessionId":"a","deviceId":"p","payload":[\#(payload)]}"#)
        #expect(contents.frames.map(\.values) == [[1, 0, 9, 1, 0, 9]])
        #expect(contents.refused == [error])
    }

    @Test(
        "Of a list one record that cannot be read is refused, and the others count",
        arguments: [
            (
                #"[{"ax":1,"ay":0,"az":9,"ts":10},{"ax":"1","ay":0,"az":9,"ts":15},{"ax":1,"ay":0,"az":9,"ts":20}]"#,
                WireError.wrongType
            ),
            (
                #"[{"ax":"1","ay":0,"az":9,"ts":5},{"ax":1,"ay":0,"az":9,"ts":10},{"ax":1,"ay":0,"az":9,"ts":20}]"#,
                .wrongType
            ),
            (#"{"x":[1,"1",1],"y":[0,0,0],"z":[9,9,9],"t":[0,0.01,0.02]}"#, .wrongType),
        ])
    func badRecord(payload: String, error: WireError) throws {
        var scene = try DeviceScene()
        let contents = try scene.decode(payload)
        #expect(contents.frames.map(\.values) == [[1, 0, 9, 1, 0, 9]])
        #expect(contents.refused == [error])
    }

    @Test(
        "A sketch's record with a null axis is a missing sample, wherever it is in the list",
        arguments: [
            #"{"acc":{"x":1,"y":null,"z":2},"ts":10}"#, #"{"ax":1,"ay":null,"az":2,"ts":10}"#,
            #"{"ax":null,"ay":1,"az":2,"ts":10}"#,
        ])
    func missingSketchSample(record: String) throws {
        let others = [20, 30].map { #"{"ax":1,"ay":0,"az":9,"ts":\#($0)}"# }
        for records in [[record] + others, others + [record]] {
            var scene = try DeviceScene()
            let frame = try #require(try scene.decode("[\(records.joined(separator: ","))]").frames.first)
            #expect(frame.values == [1, 0, 9, 1, 0, 9])
        }
        var scene = try DeviceScene()
        #expect(throws: WireError.noSamples) { try scene.decode(record) }
    }

    @Test("An absurd sample does not settle a sketch's unit")
    func absurdUnit() throws {
        var scene = try DeviceScene()
        #expect(throws: WireError.outOfRange) { try scene.decode(#"{"ax":1e30,"ay":0,"az":0}"#) }
        guard case .frame(let frame)? = try scene.decode(#"{"ax":0.5,"ay":0,"az":9.5}"#).first else {
            throw WireError.noSamples
        }
        #expect(frame.values == [0.5, 0, 9.5])
    }

    @Test(
        "A malformed variant is refused with its reason",
        arguments: [
            (
                #"{"deviceId":"p","payload":[{"name":"gyroscope","time":"soon","values":{"x":0,"y":0,"z":0}}]}"#,
                WireError.wrongType
            ),
            (#"{"deviceId":"p","payload":[{"name":"gyroscope","time":5,"values":{"x":0,"y":0,"z":0}}]}"#, .absurdTime),
            (
                #"{"deviceId":"p","payload":[{"name":"gyroscope","time":1763673600000000000,"values":{"x":0,"y":0}}]}"#,
                .wrongType
            ),
            (
                #"{"deviceId":"p","payload":[{"name":"gyroscope","time":1763673600000000000,"values":{"x":1e30,"y":0,"z":0}}]}"#,
                .outOfRange
            ),
            (#"{"sessionId":7,"messageId":1,"payload":[]}"#, .wrongType),
            (#"{"ax":1,"ay":2}"#, .wrongType), (#"{"ax":"1","ay":2,"az":3}"#, .wrongType),
            (#"{"ax":1e30,"ay":0,"az":0}"#, .outOfRange), (#"{"ax":0,"ay":0,"az":9,"seq":4}"#, .wrongType),
            (#"{"x":[1],"y":[1],"z":["1"],"t":[0]}"#, .wrongType),
        ])
    func malformed(text: String, error: WireError) throws {
        var scene = try DeviceScene()
        #expect(throws: error) { try scene.decode(text) }
    }
}
