import ArgumentParser
import Bodies
import Foundation
import Lab
import Wire

/// Writes the frames that the bench sends, and says what they count to.
///
/// A few simulated riders and walkers move all the time and rest at the end, so that everything is settled when the last
/// frame has been counted. The devices of the bench send their frames under names of their own: a frame's identity is
/// (device, boot, seq), and the boot is in the payload.
@main
struct BenchFrames: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchframes", abstract: "Write the frames of the bench and the totals that they count to.")

    /// How a frame is written.
    enum Form: String, CaseIterable, ExpressibleByArgument {
        case json, compact, protobuf
    }

    @Argument(help: "The file to write.")
    var path: String

    @Option(help: "json, compact or protobuf.")
    var form = Form.json

    @Option(help: "Riders and walkers whose frames all devices send; half of each.")
    var bases = 32

    @Option(help: "Frames of each.")
    var frames = 120

    @Option(help: "The length of a frame, in seconds.")
    var seconds = 1.0

    @Option(help: "Every chance is drawn from it.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "How old the last frame is. An hour, so that none shows the future however fast they are sent; for frames that "
                + "are sent at their own pace from now on, minus their length.",
            valueName: "seconds"))
    var age = 3600.0

    func validate() throws {
        guard bases > 0, frames > 0, seconds > 0 else { throw ValidationError("all numbers must be above 0") }
        guard abs(age) < 1e9 else { throw ValidationError("--age must be within 1e9 s") }
    }

    func run() throws {
        let length = Double(frames) * seconds
        let start = Int64((Date().timeIntervalSince1970 - age - length) * 1e6)
        var devices = try (0..<bases).map { try BaseDevice(number: $0, start: start, in: self) }
        var payloads = Data()
        for _ in 0..<frames {
            for index in devices.indices { payloads.append(block: try devices[index].nextPayload(form)) }
        }
        var file = Data()
        for number in [bases, frames, Int(seconds * 1e6)] { file.append(number: UInt32(number)) }
        withUnsafeBytes(of: start.littleEndian) { file.append(contentsOf: $0) }
        for device in devices { file.append(block: device.configuration.encodedJSON()) }
        file.append(payloads)
        try file.write(to: URL(fileURLWithPath: path))
        for index in devices.indices { try report(devices[index].total(), of: index) }
    }

    /// One line a base: what each device that sends its frames must come to.
    private func report(_ summary: CountSummary, of base: Int) throws {
        print(#"{"base":\#(base),"steps":\#(summary.steps),"revolutions":\#(summary.revolutions)}"#)
    }
}

/// One whose frames are sent, and their count.
private struct BaseDevice {
    let configuration: DeviceConfig
    private var device: SimulatedDevice
    private var count: OfflineCount
    private var decoder = FrameDecoder()
    private var frame = Frame()

    init(number: Int, start: Int64, in bench: BenchFrames) throws {
        let isBike = number.isMultiple(of: 2)
        device = try SimulatedDevice(
            isBike: isBike, seconds: Double(bench.frames) * bench.seconds, frameSeconds: bench.seconds,
            startMicroseconds: start, seed: bench.seed &+ UInt64(number))
        configuration = device.actor.configuration
        count = OfflineCount(device: try DeviceID("dev-\(number)"), configuration: configuration)
    }

    /// The next frame as it is sent; what is counted is what a decoder makes of that.
    mutating func nextPayload(_ form: BenchFrames.Form) throws -> [UInt8] {
        device.makeFrame(into: &frame)
        let payload =
            switch form {
            case .json: frame.encodedJSON()
            case .compact: frame.encodedCompactJSON()
            case .protobuf: frame.encodedProtobuf()
            }
        var decoded = Frame()
        try payload.withUnsafeBytes { try decoder.decode($0, into: &decoded) }
        count.accept([decoded])
        return payload
    }

    mutating func total() -> CountSummary { count.finish() }
}

extension Data {
    fileprivate mutating func append(number: UInt32) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    fileprivate mutating func append(block: [UInt8]) {
        append(number: UInt32(block.count))
        append(contentsOf: block)
    }
}
