import MQTT
import TestBroker
import Testing

@Suite("A mistake in the configuration", .timeLimit(.minutes(5)))
struct ConfigurationTests {
    @Test(
        "It is thrown from publish and from batches, with advice",
        arguments: [
            { $0.keepAliveSeconds = 4 }, { $0.clientID = "" }, { $0.endpoint.port = 0 }, { $0.endpoint.host = "" },
            { $0.receiveMaximum = 0 }, { $0.connectTimeoutSeconds = .nan },
            { $0.backoff = MQTTBackoff(minimumSeconds: .nan) }, { $0.backoff = MQTTBackoff(minimumSeconds: 0) },
            { $0.will = MQTTPublication(topic: "a/#", payload: []) },
        ] as [@Sendable (inout MQTTConnectionConfiguration) -> Void])
    func configuration(change: @Sendable (inout MQTTConnectionConfiguration) -> Void) async {
        var configuration = MQTTConnectionConfiguration(endpoint: MQTTEndpoint(host: "127.0.0.1"), clientID: "test")
        change(&configuration)
        let producer = MQTTProducer(configuration: configuration)
        let published = await #expect(throws: MQTTError.self) { try await producer.publish(MQTTPublication("t", "x")) }
        #expect(published?.isRetriable == false)
        let consumer = MQTTConsumer(configuration: configuration, subscriptions: [])
        let received = await #expect(throws: MQTTError.self) { _ = try await consumer.payloads(count: 1) }
        #expect(received == published)
        if let received { #expect(consumer.connectionState == .failed(received)) }
    }

    @Test("So is a filter with a wildcard in the wrong place, and a window that is too wide")
    func limits() async {
        let configuration = MQTTConnectionConfiguration(endpoint: MQTTEndpoint(host: "127.0.0.1"), clientID: "test")
        let consumer = MQTTConsumer(configuration: configuration, subscriptions: [MQTTSubscription("a/#/b")])
        let filter = await #expect(throws: MQTTError.self) { _ = try await consumer.payloads(count: 1) }
        #expect(filter?.code == .invalidTopic)
        let producer = MQTTProducer(configuration: configuration, limits: MQTTProducerLimits(maximumInFlight: 1_001))
        let window = await #expect(throws: MQTTError.self) { try await producer.publish(MQTTPublication("t", "x")) }
        #expect(window?.code == .invalidConfiguration)
    }
}
