import Contract
import ServiceKit
import MQTT
import StrideClient
import Testing
import Wire

@Suite("A queue of frames over a real broker", .timeLimit(.minutes(5)))
struct MotionQueueTests {
    let directory: QueueDirectory
    let device: DeviceID

    init() throws {
        directory = try QueueDirectory()
        device = try DeviceID("watch-3")
    }

    @Test("Frames that no broker took are sent when the queue is opened again, with the same boot and number, first")
    func survives() async throws {
        let broker = try await EmbeddedBroker.start()
        let listener = try await FrameListener(broker)
        broker.kill()
        await broker.ended()
        let boot = try {
            let publisher = try MotionPublisher(endpoint: try MQTTEndpoint(broker.url))
            let queue = try MotionQueue(directory.configuration(), publisher: publisher)
            for _ in 0..<3 { try queue.add(Self.frame(), of: device) }
            #expect(queue.counts.waitingFrames == 3)
            // Neither closed nor flushed: it is just gone.
            return queue.boot
        }()
        try await broker.restart()
        try await listener.waitForSubscription()
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint(broker.url))
        let queue = try MotionQueue(directory.configuration(), publisher: publisher)
        #expect(queue.boot != boot)
        try queue.add(Self.frame(), of: device)
        try await queue.flush()
        #expect(queue.counts.waitingFrames == 0)
        let heard = try await listener.take(4)
        #expect(
            heard == [
                .sequenced(boot: boot, sequence: 0), .sequenced(boot: boot, sequence: 1),
                .sequenced(boot: boot, sequence: 2), .sequenced(boot: queue.boot, sequence: 0),
            ])
        await queue.close()
        await publisher.close()
        await listener.stop()
        await broker.stop()
    }

    @Test("A refused frame leaves a gap in the numbers, and a frame with a number keeps it")
    func gap() async throws {
        let broker = try await EmbeddedBroker.start()
        // Nobody has subscribed yet: the broker has nobody to give frames to, and says so.
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint(broker.url))
        let queue = try MotionQueue(directory.configuration(maximumFrames: 3), publisher: publisher)
        #expect(throws: MotionQueueError.full(refusedFrames: 2)) {
            try queue.add((0..<5).map { _ in (device, Self.frame()) })
        }
        let listener = try await FrameListener(broker)
        try await queue.flush()
        try queue.add(Self.frame(), of: device, form: .json)
        var own = Self.frame()
        own.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 99)
        try queue.add(own, of: device, form: .compactJSON)
        try await queue.flush()
        let heard = try await listener.take(5)
        #expect(Array(heard.prefix(4)) == [0, 1, 2, 5].map { .sequenced(boot: queue.boot, sequence: $0) })
        #expect(heard.last == own.identity)
        #expect(queue.counts.refusedFrames == 2 && queue.counts.acknowledgedFrames == 5)
        await queue.close()
        await publisher.close()
        await listener.stop()
        await broker.stop()
    }

    @Test("A frame that is too large for the broker is counted and left out; those around it arrive")
    func tooLarge() async throws {
        let broker = try await EmbeddedBroker.start(EmbeddedBrokerConfiguration(maximumPacketBytes: 2_000))
        let listener = try await FrameListener(broker)
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint(broker.url))
        let queue = try MotionQueue(directory.configuration(), publisher: publisher)
        try queue.add([(device, Self.frame()), (device, Self.frame(samples: 2_000)), (device, Self.frame())])
        try await queue.flush()
        let heard = try await listener.take(2)
        #expect(heard == [0, 2].map { .sequenced(boot: queue.boot, sequence: $0) })
        #expect(queue.counts.rejectedFrames == 1 && queue.counts.acknowledgedFrames == 2)
        await queue.close()
        await publisher.close()
        await listener.stop()
        await broker.stop()
    }

    @Test("One queue has a file at a time; a closed one takes no frames, and those who wait are told")
    func oneAtATime() async throws {
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint("mqtt://127.0.0.1:1"))
        let queue = try MotionQueue(directory.configuration(), publisher: publisher)
        #expect(throws: MotionQueueError.inUse(path: directory.file())) {
            _ = try MotionQueue(directory.configuration(), publisher: publisher)
        }
        try queue.add(Self.frame(), of: device)
        let flushing = Task { try await queue.flush() }
        await queue.close()
        await #expect(throws: MotionQueueError.closed) { try await flushing.value }
        #expect(throws: MotionQueueError.closed) { try queue.add(Self.frame(), of: device) }
        let next = try MotionQueue(directory.configuration(), publisher: publisher)
        #expect(next.counts.waitingFrames == 1)
        await next.close()
        await publisher.close()
    }

    @Test(
        "A magnetic field and the pressure of the air arrive in every form, through the publisher and through the queue",
        arguments: MotionPublisher.Form.allCases)
    func everySensor(form: MotionPublisher.Form) async throws {
        let broker = try await EmbeddedBroker.start()
        let listener = try await FrameListener(broker)
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint(broker.url))
        var frame = Self.frame()
        frame.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 0)
        frame.sensors = [.acceleration, .magneticField]
        frame.values = [0, 0, 9.5, 20, 3, -42, 1, 0, 9.5, 21, 3, -42]
        frame.pressuresHectopascals = [1013.25, 1013.5]
        try await publisher.publish([(device, frame)], form: form)
        let queue = try MotionQueue(directory.configuration(), publisher: publisher)
        var later = frame
        later.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 1)
        try queue.add(later, of: device, form: form)
        try await queue.flush()
        #expect(try await listener.take(2) == [frame.identity, later.identity])
        for heard in listener.frames {
            #expect(heard.sensors == frame.sensors && heard.pressuresHectopascals == frame.pressuresHectopascals)
            #expect(zip(heard.values, frame.values).allSatisfy { abs($0 - $1) < 0.01 } && heard.values.count == 12)
        }
        await queue.close()
        await publisher.close()
        await listener.stop()
        await broker.stop()
    }

    @Test("When the connection has ended for good, frames are kept for the next publisher")
    func connectionEnded() async throws {
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint("mqtt://127.0.0.1:1"))
        await publisher.close()
        let queue = try MotionQueue(directory.configuration(), publisher: publisher)
        try queue.add(Self.frame(), of: device)
        await #expect(throws: MQTTError.self) { try await queue.flush() }
        try queue.add(Self.frame(), of: device)
        #expect(queue.counts.waitingFrames == 2)
        #expect(queue.trouble is MQTTError)
        await queue.close()
    }

    private static func frame(samples: Int = 2) -> Frame {
        var frame = Frame()
        frame.time = .utc(microseconds: 1_795_194_000_000_000)
        frame.timing = .uniform(periodNanoseconds: 20_000_000)
        frame.sensors = .acceleration
        frame.sampleCount = samples
        frame.values = (0..<samples).flatMap { _ -> [Float] in [0.1, -0.3, 9.8] }
        return frame
    }
}

