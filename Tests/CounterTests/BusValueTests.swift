import Counter
import Ingest
import Seeded
import Testing

@testable import Wire

/// Numbers at and beyond every limit, in sequences, from the message to the rows and the reports.
@Suite("Values from the bus")
struct BusValueTests {
    private static let begin: Int64 = 1_795_194_000_000_000
    private static let numbers = [
        "0", "1", "2", "100", "110", "120", "255", "256", "65535", "65536", "1000000", "16777216", "2147483647",
        "2147483648", "4294967295", "4294967296", "9007199254740991", "9007199254740992", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "-1", "-9223372036854775808", "1e308", "-1e308", "0.0000001",
        "1e-308", "5e-324", "0.5", "-0.0", "300", "300.5", "1e9", "1e-9", "null", "NaN", "Infinity", "\"7\"",
    ]
    private static let times = [
        "0", "-1", "1", "1795194000", "1795194000.5", "1795194299", "1795194301", "1795194000000", "1795194000000000",
        "1795194000000000000", "253402300799", "253402300800", "4102444799", "4102444800", "978307199", "978307200",
        "9007199254740991", "9007199254740992", "9223372036854775807", "1e308", "1577836799", "1577836800",
    ]
    private static let configs = [
        #"{"kind":"wearable","height_m":2.5}"#, #"{"kind":"wearable","metres_per_stride":5,"day_start":"23:59"}"#,
        #"{"kind":"bike","metres_per_revolution":50,"zone":"Pacific/Kiritimati"}"#,
        #"{"kind":"bike","metres_per_revolution":0.1,"zone":"Pacific/Niue","day_start":"12:00"}"#,
        #"{"height_m":0.5,"zone":"Asia/Kathmandu"}"#, #"{"kind":"bike","height_m":1e308,"metres_per_revolution":-1}"#,
    ]

    /// A sequence of a seed: what a device sends, with its configs, among the turns of a crank that nothing may change.
    private struct Sequence {
        private var random: SeededGenerator
        private let isEven: Bool

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            isEven = seed % 2 == 0
        }

        private mutating func one(of texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        mutating func number() -> String { one(of: BusValueTests.numbers) }
        mutating func time() -> String { one(of: BusValueTests.times) }
        mutating func count() -> Int { Int.random(in: 1...100, using: &random) }
        mutating func config() -> String? { isEven ? one(of: BusValueTests.configs) : nil }
        /// Mostly moments, at times days, in microseconds.
        mutating func pause() -> Int64 {
            let pauses: [Int64] = [
                0, 1, 1_000, 1_000_000, 1_000_000, 1_000_000, 61_000_000, 3_600_000_000, 259_200_000_000,
            ]
            return pauses.randomElement(using: &random) ?? 0
        }
        private mutating func identity() -> String {
            Bool.random(using: &random) ? "" : "\"boot\":\(number()),\"seq\":\(number()),"
        }
        private mutating func clock() -> String {
            [
                "", "\"t\":\(time()),", "\"uptime_ms\":\(number()),", "\"uptime_ms\":\(time()),",
            ].randomElement(using: &random) ?? ""
        }

        mutating func message() -> (topic: String, payload: [UInt8]) {
            let (topic, text): (String, String) =
                switch Int.random(in: 0..<12, using: &random) {
                case 0: ("stride/odd/rev", "{\(identity())\(clock())\"revolutions\":\(number())}")
                case 1: ("stride/odd/rev", number())
                case 2: ("stride/odd/count", "{\"kind\":\"day\",\(clock())\"steps\":\(number())}")
                case 3: ("stride/odd/count", "{\"kind\":\"boot\",\"boot\":\(number()),\(clock())\"steps\":\(number())}")
                case 4:
                    (
                        "stride/odd/count",
                        "{\"kind\":\"interval\",\"from\":\(time()),\"to\":\(time()),\"steps\":\(number())}"
                    )
                case 5: ("odd/\(one(of: ["day", "boot", "turns", "rpm"]))", number())
                case 6: ("stride/odd/imu", frame())
                case 7:
                    (
                        "odd/logger",
                        "{\"messageId\":\(number()),\"sessionId\":\"s\(number())\",\"deviceId\":\"d\",\"payload\":"
                            + "[{\"name\":\"pedometer\",\"time\":\(time()),\"values\":{\"steps\":\(number())}}]}"
                    )
                case 8:
                    (
                        "stride/odd/imu",
                        "{\"boot\":1,\"seq\":\(number()),\(clock())\"pressure\":[\(number()),1013],"
                            + "\"acc\":[[0,0,9.8],[0,\(number()),9.8]],\"rate_hz\":\(number())}"
                    )
                case 9: ("stride/odd/csc", bytes([2], count: 4))
                case 10: ("stride/odd/ftms", bytes([0x44, 0x02], count: 8))
                default: ("stride/odd/csc", bytes([0x20, 0x00], count: 6))
                }
            guard text.hasPrefix("hex") else { return (topic, Array(text.utf8)) }
            return (topic, text.dropFirst(3).split(separator: " ").compactMap { UInt8($0, radix: 16) })
        }

        private mutating func bytes(_ head: [UInt8], count: Int) -> String {
            let edges: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
            let tail = (0..<count).map { _ in edges.randomElement(using: &random) ?? 0 }
            return "hex" + (head + tail).map { String($0, radix: 16) }.joined(separator: " ")
        }

        private mutating func frame() -> String {
            "{\(identity())\(clock())\"\(one(of: ["rate_hz", "dt_ms", "hz"]))\":\(number()),"
                + "\"acc\":[[\(number()),0,9.8],[0,0,\(number())]]}"
        }
    }

