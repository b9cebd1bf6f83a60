import MQTT
import StrideClient
import Wire

func sendFrames(_ seconds: AsyncStream<[Float]>, of device: DeviceID, to endpoint: MQTTEndpoint) async throws {
    let publisher = try MotionPublisher(endpoint: endpoint)
    for await values in seconds {
        var frame = Frame()
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = .acceleration
        frame.values = values
        frame.sampleCount = values.count / 3
        do { try publisher.add(frame, of: device, form: .protobuf) } catch MotionPublisherError.full {
            print(publisher.waitingFrames, "frames wait")
        }
    }
    try await publisher.flush()
    await publisher.close()
}
