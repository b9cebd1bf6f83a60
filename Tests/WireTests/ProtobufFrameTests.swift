import Contract
import Seeded
import Foundation
import Testing
import Wire

@Suite("Frames in the protobuf form")
struct ProtobufFrameTests {
    private let decoder = FrameDecoder()

    @Test("A frame is kept to half a unit of its scale, and exactly from then on", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let frame = Frame.random(using: &generator)
        let decoded = try decoder.decode(frame.encodedProtobuf())
        #expect(decoded.identity == frame.identity)
        #expect(decoded.time == frame.time)
        #expect(decoded.sensors == frame.sensors)
        #expect(decoded.intervalsMicroseconds == frame.intervalsMicroseconds)
        for (read, written) in zip(decoded.values, frame.values) { #expect(abs(read - written) < 0.0501) }
        #expect(try decoder.decode(decoded.encodedProtobuf()) == decoded)
    }

    @Test("Values one by one are the same as packed ones, and unknown fields are skipped")
    func unpacked() throws {
        var bytes = Self.prefix
        bytes += [0x98, 0x06, 0x05]  // field 99: a varint
        bytes += [0xA2, 0x06, 0x03, 1, 2, 3]  // field 100: bytes
        bytes += [0xAD, 0x06, 1, 2, 3, 4, 0xB1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8]  // fields 101 and 102: fixed
        bytes += [0x48, 0x02, 0x48, 0x03, 0x4A, 0x01, 0x04]  // acc: 1, −2 one by one, then 2 packed
        #expect(try decoder.decode(bytes).values == [0.001, -0.002, 0.002])
    }

    @Test("Garbage is not taken for protobuf")
    func garbage() {
        #expect(throws: WireError.malformed) { try decoder.decode([0x08, 0x07, 0x10, 0x01]) }
        #expect(throws: WireError.malformed) { try decoder.decode(Self.prefix + [0xFF]) }
        #expect(throws: WireError.noSamples) { try decoder.decode(Self.prefix) }
    }

    @Test("A varint longer than 64 bits is refused")
    func overlongVarint() {
        let bytes = Self.prefix + [0x10] + [UInt8](repeating: 0xFF, count: 10)
        #expect(throws: WireError.malformed) { try decoder.decode(bytes) }
    }

    @Test("A length beyond the payload is refused")
    func overlongLength() {
        let bytes = Self.prefix + [0x4A] + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
        #expect(throws: WireError.malformed) { try decoder.decode(bytes) }
    }

    @Test("A value beyond 32 bits is refused")
    func overlongValue() {
        let bytes = Self.prefix + [0x4A, 0x07, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x00, 0x00]
        #expect(throws: WireError.outOfRange) { try decoder.decode(bytes) }
    }

    @Test(
        "protoc reads what we write", .enabled(if: ProtobufCompiler.isInstalled, "protobuf-compiler is not installed"))
    func readByProtoc() throws {
        var frame = Frame()
        frame.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 412)
        frame.time = .utc(microseconds: 1_763_673_600_120_000)
        frame.timing = .intervals
        frame.intervalsMicroseconds = [20_000]
        frame.sensors = [.acceleration, .magneticField]
        frame.sampleCount = 2
        frame.values = [0.12, -0.33, 9.79, 21, 3.1, -42, 0.11, -0.3, 9.81, 20, 3, -41]
        let text = try ProtobufCompiler.run("--decode=stridebus.Frame", input: Data(frame.encodedProtobuf()))
        let words = String(decoding: text, as: UTF8.self)
            .split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            words == [
                "magic: 826688083", "boot: 7", "seq: 412", "utc_us: 1763673600120000", "interval_us: 20000",
                "acc_scale: 0.001", "acc: 120", "acc: -330", "acc: 9790", "acc: 110", "acc: -300", "acc: 9810",
                "mag_scale: 0.1", "mag: 210", "mag: 31", "mag: -420", "mag: 200", "mag: 30", "mag: -410",
            ])
    }

    @Test(
        "We read what protoc writes", .enabled(if: ProtobufCompiler.isInstalled, "protobuf-compiler is not installed"))
    func writtenByProtoc() throws {
        let text = """
            magic: 826688083 boot: 9 seq: 3 uptime_us: 81230000 period_ns: 20000000 acc_scale: 0.0047884033
            acc: [1, -2, 2048, 3, -4, 2047] gyro: [1000, -1000, 0, 500, 250, -2147483648] gyro_scale: 0.00000001
            gravity_removed: true
            """
        let bytes = try ProtobufCompiler.run("--encode=stridebus.Frame", input: Data(text.utf8))
        let frame = try decoder.decode(Array(bytes))
        #expect(frame.identity == .sequenced(boot: BootID(rawValue: 9), sequence: 3))
        #expect(frame.time == .uptime(microseconds: 81_230_000))
        #expect(frame.timing == .uniform(periodNanoseconds: 20_000_000))
        #expect(frame.sensors == [.acceleration, .angularVelocity, .gravityRemoved])
        #expect(abs(frame.values[2] - 9.80665) < 0.001)
        #expect(abs(frame.values[11] + 21.47483648) < 0.0001)
    }

    private static let prefix: [UInt8] = [0x0D, 0x53, 0x42, 0x46, 0x31]
}

/// Debian's protobuf-compiler: an implementation of the format that is not ours.
enum ProtobufCompiler {
    static let path = "/usr/bin/protoc"

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    static func run(_ mode: String, input: Data) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["--proto_path=\(Contract.folder.path)", mode, "stridebus.proto"]
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return output
    }
}
