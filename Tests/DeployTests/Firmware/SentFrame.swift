import Contract
import TestBroker
import Testing
import Wire

/// A frame as our decoder reads it, in the whole numbers that the firmware wrote.
struct SentFrame {
    var payload: [UInt8]
    var boot: BootID
    var sequence: UInt64
    var uptimeMilliseconds: Int64
    /// Rows of acceleration in thousandths of g and, where it is sent, angular velocity in thousandths of rad/s.
    var rows: [[Int]]

    struct NotNumbered: Error {}

    init(hex: some StringProtocol) throws {
        let digits = hex.utf8.map { $0 <= UInt8(ascii: "9") ? $0 - UInt8(ascii: "0") : $0 - UInt8(ascii: "a") + 10 }
        payload = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        let bike: DeviceID = "bike-07"
        #expect(Contract.problems(ofRead: payload, on: .device(bike, .imu)) == [])
        var frame = Frame()
        try payload.withUnsafeBytes { bytes in try FrameDecoder().decode(bytes, into: &frame) }
        guard case .sequenced(let boot, let sequence) = frame.identity, case .uptime(let microseconds) = frame.time,
            frame.timing == .uniform(periodNanoseconds: 20_000_000)
        else { throw NotNumbered() }
        self.boot = boot
        self.sequence = sequence
        uptimeMilliseconds = microseconds / 1000
        let columns = frame.values.count / frame.sampleCount
        rows = (0..<frame.sampleCount).map { row in
            (0..<columns).map { column in
                let value = frame.values[row * columns + column]
                return Int((column < 3 ? value / 0.009_806_65 : value * 1000).rounded())
            }
        }
    }

    /// The frames among the messages that a board printed, as topic and payload in hex.
    static func received(_ output: String) throws -> [SentFrame] {
        try output.split(separator: "\n").filter { $0.contains("/imu ") }.map { line in
            try SentFrame(hex: line.split(separator: " ")[1])
        }
    }
}