    @Test("Nothing traps, and nobody else's totals change", arguments: 0..<UInt64(25))
    func extremes(tens: UInt64) throws {
        for seed in tens * 10..<tens * 10 + 10 { try run(seed) }
    }

    private func run(_ seed: UInt64) throws {
        var sequence = Sequence(seed: seed)
        let sources = ["day": "day-steps", "boot": "boot-steps", "turns": "revolutions", "rpm": "rpm"].map {
            #"{"filter":"odd/\#($0)","format":"number","device":"odd","quantity":"\#($1)"}"#
        }
        let logger = #"{"filter":"odd/logger","format":"sensor-logger","device":"odd"}"#
        var ingest = IngestPipeline(
            topics: try TopicTree(root: "stride"),
            sources: try DeviceSource.list(json: "[\((sources + [logger]).joined(separator: ","))]"))
        let (odd, neighbour) = (try DeviceID("odd"), try DeviceID("neighbour"))
        var run = CountingRun()
        var now = Self.begin
        let count = sequence.count()
        for index in 0..<count {
            if index % 25 == 0, let json = sequence.config(), let config = try? DeviceConfig(json: Array(json.utf8)) {
                run.configure(odd, config)
            }
            if index % 40 == 39 { run.restart() }
            let message = sequence.message()
            take(message.topic, message.payload, &ingest, now)
            take(
                "stride/neighbour/rev", Array("{\"boot\":1,\"seq\":\(index),\"revolutions\":\(index)}".utf8), &ingest,
                now)
            for batch in ingest.finish(nowMicroseconds: now) { run.count(try records(batch.payload)) }
            now += sequence.pause()
            run.tick(now)
        }
        run.finish()
        let turns = run.totals.filter { $0.key.device == neighbour }.reduce(0) { $0 + $1.value[.revolutions] }
        #expect(turns == Int64(count) - 1, "seed \(seed)")
        for (key, total) in run.totals {
            let row = MinuteTotals(total, epoch: 1, revision: 1)
            #expect(row.minute == key.minute && row.cadenceIntegral.isFinite, "seed \(seed)")
        }
        for output in run.live { #expect(!output.encodedJSON().isEmpty) }
    }

    private func take(_ topic: String, _ payload: [UInt8], _ ingest: inout IngestPipeline, _ now: Int64) {
        Array(topic.utf8).withUnsafeBytes { topic in
            payload.withUnsafeBytes {
                ingest.take(topic: topic, payload: $0, isRetained: false, arrivalMicroseconds: now)
            }
        }
    }

    private func records(_ batch: [UInt8]) throws -> [MotionRecord] {
        try batch.withUnsafeBytes { bytes in
            var decoder = try MotionBatchDecoder(bytes)
            var records: [MotionRecord] = []
            while let record = decoder.next() { records.append(record) }
            return records
        }
    }

    @Test("What the hop carries beyond every limit traps nothing either", arguments: 0..<UInt64(20))
    func extremesOfTheHop(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let numbers: [Int64] = [
            .min, .min + 1, -1 << 53, -1, 0, 1, 1 << 31, 1 << 32, Self.begin, Self.begin + 1, 1 << 53, 1 << 60,
            .max - 1,
            .max,
        ]
        func number() -> Int64 { numbers.randomElement(using: &random) ?? 0 }
        func time() -> FrameTime {
            [.absent, .utc(microseconds: number()), .uptime(microseconds: number())].randomElement(using: &random)
                ?? .absent
        }
        var run = CountingRun()
        let device = try DeviceID("odd")
        run.configure(device, try DeviceConfig(json: Array(Self.configs[Int(seed) % 5].utf8)))
        for index in 0..<400 {
            let identity = FrameIdentity.sequenced(
                boot: BootID(rawValue: UInt64(index / 9)), sequence: UInt64(bitPattern: number()))
            let contents: [MotionContent] = [
                .revolutions(
                    RevolutionCount(
                        identity: identity, time: time(), cumulative: UInt64(bitPattern: number()),
                        modulus: UInt64(bitPattern: number()), lastEventTime1024: 7)),
                .cadence(
                    rpm: [.infinity, .nan, -1, 300, 1e30].randomElement(using: &random) ?? 0, identity: identity,
                    time: time()),
                .steps(
                    DeviceStepCount(
                        kind: [.interval, .day, .boot, .recording].randomElement(using: &random) ?? .day,
                        steps: UInt64(bitPattern: number()), microSteps: 999_999, startMicroseconds: number(),
                        endMicroseconds: number(), boot: BootID(rawValue: UInt64(index / 5)))),
                .activity(.walking, .high, atMicroseconds: number()), .refusal(.malformed, count: .max),
            ]
            let arrival = index % 7 == 0 ? number() : Self.begin + Int64(index) * 1_000_000
            run.count([
                MotionRecord(
                    device: device, arrivalMicroseconds: arrival,
                    content: contents.randomElement(using: &random) ?? .name("odd"))
            ])
            run.tick(Self.begin + Int64(index) * 1_000_000)
        }
        run.finish()
        #expect(run.sum(.steps) >= 0 && run.sum(.revolutions) >= 0)
    }

    @Test("Sums stop at their ceiling, and lengths cannot lift them over it")
    func ceiling() {
        let most = Quantity(.max)
        #expect(most.value == Quantity.ceiling && (most + most).value == Quantity.ceiling)
        #expect((most * most).value == Quantity.ceiling && (most * -1).value == -Quantity.ceiling)
        #expect(Quantity(.min).value == -Quantity.ceiling && (Quantity(.min) - most).value == -Quantity.ceiling)
        #expect(Quantity(rounding: .nan) == 0 && Quantity(rounding: .infinity).value == Quantity.ceiling)
        #expect(Quantity(3) * 7 - 1 == 20 && Quantity(rounding: 2.6) == 3)
    }
}
