import Foundation
import MQTT
import Synchronization
import PrivateBroker
import TestBroker
import Testing
import Watched

@Suite("The example on the page of MQTT", .timeLimit(.minutes(5)))
struct DocumentationTests {
    @Test("It is the code that is compiled here")
    func page() throws {
        let here = URL(fileURLWithPath: #filePath)
        let page = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/MQTT/Documentation.docc/MQTT.md")
        let example = try String(contentsOf: page, encoding: .utf8).split(separator: "```swift\n")[1]
            .split(separator: "```")[0]
        #expect(try String(contentsOf: here, encoding: .utf8).contains(example))
    }

    @Test("What is not committed is delivered again to the next one that runs it")
    func acknowledgesAfterCommit() async throws {
        try await TestBroker.with { bus in
            let producer = bus.producer()
            let full = Readings(canCommit: false)
            let first = Task { try await keepReadings(from: bus.broker.url, in: full) }
            var reading = MQTTPublication(topic: "sensor/a/reading", payload: Array("21.5".utf8))
            reading.needsSubscriber = true
            // Refused until there is a subscriber.
            await until { (try? await producer.publish(reading)) != nil }
            await #expect(throws: Readings.Full.self) { try await first.value }
            let roomy = Readings(canCommit: true)
            let second = Task { try await keepReadings(from: bus.broker.url, in: roomy) }
            #expect(await roomy.firstCommit() == ["sensor/a/reading 21.5"])
            second.cancel()
        }
    }
}

func keepReadings(from broker: String, in store: some ReadingStore) async throws {
    let consumer = MQTTConsumer(
        configuration: MQTTConnectionConfiguration(
            endpoint: try MQTTEndpoint(broker), clientID: "readings", sessionExpirySeconds: 86_400),
        subscriptions: [MQTTSubscription("sensor/+/reading")])
    for try await batch in consumer.batches {
        for message in batch { store.add(String(decoding: message.topic, as: UTF8.self), Array(message.payload)) }
        try await store.commit()
        batch.acknowledge()
    }
}

/// Where the example keeps what it reads.
protocol ReadingStore {
    func add(_ topic: String, _ payload: [UInt8])
    func commit() async throws
}

/// Readings that may be committed or not, once.
private final class Readings: ReadingStore, Sendable {
    struct Full: Error {}

    private let canCommit: Bool
    private let pending = Mutex<[String]>([])
    private let (commits, continuation) = AsyncStream.makeStream(of: [String].self)

    init(canCommit: Bool) {
        self.canCommit = canCommit
    }

    func add(_ topic: String, _ payload: [UInt8]) {
        pending.withLock { $0.append(topic + " " + String(decoding: payload, as: UTF8.self)) }
    }

    func commit() async throws {
        let readings = pending.withLock { $0 }
        guard !readings.isEmpty else { return }
        guard canCommit else { throw Full() }
        continuation.yield(readings)
    }

    func firstCommit() async -> [String]? { await commits.first { _ in true } }
}
