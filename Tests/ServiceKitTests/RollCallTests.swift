import MQTT
import ServiceKit
import Synchronization
import Testing
import Wire

@Suite("Who is there", .timeLimit(.minutes(5)))
struct RollCallTests {
    @Test("It is asked once, and again where those who answer are not enough")
    func askedAgain() async throws {
        let broker = try await EmbeddedBroker.start(EmbeddedBrokerConfiguration())
        let bus = BusSettings(endpoint: try MQTTEndpoint(broker.url), topics: try TopicTree())
        // An instance that answers to every second call.
        let calls = Mutex(0)
        let (instance, answers) = (
            MQTTConsumer(
                configuration: MQTTConnectionConfiguration(endpoint: bus.endpoint, clientID: "instance-in"),
                subscriptions: [MQTTSubscription(bus.topics.text(.call(.counter)))]),
            MQTTProducer(configuration: MQTTConnectionConfiguration(endpoint: bus.endpoint, clientID: "instance-out"))
        )
        let status = MQTTPublication(
            topic: bus.topics.bytes(.instanceStatus(.counter, try DeviceID("counter-b"))),
            payload: InstanceStatus { ($0.instance, $0.run) = ("counter-b", "r") }.encodedJSON())
        let (subscribed, isSubscribed) = AsyncStream.makeStream(of: Void.self)
        let answering = Task {
            for try await batch in instance.batches {
                if batch.connection != nil { isSubscribed.yield() }
                for _ in batch
                where calls.withLock({
                    $0 += 1; return $0.isMultiple(of: 2)
                }) {
                    try await answers.publish(status)
                }
                batch.acknowledge()
            }
        }
        for await _ in subscribed { break }
        let first = try await RollCall.run(.counter, on: bus)
        #expect(first.isEmpty)
        #expect(calls.withLock(\.self) == 1)
        // The next call is the second, which is answered: it is enough.
        calls.withLock { $0 = 0 }
        let found = try await RollCall.run(.counter, on: bus) { $0.contains { $0.instance == "counter-b" } }
        #expect(found.map(\.instance) == ["counter-b"])
        // A third call, which nobody answers, comes where that answer took its time.
        #expect((2...3).contains(calls.withLock(\.self)))
        instance.stop()
        _ = try await answering.value
        await answers.stop()
        await broker.stop()
    }
}
