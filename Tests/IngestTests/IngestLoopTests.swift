import Ingest
import Testing
import Wire

@Suite("When ingest acknowledges")
struct IngestLoopTests {
    /// A loop that has read one frame of each device.
    private static func loop(_ devices: [String]) throws -> (IngestLoop, effects: [IngestLoop.Effect]) {
        let topics = try TopicTree()
        var loop = IngestLoop(topics: topics, limits: IngestLimits())
        for device in devices {
            let payload = Sample.frame(sequence: 0).encodedJSON()
            let effects = topics.bytes(.device(try DeviceID(device), .imu)).withUnsafeBytes { topic in
                payload.withUnsafeBytes { payload in
                    loop.handle(
                        .message(topic: topic, payload: payload, isRetained: false), nowMicroseconds: Sample.arrival)
                }
            }
            #expect(effects.isEmpty)
        }
        let effects = loop.handle(.batchEnded, nowMicroseconds: Sample.arrival)
        return (loop, effects)
    }

    /// The size of each `publish`, 0 for an acknowledgement.
    private static func sizes(_ effects: [IngestLoop.Effect]) -> [Int] {
        effects.compactMap {
            switch $0 {
            case .publish(let messages, _): messages.count
            case .acknowledge: 0
            default: nil
            }
        }
    }

    @Test("A batch is acknowledged when its motion was accepted, and one without motion at once")
    func acknowledged() throws {
        var (loop, effects) = try Self.loop(["a", "b", "c"])
        #expect(Self.sizes(effects) == [3])
        #expect(Self.sizes(loop.handle(.accepted, nowMicroseconds: Sample.arrival)) == [0])
        (_, effects) = try Self.loop([])
        #expect(Self.sizes(effects) == [0])
    }

    @Test("What is refused is published again, after a longer wait each time, and is not acknowledged")
    func refused() throws {
        var (loop, _) = try Self.loop(["a"])
        var waits: [Int] = []
        for _ in 0..<5 {
            for case .publish(_, let failures) in loop.handle(.refused(.other), nowMicroseconds: Sample.arrival) {
                waits.append(failures)
            }
        }
        #expect(waits == [1, 2, 3, 4, 5])
        #expect(loop.health(nowMicroseconds: Sample.arrival)["publish_retries"] == 5)
        #expect(Self.sizes(loop.handle(.accepted, nowMicroseconds: Sample.arrival)) == [0])
    }

    @Test("One batch that is too large is dropped and counted, and the others are published")
    func tooLarge() throws {
        var (loop, _) = try Self.loop(["a", "b", "c"])
        var answers: [IngestLoop.Event] = [.refused(.tooLarge), .accepted, .refused(.tooLarge), .accepted]
        var sizes: [Int] = []
        while !answers.isEmpty {
            sizes += Self.sizes(loop.handle(answers.removeFirst(), nowMicroseconds: Sample.arrival))
        }
        #expect(sizes == [1, 1, 1, 0])
        #expect(loop.health(nowMicroseconds: Sample.arrival)["batches_too_large"] == 1)
    }

    @Test("A partition without a counter does not make others be published again and again")
    func noSubscriber() throws {
        var (loop, _) = try Self.loop(["a", "b", "c"])
        var sizes = Self.sizes(loop.handle(.refused(.noSubscriber), nowMicroseconds: Sample.arrival))
        sizes += Self.sizes(loop.handle(.accepted, nowMicroseconds: Sample.arrival))
        sizes += Self.sizes(loop.handle(.refused(.noSubscriber), nowMicroseconds: Sample.arrival))
        #expect(sizes == [1, 1, 1])
    }
}
