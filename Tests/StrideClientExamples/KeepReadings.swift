import MQTT

func keepReadings(
    from broker: String, commit: ([(topic: String, payload: [UInt8])]) async throws -> Void
) async throws {
    let consumer = MQTTConsumer(
        configuration: MQTTConnectionConfiguration(
            endpoint: try MQTTEndpoint(broker), clientID: "readings", sessionExpirySeconds: 86_400),
        subscriptions: [MQTTSubscription("sensor/+/reading")])
    for try await batch in consumer.batches {
        try await commit(batch.map { (String(decoding: $0.topic, as: UTF8.self), Array($0.payload)) })
        batch.acknowledge()
    }
}
