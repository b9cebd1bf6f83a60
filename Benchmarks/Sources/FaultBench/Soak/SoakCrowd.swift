import Seeded
import Lab
import Wire

/// Very many devices that send one frame a second for ever. A few are simulated for a minute; every other one repeats
/// the samples of one of them under its own name, boot, numbers and time.
struct SoakCrowd: Sendable {
    /// The devices, in the order in which they send within each second.
    let devices: [DeviceID]
    /// The first frame's time of the first device, in microseconds since 1970.
    let start: Int64

    private let minutes: [[Frame]]
    private let boot: UInt64

    /// The devices that are simulated.
    private static let simulatedDevices = 24
    /// The seconds that are simulated of each.
    private static let simulatedSeconds = 60

    init(name: String, count: Int, seed: UInt64, start: Int64) {
        devices = (0..<count).compactMap { try? DeviceID("\(name)-\($0)") }
        self.start = start
        boot = SeededGenerator.first(seed: seed, stream: UInt64(bitPattern: start))
        var gym = SimulatedGym(
            bikes: Self.simulatedDevices / 2, wearables: Self.simulatedDevices / 2, seed: seed,
            startMicroseconds: 0)
        var frame = Frame()
        minutes = gym.devices.indices.map { index in
            (0..<Self.simulatedSeconds).map { _ in
                gym.makeFrame(of: index, into: &frame)
                return frame
            }
        }
    }

    /// When a device has its frame of a number to send, in microseconds since 1970: the devices are spread over the
    /// second.
    func due(_ device: Int, sequence: Int) -> Int64 {
        begin(device) + Int64(sequence + 1) * 1_000_000
    }

    /// The time of a device's first sample, in microseconds since 1970.
    func begin(_ device: Int) -> Int64 {
        start + Int64(device) * 1_000_000 / Int64(max(devices.count, 1))
    }

    /// A device's frame of a number, in the form that costs the sender least.
    func payload(_ device: Int, sequence: Int) -> [UInt8] {
        var frame = minutes[device % minutes.count][sequence % Self.simulatedSeconds]
        frame.identity = .sequenced(
            boot: BootID(rawValue: boot &+ UInt64(device)), sequence: UInt64(sequence))
        frame.time = .utc(microseconds: begin(device) + Int64(sequence) * 1_000_000)
        return frame.encodedProtobuf()
    }
}
