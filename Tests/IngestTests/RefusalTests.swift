import Ingest
import TestBroker
import Testing
import Wire

@Suite("What ingest refuses")
struct RefusalTests {
    /// A message that cannot be right.
    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let topic: String
        let payload: [UInt8]
        let isRetained: Bool
        let reason: WireError

        init(
            _ what: String, topic: String = "stride/bike-1/imu", _ text: String = "", bytes: [UInt8]? = nil,
            isRetained: Bool = false, _ reason: WireError
        ) {
            (testDescription, self.topic, payload) = (what, topic, bytes ?? Array(text.utf8))
            (self.isRetained, self.reason) = (isRetained, reason)
        }
    }

    private static let good = #"{"boot":"k","seq":1,"t":1763673600.12,"rate_hz":50,"acc":[[0,0,9.8],[0,0,9.8]]}"#

    private static func flat(samples: Int) -> String {
        #"{"b":7,"s":1,"t":1,"hz":50,"a":["# + String(repeating: "0,0,1000,", count: samples - 1) + "0,0,1000]}"
    }

    static let topics: [Bad] = [
        Bad("an unknown channel", topic: "stride/bike-1/imux", good, .unknownTopic),
        Bad("a channel of ours", topic: "stride/bike-1/cadence", good, .unknownTopic),
        Bad("a level too many", topic: "stride/bike-1/imu/x", good, .unknownTopic),
        Bad("a level too few", topic: "stride/imu", good, .unknownTopic),
        Bad("another root", topic: "strides/bike-1/imu", good, .unknownTopic),
        Bad("a wildcard in a topic", topic: "stride/+/imu", good, .invalidDeviceID),
        Bad("a capital letter in a device id", topic: "stride/Bike-1/imu", good, .invalidDeviceID),
        Bad("a dash at the start of a device id", topic: "stride/-bike/imu", good, .invalidDeviceID),
        Bad("the wall as a device", topic: "stride/wall/imu", good, .invalidDeviceID),
        Bad("the class as a device", topic: "stride/class/imu", good, .invalidDeviceID),
        Bad("no device id", topic: "stride//imu", good, .invalidDeviceID),
        Bad(
            "a device id of 64 bytes", topic: "stride/\(String(repeating: "a", count: 64))/imu", good, .invalidDeviceID),
    ]

    static let payloads: [Bad] = [
        Bad("an empty payload", "", .emptyPayload),
        Bad("truncated JSON", String(good.dropLast(10)), .malformed),
        Bad("1 MB of JSON", flat(samples: 120_000), .payloadTooLarge),
        Bad("a time in 2100", good.replacing("1763673600.12", with: "4102444800"), .absurdTime),
        Bad("two rates", good.replacing(":50", with: #":50,"dt_ms":[20]"#), .contradiction),
        Bad(
            "fewer gyroscope samples than others", good.replacing("]]}", with: #"]],"gyro":[[0,0,0]]}"#),
            .unevenSensors),
        Bad("bytes that are no UTF-8", bytes: Array(#"{"boot":""#.utf8) + [0xFF, 0xC0] + Array(#""}"#.utf8), .notUTF8),
        Bad("a retained frame", good, isRetained: true, .retainedData),
    ]

    static let counts: [Bad] = [
        Bad("an empty count", topic: "stride/bike-1/count", "", .emptyPayload),
        Bad("a count of text", topic: "stride/bike-1/count", #"{"kind":"day","steps":"many"}"#, .wrongType),
        Bad("fewer revolutions than none", topic: "stride/bike-1/rev", "-1", .outOfRange),
        Bad("a truncated notification", topic: "stride/bike-1/csc", bytes: [2, 1], .malformed),
        Bad("a truncated machine", topic: "stride/bike-1/ftms", bytes: [4], .malformed),
        Bad("a heart rate of 0", topic: "stride/bike-1/hr", "0", .absurdHeartRate),
        Bad("a heart rate of 255", topic: "stride/bike-1/hr", bytes: [0, 255], .absurdHeartRate),
        Bad("a power of 4,000 W", topic: "stride/bike-1/ftms", #"{"watts":4000}"#, .absurdPower),
        Bad("a power of -32,768 W", topic: "stride/bike-1/csc", bytes: [0, 0, 0, 0x80], .absurdPower),
        Bad("nothing but absurd numbers", topic: "stride/bike-1/hr", #"{"watts":4000,"bpm":3000}"#, .absurdPower),
        Bad("a long count", topic: "stride/bike-1/rev", String(repeating: " ", count: 5_000), .payloadTooLarge),
        Bad("a retained count", topic: "stride/bike-1/rev", "12", isRetained: true, .retainedData),
    ]

    @Test(
        "Each is counted once, by its reason, and nothing else is; the device is told why, where one is named",
        arguments: topics + payloads + counts)
    func reasons(bad: Bad) throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        pipeline.take(bad.topic, bad.payload, isRetained: bad.isRetained)
        #expect(WireError.allCases.filter { pipeline.counters.refused($0) > 0 } == [bad.reason])
        #expect(pipeline.counters.received == 1 && pipeline.counters.refused == 1)
        #expect(pipeline.counters.accepted == 0 && pipeline.counters.devices == 0)
        let told = try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        let isNamed = ![.unknownTopic, .invalidDeviceID].contains(bad.reason)
        #expect(told.map(\.device) == (isNamed ? ["bike-1"] : []))
        #expect(told.map(\.content) == (isNamed ? [.refusal(bad.reason, count: 1)] : []))
    }

    @Test("Of a message with several numbers one that cannot be is told on the device's health, and the others count")
    func parts() throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        pipeline.take("stride/bike-1/hr", Array(#"{"watts":-32768,"bpm":131,"cadence_rpm":88}"#.utf8))
        #expect(pipeline.counters.accepted == 1 && pipeline.counters.refused == 0)
        let records = try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }
        #expect(records.count == 3)
        #expect(records.compactMap(\.refusal).map(\.reason) == [.absurdPower])
    }

    @Test("A device beyond the limit is refused, those within it go on")
    func tooManyDevices() throws {
        var pipeline = IngestPipeline(topics: try TopicTree(), limits: IngestLimits(maximumDevices: 2))
        for round in 0..<3 {
            for device in ["a", "b", "c"] {
                pipeline.take("stride/\(device)/imu", Sample.frame(sequence: UInt64(round)).encodedJSON())
            }
        }
        #expect(pipeline.counters.refused(.tooManyDevices) == 3)
        #expect(pipeline.counters.accepted == 6 && pipeline.counters.devices == 2)
    }

    @Test("Junk alone takes no place among the devices")
    func junkTakesNoPlace() throws {
        var pipeline = IngestPipeline(topics: try TopicTree(), limits: IngestLimits(maximumDevices: 1))
        for index in 0..<100 { pipeline.take("stride/junk-\(index)/imu", Array("{".utf8)) }
        pipeline.take("stride/good/imu", Sample.frame(sequence: 0).encodedJSON())
        #expect(pipeline.counters.accepted == 1)
    }

    @Test("A flood of junk from one device becomes at most one telling a second, and none is forgotten")
    func flood() throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        var told: [(at: Int64, count: UInt32)] = []
        for millisecond in Array(0..<5_000) + [6_000] {
            let now = Sample.arrival + Int64(millisecond) * 1_000
            if millisecond < 5_000 {
                for _ in 0..<10 { pipeline.take("stride/bike-1/imu", Array("{".utf8), at: now) }
            }
            for record in try pipeline.finish(nowMicroseconds: now).flatMap({ try $0.records }) {
                told.append((now, record.refusal?.count ?? 0))
            }
        }
        let isSeldom = zip(told, told.dropFirst()).allSatisfy { $1.at - $0.at >= 1_000_000 }
        #expect(isSeldom)
        #expect(told.count == 6)
        #expect(told.map { UInt64($0.count) }.reduce(0, +) == 50_000)
        #expect(pipeline.counters.refusalsReported == 50_000)
    }

    @Test("Refusals of more devices than can be told are counted, and there is room again later")
    func manyRefusedDevices() throws {
        var pipeline = IngestPipeline(topics: try TopicTree(), limits: IngestLimits(maximumRefusedDevices: 10))
        for index in 0..<25 { pipeline.take("stride/junk-\(index)/imu", Array("{".utf8)) }
        #expect(pipeline.counters.refusalsUnreported == 15)
        #expect(try pipeline.finish(nowMicroseconds: Sample.arrival).flatMap { try $0.records }.count == 10)
        _ = pipeline.finish(nowMicroseconds: Sample.arrival + 1_000_000)
        _ = pipeline.finish(nowMicroseconds: Sample.arrival + 2_000_000)
        pipeline.take("stride/junk-24/imu", Array("{".utf8))
        #expect(pipeline.counters.refusalsUnreported == 15)
    }

    @Test("A device that sends more than it may is refused the excess, in messages and in bytes, and others are not")
    func tooFast() throws {
        let payload = Sample.frame(sequence: 0).encodedJSON()
        var few = IngestLimits()
        (few.messagesPerSecond, few.burstMessages) = (10, 20)
        var small = IngestLimits()
        (small.bytesPerSecond, small.burstBytes) = (Double(payload.count * 10), Double(payload.count * 20))
        for limits in [few, small] {
            var pipeline = IngestPipeline(topics: try TopicTree(), limits: limits)
            // The first one makes the device known, and is free.
            for _ in 0..<100 { pipeline.take("stride/bike-1/imu", payload) }
            for _ in 0..<10 { pipeline.take("stride/bike-2/imu", payload) }
            #expect(pipeline.counters.accepted == 21 + 10 && pipeline.counters.refused(.tooFast) == 79)
            // A second later there is room for ten; a clock that goes back gives none.
            for _ in 0..<15 { pipeline.take("stride/bike-1/imu", payload, at: Sample.arrival + 1_000_000) }
            #expect(pipeline.counters.accepted == 21 + 10 + 10 && pipeline.counters.refused(.tooFast) == 84)
            for _ in 0..<5 { pipeline.take("stride/bike-1/imu", payload, at: Sample.arrival) }
            #expect(pipeline.counters.refused(.tooFast) == 89)
            let told = try pipeline.finish(nowMicroseconds: Sample.arrival + 2_000_000).flatMap { try $0.records }
            #expect(told.compactMap(\.refusal).map(\.count) == [89])
        }
    }

    @Test("A day of frames that a phone kept gets through at once")
    func backlog() throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        let payload = Sample.frame(sequence: 0).encodedJSON()
        for _ in 0..<86_400 { pipeline.take("stride/phone/imu", payload) }
        #expect(pipeline.counters.accepted == 86_400)
    }

    @Test("A clock that is set back does not silence the refusals")
    func clockSetBack() throws {
        var pipeline = IngestPipeline(topics: try TopicTree())
        pipeline.take("stride/bike-1/imu", [])
        _ = pipeline.finish(nowMicroseconds: Sample.arrival)
        pipeline.take("stride/bike-1/imu", [])
        #expect(pipeline.finish(nowMicroseconds: Sample.arrival - 86_400_000_000).count == 1)
    }
}
