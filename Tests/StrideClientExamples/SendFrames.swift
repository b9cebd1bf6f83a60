import StrideClient
import Wire

func sendFrames(_ seconds: AsyncStream<[Float]>, of device: DeviceID, through publisher: MotionPublisher) async throws {
    let queue = MotionQueue(publisher: publisher)
    for await values in seconds {
        var frame = Frame()
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = .acceleration
        frame.values = values
        frame.sampleCount = values.count / 3
        try queue.add(frame, of: device)
    }
    try await queue.flush()
    await queue.close()
}
