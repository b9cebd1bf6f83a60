public import MQTT
public import Wire

/// Listens to everything that counter and history say about all devices.
public final class BusObserver: Sendable {
    /// The topics of the bus.
    public let topics: TopicTree
    private let consumer: MQTTConsumer

    /// Opens a connection that listens; it is made in the background and kept up until `close()`.
    public init(endpoint: MQTTEndpoint, root: String = "stride", version: MQTTVersion = .v5) throws(WireError) {
        let topics = try TopicTree(root: root)
        self.topics = topics
        let channels: [DeviceChannel] = [.cadence, .steps, .activity, .day, .total, .health]
        let name = "stride-observer-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(endpoint: endpoint, clientID: name, version: version),
            subscriptions: channels.map { MQTTSubscription(topics.filter(every: $0)) }
                + ServiceName.allCases.map { MQTTSubscription(topics.text(.serviceStatus($0))) })
    }

    /// The states of the connection.
    public var connectionStates: AsyncStream<MQTTConnectionState> { consumer.events }

    /// Hands over what is heard, message after message, until `close()`.
    ///
    /// - Throws: `MQTTError` when the connection ends for good.
    public func observe(_ body: (BusEvent) async -> Void) async throws {
        for try await batch in consumer.batches {
            for event in batch.compactMap(event) { await body(event) }
            batch.acknowledge()
        }
    }

    /// Stops listening; `observe` returns.
    public func close() async {
        consumer.stop()
        await consumer.waitUntilStopped()
    }

    private func event(of message: MQTTMessage) -> BusEvent? {
        guard let topic = try? topics.parse(message.topic) else { return nil }
        return BusEvent(topic: topic, payload: message.payload)
    }
}
