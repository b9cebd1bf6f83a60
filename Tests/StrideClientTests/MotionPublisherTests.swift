import Contract
import MQTT
import PrivateBroker
import TestBroker
import Testing
import Wire

@testable import StrideClient

@Suite("Frames that wait for a real broker", .timeLimit(.minutes(5)))
struct MotionPublisherTests {
    private let device: DeviceID = "watch-3"

    /// Runs a test with a broker and a publisher.
    private func withPublisher(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(), maximumFrames: Int = 3_600,
        _ body: (TestBroker, MotionPublisher) async throws -> Void
    ) async throws {
        try await TestBroker.with(configuration) { bus in
            let publisher = try MotionPublisher(endpoint: bus.endpoint, maximumFrames: maximumFrames)
            try await body(bus, publisher)
            await publisher.close()
        }
    }

    @Test("Frames that come while the broker is away are sent when it is back, in their order")
    func broken() async throws {
        try await withPublisher { bus, publisher in
            let listener = try await bus.listener("stride/+/imu")
            try publisher.add(Self.frame(), of: device)
            try await publisher.flush()
            try await listener.wait { !$0.isEmpty }
            bus.broker.kill()
            await bus.broker.ended()
            for await state in publisher.connectionStates {
                if case .connected = state { continue }
                break
            }
            for _ in 0..<3 { try publisher.add(Self.frame(), of: device) }
            #expect(publisher.waitingFrames == 3)
            try await bus.broker.restart()
            try await publisher.flush()
            #expect(publisher.waitingFrames == 0)
            try await listener.wait { Self.frames($0).count == 4 }
            #expect(
                Self.frames(listener.heard).map(\.identity)
                    == (0..<4).map { .sequenced(boot: publisher.boot, sequence: $0) })
        }
    }

    @Test("A refused frame leaves a gap in the numbers, and a frame with a number keeps it")
    func gap() async throws {
        try await withPublisher(maximumFrames: 3) { bus, publisher in
            // Nobody has subscribed yet: the broker has nobody to give frames to, and says so.
            for number in 0..<5 {
                do throws(MotionPublisherError) { try publisher.add(Self.frame(), of: device) } catch {
                    #expect(error == .full && number >= 3)
                }
            }
            let listener = try await bus.listener("stride/+/imu")
            try await publisher.flush()
            try publisher.add(Self.frame(), of: device, form: .json)
            var own = Self.frame()
            own.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 99)
            try publisher.add(own, of: device, form: .compactJSON)
            try await publisher.flush()
            try await listener.wait { Self.frames($0).count == 5 }
            let numbers = [0, 1, 2, 5].map { FrameIdentity.sequenced(boot: publisher.boot, sequence: $0) }
            #expect(Self.frames(listener.heard).map(\.identity) == numbers + [own.identity])
        }
    }

    @Test("A frame that is too large for the broker is left out; those around it arrive")
    func tooLarge() async throws {
        try await withPublisher(EmbeddedBrokerConfiguration(extraLines: ["max_packet_size 2000"])) { bus, publisher in
            let listener = try await bus.listener("stride/+/imu")
            for samples in [2, 2_000, 2] { try publisher.add(Self.frame(samples: samples), of: device) }
            try await publisher.flush()
            try await listener.wait { Self.frames($0).count == 2 }
            #expect(
                Self.frames(listener.heard).map(\.identity)
                    == [0, 2].map { .sequenced(boot: publisher.boot, sequence: $0) })
        }
    }

    @Test("A closed publisher takes no frames, and those who wait are told")
    func closed() async throws {
        let publisher = try MotionPublisher(endpoint: try MQTTEndpoint("mqtt://127.0.0.1:1"))
        try publisher.add(Self.frame(), of: device)
        let flushing = Task { try await publisher.flush() }
        await publisher.close()
        await #expect(throws: MQTTError.self) { try await flushing.value }
        #expect(throws: MotionPublisherError.closed) { try publisher.add(Self.frame(), of: device) }
        #expect(publisher.waitingFrames == 1)
    }

    @Test(
        "A magnetic field and the pressure of the air arrive in every form, published at once and added",
        arguments: MotionPublisher.Form.allCases)
    func everySensor(form: MotionPublisher.Form) async throws {
        try await withPublisher { bus, publisher in
            let listener = try await bus.listener("stride/+/imu")
            let watch = try await BusWatch.start(bus.endpoint, scope: .everything)
            var frame = Self.frame()
            frame.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 0)
            frame.sensors = [.acceleration, .magneticField]
            frame.values = [0, 0, 9.5, 20, 3, -42, 1, 0, 9.5, 21, 3, -42]
            frame.pressuresHectopascals = [1013.25, 1013.5]
            try await publisher.publish([(device, frame)], form: form)
            var later = frame
            later.identity = .sequenced(boot: BootID(rawValue: 7), sequence: 1)
            try publisher.add(later, of: device, form: form)
            try await publisher.flush()
            try await listener.wait { Self.frames($0).count == 2 }
            let frames = Self.frames(listener.heard)
            #expect(frames.map(\.identity) == [frame.identity, later.identity])
            for heard in frames {
                #expect(heard.sensors == frame.sensors && heard.pressuresHectopascals == frame.pressuresHectopascals)
                #expect(zip(heard.values, frame.values).allSatisfy { abs($0 - $1) < 0.01 } && heard.values.count == 12)
            }
            await watch.end()
        }
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

    /// The frames that were heard, each once: what a connection broke off in comes again, which the counter knows.
    private static func frames(_ heard: [BusListener.Heard]) -> [Frame] {
        let decoder = FrameDecoder()
        return heard.reduce(into: []) { frames, message in
            var frame = Frame()
            guard (try? message.payload.withUnsafeBytes { try decoder.decode($0, into: &frame) }) != nil,
                !frames.contains(where: { $0.identity == frame.identity })
            else { return }
            frames.append(frame)
        }
    }
}
