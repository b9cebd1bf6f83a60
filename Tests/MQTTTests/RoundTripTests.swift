import PrivateBroker
import MQTT
import Testing

@Suite("Over a real broker", .timeLimit(.minutes(5)))
struct RoundTripTests {
    @Test("What is published arrives, in order", arguments: [MQTTVersion.v311, .v5])
    func roundTrip(version: MQTTVersion) async throws {
        try await withBroker { broker in
            let consumer = try MQTTConsumer(
                configuration: MQTTConnectionConfiguration(broker, id: "in", version: version),
                subscriptions: [MQTTSubscription("a/+/c")])
            #expect(try await consumer.subscribed()?.sessionPresent == false)
            let producer = try MQTTProducer(
                configuration: MQTTConnectionConfiguration(broker, id: "out", version: version))
            let expected = (0..<5_000).map(String.init)
            async let received = consumer.payloads(count: expected.count)
            try await producer.publish(expected.map { MQTTPublication("a/b/c", $0) })
            #expect(try await received == expected)
            await producer.stop()
            consumer.stop()
            await consumer.waitUntilStopped()
            #expect(consumer.connectionState == .stopped)
        }
    }
}