/// Hears the numbers of all frames, each once: what a connection broke off in comes again, which the counter knows.
private final class FrameListener {
    private let consumer: MQTTConsumer
    private var watch: BusWatch?
    private let batches: MQTTBatches
    private let decoder = FrameDecoder()
    private(set) var frames: [Frame] = []
    private var heard: [FrameIdentity] { frames.map(\.identity) }

    init(_ broker: EmbeddedBroker) async throws {
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: try MQTTEndpoint(broker.url), clientID: "listener"),
            subscriptions: [MQTTSubscription("stride/+/imu")])
        batches = consumer.batches
        try await waitForSubscription()
        // After the listener: a frame that only the watch had subscribed to would be taken for received.
        watch = try await BusWatch.start(try MQTTEndpoint(broker.url), scope: .everything)
    }

    /// Returns when a new connection's subscription is in force.
    func waitForSubscription() async throws {
        while try await !listen() {}
    }

    /// The identities of the first frames, in the order in which they came.
    func take(_ count: Int) async throws -> [FrameIdentity] {
        while heard.count < count { _ = try await listen() }
        return Array(heard.prefix(count))
    }

    func stop() async {
        await watch?.end()
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    /// Hears one batch; the first of a connection may have frames in it already. Whether it is the first.
    private func listen() async throws -> Bool {
        for try await batch in batches {
            var frame = Frame()
            for message in batch {
                try decoder.decode(message.payload, into: &frame)
                if !heard.contains(frame.identity) { frames.append(frame) }
            }
            batch.acknowledge()
            return batch.connection != nil
        }
        throw CancellationError()
    }
}
