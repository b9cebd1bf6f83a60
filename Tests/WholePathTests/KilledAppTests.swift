import ServiceKit
import Foundation
import MQTT
import Lab
import ServiceLifecycle
import StrideClient
import Testing
import Watched
import Wire
import stridebus

@Suite("An app that keeps its frames in a queue", .timeLimit(.minutes(5)))
struct KilledAppTests {
    @Test("Killed twice while it sends, its frames are counted to the step as without a queue, and none twice")
    func killed() async throws {
        let app = try await RunningBus.with { KilledApp(bus: $0) }
        let (total, counter) = try #require(app.heard)
        #expect(total.steps == app.expectedSteps)
        #expect(app.expectedSteps > 500)
        #expect(counter["accepted"] == UInt64(KilledApp.frames))
        for what in ["missing", "late", "stale", "refused", "waiting"] { #expect(counter[what] == 0, "\(what)") }
    }
}

/// Runs the app, kills it as soon as something of it is heard, lets it go on, and listens to what is counted.
private final class KilledApp: Service {
    /// Frames of a second, half of them in each of the two lives that end badly.
    static let frames = 500

    private struct Heard {
        var online: Set<ServiceName> = []
        var total: DeviceTotals?
        var counter: ServiceHealth?
    }

    let expectedSteps: UInt64
    private let bus: RunningBus
    private let queueFile = NSTemporaryDirectory() + "stride-\(UUID().uuidString).queue"
    private let start: Int64
    private let state = Watched(Heard())

    init(bus: RunningBus) {
        self.bus = bus
        start = Pace.nowMicroseconds - Int64(Self.frames) * 1_000_000
        expectedSteps = Self.expectedSteps(start: start)
    }

    deinit {
        for suffix in ["", ".lock"] { try? FileManager.default.removeItem(atPath: queueFile + suffix) }
    }

    var heard: (total: DeviceTotals, counter: ServiceHealth)? {
        let heard = state.now
        guard let total = heard.total, let counter = heard.counter else { return nil }
        return (total, counter)
    }

    func run() async throws {
        let observer = try BusObserver(endpoint: bus.endpoint, root: bus.root)
        let listening = Task { try await observer.observe(note) }
        await state.wait { $0.online.count == ServiceName.allCases.count }
        try await configure()
        let half = Self.frames / 2
        try await killApp(first: 0, count: half)
        try await killApp(first: half, count: half)
        #expect(try await app(first: 0, count: 0).exitCode() == 0)
        let steps = expectedSteps
        await state.wait { ($0.total?.steps ?? 0) >= steps }
        await observer.close()
        try await listenToCounter()
        try await listening.value
    }

    private func app(first: Int, count: Int) throws -> Program {
        try Program(
            ["mqtt://127.0.0.1:\(bus.endpoint.port)", bus.root, queueFile, "\(start)", "\(first)", "\(count)"],
            named: "QueueingApp")
    }

    /// Ends the app when all its frames are in the queue and the first of them has been sent.
    private func killApp(first: Int, count: Int) async throws {
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: bus.endpoint, clientID: "witness"),
            subscriptions: [MQTTSubscription("\(bus.root)/walker-1/imu")])
        let batches = consumer.batches
        for try await batch in batches {
            batch.acknowledge()
            if batch.connection != nil { break }
        }
        let app = try app(first: first, count: count)
        try await app.waitForError(containing: "added")
        for try await batch in batches {
            let hasFrame = !batch.isEmpty
            batch.acknowledge()
            if hasFrame { break }
        }
        app.send(SIGKILL)
        _ = try await app.exitCode()
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    /// Waits until the counter has told of all frames.
    private func listenToCounter() async throws {
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: bus.endpoint, clientID: "account"),
            subscriptions: [MQTTSubscription(bus.run.settings.topics.text(.serviceHealth(.counter)))])
        reading: for try await batch in consumer.batches {
            let healths = try batch.map { try ServiceHealth(json: $0.payload) }
            batch.acknowledge()
            for health in healths where (health["accepted"] ?? 0) >= UInt64(Self.frames) {
                state.change { $0.counter = health }
                break reading
            }
        }
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    private func configure() async throws {
        let publisher = try MotionPublisher(endpoint: bus.endpoint, root: bus.root)
        try await publisher.publish(Self.configuration, of: try DeviceID("walker-1"))
        await publisher.close()
    }

    private func note(_ event: BusEvent) {
        state.change { state in
            switch event {
            case .service(let name, isOnline: true): state.online.insert(name)
            case .total(_, let total): state.total = total
            default: break
            }
        }
    }

    private static var configuration: DeviceConfig {
        var configuration = DeviceConfig()
        configuration.kind = .wearable
        configuration.placement = .wrist
        return configuration
    }

    /// What is counted in the same frames without a bus: in the form in which they travel, numbered by two boots.
    private static func expectedSteps(start: Int64) -> UInt64 {
        guard let device = try? DeviceID("walker-1") else { return 0 }
        var gym = SimulatedGym(
            bikes: 0, wearables: 1, seed: 7, character: .demo(seconds: 500), startMicroseconds: start)
        var count = OfflineCount(device: device, configuration: configuration)
        let decoder = FrameDecoder()
        for index in 0..<frames {
            var frame = Frame()
            gym.makeFrame(of: 0, into: &frame)
            let isSecondLife = index >= frames / 2
            frame.identity = .sequenced(
                boot: BootID(rawValue: isSecondLife ? 2 : 1),
                sequence: UInt64(isSecondLife ? index - frames / 2 : index))
            let payload = frame.encodedProtobuf()
            payload.withUnsafeBytes { try? decoder.decode($0, into: &frame) }
            count.accept([frame])
        }
        return UInt64(clamping: count.finish().steps)
    }
}
