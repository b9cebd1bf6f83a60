import Lab
import Glibc
import MQTT
import StrideClient
import Wire

/// An app that keeps its frames in a queue, to be killed while it sends them.
///
///     QueueingApp URL ROOT FILE START-MICROSECONDS FIRST COUNT
///
/// It adds the frames FIRST ..< FIRST + COUNT of the simulated `walker-1`, without a number of their own, says "added"
/// on standard error when all of them are in the queue, and ends when the broker has all that waits.
@main
struct QueueingApp {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 7, let start = Int64(arguments[4]), let first = Int(arguments[5]),
            let count = Int(arguments[6])
        else { exit(64) }
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint(arguments[1]), root: arguments[2])
        let queue = try MotionQueue(MotionQueueConfiguration(path: arguments[3]), publisher: publisher)
        let device = try DeviceID("walker-1")
        var gym = SimulatedGym(
            bikes: 0, wearables: 1, seed: 7, character: .demo(seconds: 500), startMicroseconds: start)
        var frames: [(device: DeviceID, frame: Frame)] = []
        for index in 0..<first + count {
            var frame = Frame()
            gym.makeFrame(of: 0, into: &frame)
            frame.identity = .unsequenced(contentHash: 0)
            if index >= first { frames.append((device, frame)) }
        }
        try queue.add(frames)
        Output.errorLine("added")
        try await queue.flush()
        await queue.close()
        await publisher.close()
    }
}
