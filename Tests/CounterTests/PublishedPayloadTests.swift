import Contract
import Foundation
import Ingest
import Testing
import Wire

@testable import Counter

@Suite("What is counted of published payloads")
struct PublishedPayloadTests {
    /// Messages of `schemas/devices/vectors.json`, and what must come of them.
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        struct Message: Decodable {
            var topic: String
            var text: String?
            var hex: String?
            var file: String?
            var at: Double?
            var `repeat`: Int?
        }

        struct Expected: Decodable {
            var accepted: UInt64?
            var refused: String?
            var device: String?
            /// The time of the first sample, in seconds, and its values.
            var t: Double?
            var first: [Float]?
            var samples: Int?
            var duplicate: UInt64?
            var steps: Int64?
            /// The steps of the first minute that has any.
            var firstMinuteSteps: Int64?
            var revolutions: Int64?
            /// The different cadences in their order.
            var rpm: [Double]?
            var lastRpm: Double?
            /// The powers and the heart rates that come of it, in their order.
            var watts: [Float]?
            var bpm: [Float]?
            var activity: String?
            var sensors: [String]?
            var timeFrom: String?
            var note: String?
        }

        var fact: String
        var source: String
        var sources: [[String: String]]?
        var messages: [Message]
        var expect: Expected
        var testDescription: String { "\(fact) (\(source))" }

