import Counter
import Foundation
import Simulator
import Wire

/// The frames of a simulated gym, made before they are sent, so that what they count to is known.
struct Workload: Sendable {
    /// A frame on its way.
    struct Item: Sendable {
        var device: DeviceID
        /// When the device has it to send, in microseconds since 1970.
        var due: Int64
        var frame: Frame
        var payload: [UInt8]
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
    let devices: [DeviceID]

    /// A gym whose last frame ends now, so that no clock shows the future.
    init(bikes: Int, walkers: Int, seconds: Int, seed: UInt64) {
        let now = Int64(Date().timeIntervalSince1970 * 1e6)
        let end = now - Int64(seconds) * 1_000_000
        var gym = SimulatedGym(
            bikes: bikes, wearables: walkers, seed: seed, character: .gentle, startMicroseconds: end)
        start = end
        self.seconds = seconds
        devices = gym.devices.map(\.id)
        items = []
        var frame = Frame()
        let last = end + Int64(seconds) * 1_000_000
        while let due = gym.nextDueMicroseconds, due <= last {
            for index in gym.dueDevices(untilMicroseconds: due) {
                gym.makeFrame(of: index, into: &frame)
                items.append(Item(device: devices[index], due: due, frame: frame, payload: frame.encodedJSON()))
            }
        }
    }

    /// What an uninterrupted counter makes of frames, each device's in their order.
    static func truth(of items: [Item]) -> Truth {
        var pipeline = CounterPipeline()
        for item in items {
            if pipeline.needsState(for: item.device) {
                _ = pipeline.restore(device: item.device, state: nil, config: nil)
            }
            pipeline.accept(
                MotionRecord(device: item.device, arrivalMicroseconds: item.due, content: .frame(item.frame)))
        }
        pipeline.finish()
        var truth: Truth = [:]
        for increment in pipeline.takeCommit().increments where increment.steps != 0 || increment.revolutions != 0 {
            var numbers = truth[increment.device]?[increment.minute] ?? Numbers()
            numbers.steps += UInt64(clamping: increment.steps)
            numbers.revolutions += UInt64(clamping: increment.revolutions)
            truth[increment.device, default: [:]][increment.minute] = numbers
        }
        return truth
    }
}
