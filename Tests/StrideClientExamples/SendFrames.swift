import MQTT
import StrideClient
import Wire

func sendFrames(_ seconds: AsyncStream<[Float]>, of device: DeviceID, to endpoint: MQTTEndpoint) async throws {
    let publisher = try MotionPublisher(endpoint: endpoint)
    let queue = MotionQueue(publisher: publisher)
    for await values in seconds {
        var frame = Frame()
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = .acceleration
        frame.values = values
        frame.sampleCount = values.count / 3
        do { try queue.add(frame, of: device, form: .protobuf) } catch MotionQueueError.full {
            print(queue.counts.waitingFrames, "frames wait")
        }
    }
    try await queue.flush()
    await queue.close()
    let counts = queue.counts
    print(counts.acknowledgedFrames, "sent,", counts.refusedFrames, "refused,", counts.rejectedFrames, "too large")
    await publisher.close()
}
