import Counter
import Foundation
import Lab
import Wire

/// The frames of a simulated gym, made before they are sent, so that what they count to is known.
struct Workload: Sendable {
    /// A frame on its way.
    struct Item: Sendable {
        var device: DeviceID
        /// When the device has it to send, in microseconds since 1970.
        var due: Int64
        var frame: Frame
        /// Where it is sent: another than of frames for what a strap and a power meter say with the frame.
        var channel = DeviceChannel.imu
        var payload: [UInt8]
        /// When it is taken to have reached ingest, in microseconds since 1970.
        var arrival: Int64

        /// A frame that is sent at once.
        init(device: DeviceID, due: Int64, frame: Frame) {
            self.device = device
            self.due = due
            self.frame = frame
            payload = frame.encodedJSON()
            arrival = due
        }
    }

    /// What one minute of a device holds.
    struct Numbers: Hashable, Sendable {
        var steps: UInt64 = 0
        var revolutions: UInt64 = 0
    }

    /// What was counted, by device and by minutes since 1970; minutes without anything are left out.
    typealias Truth = [DeviceID: [Int64: Numbers]]

    /// The frames in the order in which they are sent.
    var items: [Item]
    /// The first frame's time, in microseconds since 1970.
    let start: Int64
    /// The length, in seconds of frames.
    let seconds: Int
    /// The devices.
    private(set) var devices: [DeviceID]

    /// A gym whose last frame ends now, so that no clock shows the future; or whose first frame begins now.
    init(
        bikes: Int, walkers: Int, seconds: Int, seed: UInt64, rateHz: Double = 50, prefix: String = "",
        beginsNow: Bool = false, sensors: GymDevice.RiderSensors = []
    ) {
        let now = Int64(Date().timeIntervalSince1970 * 1e6)
        start = beginsNow ? now : now - Int64(seconds) * 1_000_000
        var gym = SimulatedGym(
            bikes: bikes, wearables: walkers, seed: seed, sensors: sensors, rateHz: rateHz, startMicroseconds: start)
        self.seconds = seconds
        devices = gym.devices.compactMap { try? DeviceID("\(prefix)\($0.id)") }
        items = []
        var frame = Frame()
        let last = start + Int64(seconds) * 1_000_000
        while let due = gym.nextDueMicroseconds, due <= last {
            for index in gym.dueDevices(untilMicroseconds: due) {
                gym.makeFrame(of: index, into: &frame)
                items.append(Item(device: devices[index], due: due, frame: frame))
                guard !gym.devices[index].rider.isEmpty else { continue }
                var said = items[items.count - 1]
                (said.channel, said.payload) = (.hr, gym.devices[index].rider.encodedJSON(at: frame.time))
                items.append(said)
            }
        }
    }

    /// These frames and others, each at its instant.
    func joined(with other: Workload) -> Workload {
        var both = self
        both.items = (items + other.items).sorted { $0.due < $1.due }
        both.devices += other.devices
        return both
    }

    /// What an uninterrupted counter makes of frames, each device's in their order.
    static func truth(of items: [Item]) -> Truth {
        var pipeline = CounterPipeline()
        for item in items {
            pipeline.accept(
                MotionRecord(device: item.device, arrivalMicroseconds: item.arrival, content: .frame(item.frame)))
        }
        pipeline.finish()
        var truth: Truth = [:]
        for increment in pipeline.takeCommit().increments where increment[.steps] != 0 || increment[.revolutions] != 0 {
            var numbers = truth[increment.device]?[increment.minute] ?? Numbers()
            numbers.steps += UInt64(clamping: increment[.steps])
            numbers.revolutions += UInt64(clamping: increment[.revolutions])
            truth[increment.device, default: [:]][increment.minute] = numbers
        }
        return truth
    }
}