        static let all = Result {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode([Vector].self, from: Data(try Contract.bytes("devices/vectors.json")))
        }
    }

    /// 2025-11-20 21:20:10 UTC.
    private static let start: Int64 = 1_763_673_610_000_000

    /// Ingest and counter, as far as they decide.
    private struct Path {
        var ingest: IngestPipeline
        var run = CountingRun()
        var records: [MotionRecord] = []

        init(sources: [[String: String]]) throws {
            let json = try JSONEncoder().encode(sources)
            ingest = IngestPipeline(
                topics: try TopicTree(), sources: try DeviceSource.list(json: String(decoding: json, as: UTF8.self)))
        }

        mutating func take(_ payload: [UInt8], on topic: String, at microseconds: Int64) throws {
            Array(topic.utf8).withUnsafeBytes { topic in
                payload.withUnsafeBytes { payload in
                    ingest.take(topic: topic, payload: payload, isRetained: false, arrivalMicroseconds: microseconds)
                }
            }
        }

        mutating func finish(at microseconds: Int64) throws {
            for message in ingest.finish(nowMicroseconds: microseconds) {
                let told = try message.payload.withRawBytes { bytes throws(WireError) in
                    var decoder = try MotionBatchDecoder(bytes)
                    var records: [MotionRecord] = []
                    while let record = decoder.next() { records.append(record) }
                    return records
                }
                records += told
                run.count(told)
            }
            run.tick(microseconds)
        }
    }

    /// The forms in which samples come.
    enum Form: CaseIterable {
        case sensorLogger, phyphox, thingsBoard, sketch, mapping

        static let sources = [
            ["filter": "sensor-logger", "format": "sensor-logger", "device": "$.deviceId"],
            [
                "filter": "shop/+", "format": "mapping", "device": "topic:1", "t": "/time", "rate_hz": "/hz",
                "ax": "/x", "ay": "/y", "az": "/z*9.81",
            ],
        ]

        var topic: String {
            switch self {
            case .sensorLogger: "sensor-logger"
            case .mapping: "shop/walker-1"
            default: "stride/walker-1/imu"
            }
        }

        /// Messages of a second of a walk; a sketch sends one a sample.
        func messages(_ walk: Walk, second: Int) -> [String] {
            let samples = (second * 50..<(second + 1) * 50).map { index in
                (milliseconds: index * 20, value: walk.acceleration(index))
            }
            let start = Walk.start / 1_000
            func list(_ axis: Int) -> String { samples.map { "\($0.value[axis])" }.joined(separator: ",") }
            func each(_ text: ((milliseconds: Int, value: [Float])) -> String) -> String {
                samples.map(text).joined(separator: ",")
            }
            switch self {
            case .sensorLogger:
                let readings = each { time, value in
                    let stamp = "\(start + Int64(time))000000"
                    return #"{"name":"accelerometer","time":\#(stamp),"values":{"x":\#(value[0]),"y":\#(value[1]),"#
                        + #""z":\#(value[2] - 9.81)}},{"name":"gravity","time":\#(stamp),"values":{"x":0,"y":0,"z":9.81}}"#
                }
                return [#"{"messageId":\#(second),"sessionId":"a","deviceId":"walker-1","payload":[\#(readings)]}"#]
            case .phyphox:
                let times = each { time, _ in "\(Double(time) / 1_000)" }
                let events = #"[{"event":"START","experimentTime":0,"systemTime":\#(start / 1_000)}]"#
                return [
                    #"{"x":[\#(list(0))],"y":[\#(list(1))],"z":[\#(list(2))],"t":[\#(times)],"time":{"events":\#(events)}}"#
                ]
            case .thingsBoard:
                let records = each { time, value in
                    #"{"ts":\#(start + Int64(time)),"values":{"ax":\#(value[0]),"ay":\#(value[1]),"az":\#(value[2])}}"#
                }
                return ["[\(records)]"]
            case .sketch:
                return samples.map { time, value in
                    #"{"accX":\#(value[0]),"accY":\#(value[1]),"accZ":\#(value[2]),"timestamp":\#(time + 5_000)}"#
                }
            case .mapping:
                let time = start + Int64(second) * 1_000
                let g = each { _, value in "\(value[2] / 9.81)" }
                return [#"{"time":\#(time),"hz":50,"x":[\#(list(0))],"y":[\#(list(1))],"z":[\#(g)]}"#]
            }
        }
    }

    @Test("A walk has as many steps in whichever form it comes", arguments: Form.allCases)
    func walk(form: Form) throws {
        let walk = Walk()
        let own = CountingRun(counting: walk.records(seconds: 0..<60))
        var path = try Path(sources: Form.sources)
        for second in 0..<60 {
            let arrival = Walk.start + Int64(second + 1) * 1_000_000
            for message in form.messages(walk, second: second) {
                try path.take(Array(message.utf8), on: form.topic, at: arrival)
            }
            try path.finish(at: arrival)
        }
        path.run.finish()
        #expect(path.ingest.counters.refused == 0)
        #expect(own.sum(.steps) > 100 && abs(path.run.sum(.steps) - own.sum(.steps)) <= 1)
    }

    @Test("Units, times, identities and counts of each format are right", arguments: try Vector.all.get())
    func published(vector: Vector) throws {
        try check(vector, try play(vector))
    }

    @Test(
        "A payload that is cut short is refused, and changes nothing of what the whole one says",
        arguments: try Vector.all.get().filter { $0.expect.refused == nil })
    func cut(vector: Vector) throws {
        var path = try play(vector) { payload in
            payload.first == UInt8(ascii: "{") || payload.first == UInt8(ascii: "[")
                ? Array(payload.prefix(payload.count / 2)) : []
        }
        #expect(path.ingest.counters.refused > 0)
        path.run.live.removeAll { if case .health = $0.payload { true } else { false } }
        var vector = vector
        (vector.expect.note, vector.expect.timeFrom, vector.expect.sensors) = (nil, nil, nil)
        try check(vector, path)
    }

    /// Plays the messages; before each, where there is one, a broken form of it.
    private func play(_ vector: Vector, broken: (([UInt8]) -> [UInt8])? = nil) throws -> Path {
        var path = try Path(sources: vector.sources ?? [])
        // What comes at one time is read together.
        var now = Self.start
        for message in vector.messages {
            let payload = try Self.bytes(message)
            for second in 0..<(message.repeat ?? 1) {
                let time = Self.start + Int64((message.at ?? 0) * 1_000_000) + Int64(second) * 1_000_000
                if time > now { try path.finish(at: now) }
                now = time
                if let broken { try path.take(broken(payload), on: message.topic, at: now) }
                try path.take(payload, on: message.topic, at: now)
            }
        }
        try path.finish(at: now)
        path.run.tick(now + 1_000_000)
        // A first message that is not the first by its number waits for those before it.
        if vector.expect.sensors != nil { path.run.tick(now + 60_000_000) }
        // A count that fell last is settled after a minute.
        if vector.expect.steps ?? 0 > 0, vector.expect.rpm == nil { path.run.tick(now + 61_000_000) }
        return path
    }

    private static func bytes(_ message: Vector.Message) throws -> [UInt8] {
        if let text = message.text { return Array(text.utf8) }
        if let file = message.file { return try Contract.bytes("devices/\(file)") }
        let digits = Array((message.hex ?? "").utf8)
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            try #require(UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16))
        }
    }

    private func check(_ vector: Vector, _ path: Path) throws {
        let expected = vector.expect
        let frames = path.records.compactMap { if case .frame(let frame) = $0.content { frame } else { nil } }
        if let reason = expected.refused.flatMap({ word in WireError.allCases.first { $0.reason == word } }) {
            #expect(path.ingest.counters.refused(reason) == 1, "\(path.ingest.counters.named.filter { $0.value > 0 })")
        } else {
            #expect(expected.refused == nil)
        }
        if expected.refused == nil { #expect(path.ingest.counters.accepted > 0) }
        if let accepted = expected.accepted { #expect(path.ingest.counters.accepted == accepted) }
        for (kind, values) in [(Reading.Kind.power, expected.watts), (.heart, expected.bpm)] {
            let told = path.records.compactMap { record -> Float? in
                if case .reading(let reading) = record.content, reading.kind == kind { reading.value } else { nil }
            }
            if let values { #expect(told == values) }
        }
        if let device = expected.device {
            #expect(Set(path.records.map(\.device.description)) == [device])
        }
        if let t = expected.t { #expect(frames.first?.time == .utc(microseconds: Int64((t * 1e6).rounded()))) }
        if let first = expected.first, let frame = frames.first {
            let row = frame.values.prefix(first.count)
            #expect(zip(row, first).allSatisfy { abs($0 - $1) < 1e-4 } && row.count == first.count, "\(row)")
        }
        let duplicates = path.run.pipeline.tally.duplicate
        if let samples = expected.samples {
            let fresh = frames.prefix(frames.count - Int(duplicates)).reduce(0) { $0 + $1.sampleCount }
            #expect(fresh == samples)
        }
        if let duplicate = expected.duplicate { #expect(duplicates == duplicate) }
        if let steps = expected.steps { #expect(path.run.sum(.steps) + path.run.toldSteps == steps) }
        if let steps = expected.firstMinuteSteps {
            let first = path.run.words.values.flatMap(\.values).min { $0.start < $1.start }
            let told = first.map { $0.microSteps / StepWord.micro }
            let minutes = path.run.totals.values.filter { $0[.steps] > 0 }
            #expect(minutes.min { $0.minute < $1.minute }?[.steps] ?? told == steps)
        }
        if let revolutions = expected.revolutions { #expect(path.run.sum(.revolutions) == revolutions) }
        let cadences = path.run.cadences.compactMap(\.cadenceRPM)
        if let rpm = expected.rpm {
            let changes = cadences.enumerated().filter { $0.offset == 0 || cadences[$0.offset - 1] != $0.element }
            #expect(changes.map(\.element) == rpm)
        }
        if let rpm = expected.lastRpm { #expect(abs((cadences.last ?? 0) - rpm) < 0.5, "\(cadences)") }
        if let activity = expected.activity {
            let told = path.run.live.compactMap { if case .activity(let report) = $0.payload { report } else { nil } }
            #expect(told.map(\.activity.name) == [activity])
        }
        if let sensors = expected.sensors { #expect(path.run.health?.sensors == sensors) }
        if let origin = expected.timeFrom { #expect(path.run.health?.timeFrom?.rawValue == origin) }
        if let note = expected.note { #expect(path.run.health?.note?.contains(note) == true) }
    }
}
