import PrivateBroker
import MQTT

/// Runs a test against a broker of its own.
func withBroker(
    _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(),
    _ body: (EmbeddedBroker) async throws -> Void
) async throws {
    let broker = try await EmbeddedBroker.start(configuration)
    do {
        try await body(broker)
    } catch {
        await broker.stop()
        throw error
    }
    await broker.stop()
}

extension MQTTConnectionConfiguration {
    /// A connection to a test's broker.
    init(_ broker: EmbeddedBroker, id: String, version: MQTTVersion = .v5, sessionExpirySeconds: UInt32 = 0) throws {
        try self.init(
            endpoint: MQTTEndpoint(broker.url), clientID: id, version: version,
            sessionExpirySeconds: sessionExpirySeconds)
    }
}

extension MQTTMessage {
    var topicText: String { String(decoding: topic, as: UTF8.self) }
    var payloadText: String { String(decoding: payload, as: UTF8.self) }
}

extension MQTTPublication {
    init(_ topic: String, _ text: String, qos: MQTTQoS = .atLeastOnce, retain: Bool = false) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain)
    }
}

extension MQTTConsumer {
    /// Waits for the first batch, which says that the subscriptions are in force.
    func subscribed() async throws -> MQTTSessionInfo? {
        for try await batch in batches {
            batch.acknowledge()
            if let connection = batch.connection { return connection }
        }
        return nil
    }

    /// Acknowledges batches until so many messages have come, and returns their payloads.
    func payloads(count: Int) async throws -> [String] {
        var payloads: [String] = []
        for try await batch in batches {
            payloads += batch.map(\.payloadText)
            batch.acknowledge()
            if payloads.count >= count { break }
        }
        return payloads
    }
}
