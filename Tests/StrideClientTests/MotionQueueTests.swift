import Contract
import PrivateBroker
import MQTT
import TestBroker
import Testing
import Wire

@testable import StrideClient

@Suite("A queue of frames over a real broker", .timeLimit(.minutes(5)))
struct MotionQueueTests {
    let device: DeviceID = "watch-3"

    @Test("Frames that come while the broker is away are sent when it is back, in their order")
    func broken() async throws {
        let broker = try await EmbeddedBroker.start()
        let listener = try await FrameListener(broker, isAlone: true)
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint(broker.url))
        let queue = MotionQueue(publisher: publisher)
        try queue.add(Self.frame(), of: device)
        try await queue.flush()
        _ = try await listener.take(1)
        broker.kill()
        await broker.ended()
        for await state in publisher.connectionStates {
            if case .connected = state { continue }
            break
        }
        for _ in 0..<3 { try queue.add(Self.frame(), of: device) }
        #expect(queue.counts.waitingFrames == 3)
        try await broker.restart()
        try await listener.waitForSubscription()
        try await queue.flush()
        #expect(queue.counts.waitingFrames == 0)
        #expect(try await listener.take(4) == (0..<4).map { .sequenced(boot: queue.boot, sequence: $0) })
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
        let queue = MotionQueue(publisher: publisher, maximumFrames: 3)
        for number in 0..<5 {
            do throws(MotionQueueError) { try queue.add(Self.frame(), of: device) } catch {
                #expect(error == .full && number >= 3)
            }
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
        let queue = MotionQueue(publisher: publisher)
        for samples in [nil, 2_000, nil] as [Int?] {
            try queue.add(samples.map { Self.frame(samples: $0) } ?? Self.frame(), of: device)
        }
        try await queue.flush()
        let heard = try await listener.take(2)
        #expect(heard == [0, 2].map { .sequenced(boot: queue.boot, sequence: $0) })
        #expect(queue.counts.rejectedFrames == 1 && queue.counts.acknowledgedFrames == 2)
        await queue.close()
        await publisher.close()
        await listener.stop()
        await broker.stop()
    }

    @Test("A closed queue takes no frames, and those who wait are told")
    func closed() async throws {
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint("mqtt://127.0.0.1:1"))
        let queue = MotionQueue(publisher: publisher)
        try queue.add(Self.frame(), of: device)
        let flushing = Task { try await queue.flush() }
        await queue.close()
        await #expect(throws: MotionQueueError.closed) { try await flushing.value }
        #expect(throws: MotionQueueError.closed) { try queue.add(Self.frame(), of: device) }
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
        let queue = MotionQueue(publisher: publisher)
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

    @Test("When the connection has ended for good, who waits is told why")
    func connectionEnded() async throws {
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint("mqtt://127.0.0.1:1"))
        await publisher.close()
        let queue = MotionQueue(publisher: publisher)
        try queue.add(Self.frame(), of: device)
        await #expect(throws: MQTTError.self) { try await queue.flush() }
        #expect(queue.counts.waitingFrames == 1)
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

    /// - Parameter isAlone: Whether no watch of the bus takes frames beside it: after a restart it may be back before.
    init(_ broker: EmbeddedBroker, isAlone: Bool = false) async throws {
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: try MQTTEndpoint(broker.url), clientID: "listener"),
            subscriptions: [MQTTSubscription("stride/+/imu")])
        batches = consumer.batches
        try await waitForSubscription()
        guard !isAlone else { return }
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
