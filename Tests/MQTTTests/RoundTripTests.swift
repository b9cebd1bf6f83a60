import MQTT
import TestBroker
import Testing

@Suite("Over a real broker", .timeLimit(.minutes(5)))
struct RoundTripTests {
    @Test("What is published arrives, in order", arguments: [MQTTVersion.v311, .v5])
    func roundTrip(version: MQTTVersion) async throws {
        try await TestBroker.with { bus in
            let consumer = bus.consumer("a/+/c", version: version)
            let session = try await consumer.subscribed()
            #expect(session?.sessionPresent == false)
            let producer = bus.producer(version: version)
            let expected = (0..<5_000).map(String.init)
            async let received = consumer.payloads(count: expected.count)
            try await producer.publish(expected.map { MQTTPublication("a/b/c", $0) })
            #expect(try await received == expected)
            await producer.stop()
            await consumer.end()
            #expect(consumer.connectionState == .stopped)
        }
    }
}
