import Seeded
import Testing
import Wire

@Suite("What the firmware's encoders write")
struct EncoderTests {
    private static let arduino = Task {
        try await HostProgram.compiled(
            "encode", standard: "c++11", include: HostProgram.firmware + "/arduino/stridebus-mpu6050")
    }

    private static let topics = ["stride/b/imu", "gym/berlin/\(String(repeating: "b", count: 63))/imu"]

    /// One of the encoders, with what it sends.
    struct Encoder: Sendable, CustomTestStringConvertible {
        var form: String
        var columns: Int
        var testDescription: String { "\(form), \(columns) numbers a sample" }

        static let all = [
            Encoder(form: "json", columns: 3), Encoder(form: "json", columns: 6), Encoder(form: "protobuf", columns: 3),
            Encoder(form: "protobuf", columns: 6), Encoder(form: "micropython", columns: 3),
        ]

        func frames(of samples: [[Int]], uptimes: [Int], topic: String, boot: UInt32) async throws -> [SentFrame] {
            var program: HostProgram
            if form == "micropython" {
                program = HostProgram(executable: "/usr/bin/python3")
                program.arguments = [
                    HostProgram.host + "/encode.py", HostProgram.firmware + "/micropython", topic, "\(boot)",
                    "50",
                ]
            } else {
                program = try await EncoderTests.arduino.value
                program.arguments = [form, columns == 6 ? "ag" : "a", topic, "\(boot)", "50"]
            }
            let lines = zip(samples, uptimes).map { ($0 + [$1]).map(String.init).joined(separator: " ") }
            let output = try await program.output(input: lines.joined(separator: "\n") + "\n")
            return try output.split(separator: "\n").map { try SentFrame(hex: $0) }
        }
    }

    @Test("Our decoder reads every number as it was measured", arguments: Encoder.all, topics)
    func numbers(encoder: Encoder, topic: String) async throws {
        var generator = SeededGenerator(seed: 7)
        let samples = (0..<3000).map { index in
            let range = index < 1500 ? -4000...4000 : -32768...32767
            return (0..<6).map { _ in Int.random(in: range, using: &generator) }
        }
        let uptimes = samples.indices.map { 90_000 + $0 * 20 }
        let frames = try await encoder.frames(of: samples, uptimes: uptimes, topic: topic, boot: 4_294_967_295)
        let rows = frames.flatMap(\.rows)
        #expect(rows == samples.prefix(rows.count).map { Array($0.prefix(encoder.columns)) })
        #expect(rows.count > samples.count - 25)
        #expect(frames.map(\.sequence) == Array(0..<UInt64(frames.count)))
        #expect(frames.allSatisfy { $0.boot == BootID(rawValue: 4_294_967_295) })
        #expect(frames.allSatisfy { 7 + topic.utf8.count + $0.payload.count <= 256 })
        var at = 0
        for frame in frames {
            #expect(frame.uptimeMilliseconds == Int64(uptimes[at]))
            at += frame.rows.count
        }
    }

    @Test(
        "A packet takes twelve samples in JSON and half a second of them in protobuf",
        arguments: [("json", 12), ("protobuf", 25), ("micropython", 12)])
    func packets(form: String, least: Int) async throws {
        let samples = (0..<500).map { [120 - $0 % 240, -330, 1001 - $0 % 9, 0, 0, 0] }
        let frames = try await Encoder(form: form, columns: 3).frames(
            of: samples, uptimes: samples.indices.map { $0 * 20 }, topic: "stride/bike-07/imu", boot: 7)
        #expect(frames.allSatisfy { $0.rows.count >= least })
    }

    @Test("Where sampling was held up a new frame begins", arguments: ["json", "protobuf", "micropython"])
    func heldUp(form: String) async throws {
        let samples = [[Int]](repeating: [0, 0, 1000, 0, 0, 0], count: 60)
        let uptimes = samples.indices.map { $0 * 20 + ($0 < 5 ? 0 : 3000) }
        let frames = try await Encoder(form: form, columns: 3).frames(
            of: samples, uptimes: uptimes, topic: "stride/bike-07/imu", boot: 7)
        #expect(frames[0].rows.count == 5)
        #expect(frames[1].uptimeMilliseconds == 3100)
    }
}
