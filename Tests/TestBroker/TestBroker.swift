package import Contract
package import MQTT
package import PrivateBroker
import Synchronization
public import Wire

/// A private broker for one test, with the connections that the test makes. Both end with the test.
package final class TestBroker: Sendable {
    package let broker: EmbeddedBroker
    private let ends = Mutex<(consumers: [MQTTConsumer], producers: [MQTTProducer])>(([], []))

    private init(_ broker: EmbeddedBroker) { self.broker = broker }

    /// Runs a test with a broker of its own.
    ///
    /// - Parameters:
    ///   - checked: Whose messages must keep to their schemas, below these roots; nil where the messages are none of ours.
    package static func with<Result>(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(), checked: BusWatch.Scope? = nil,
        roots: [String] = ["stride"], _ body: (TestBroker) async throws -> Result
    ) async throws -> Result {
        let test = TestBroker(try await EmbeddedBroker.start(configuration))
        do {
            var watch: BusWatch?
            if let checked { watch = try await BusWatch.start(test.endpoint, roots: roots, scope: checked) }
            let result = try await body(test)
            await watch?.end()
            await test.end()
            return result
        } catch {
            await test.end()
            throw error
        }
    }

    private func end() async {
        let (consumers, producers) = ends.withLock { $0 }
        for consumer in consumers { consumer.stop() }
        for producer in producers { await producer.stop() }
        await broker.stop()
    }

    package var endpoint: MQTTEndpoint { MQTTEndpoint(host: "127.0.0.1", port: broker.port) }

    package func connection(
        _ id: String, version: MQTTVersion = .v5, sessionExpirySeconds: UInt32 = 0
    ) -> MQTTConnectionConfiguration {
        MQTTConnectionConfiguration(
            endpoint: endpoint, clientID: id, version: version, sessionExpirySeconds: sessionExpirySeconds)
    }

    package func producer(
        _ id: String = "out", version: MQTTVersion = .v5, limits: MQTTProducerLimits = MQTTProducerLimits()
    ) -> MQTTProducer {
        let producer = MQTTProducer(configuration: connection(id, version: version), limits: limits)
        ends.withLock { $0.producers.append(producer) }
        return producer
    }

    package func consumer(
        _ filters: String..., id: String = "in", version: MQTTVersion = .v5, sessionExpirySeconds: UInt32 = 0,
        limits: MQTTBatchLimits = MQTTBatchLimits()
    ) -> MQTTConsumer {
        let consumer = MQTTConsumer(
            configuration: connection(id, version: version, sessionExpirySeconds: sessionExpirySeconds),
            subscriptions: filters.map { MQTTSubscription($0) }, limits: limits)
        ends.withLock { $0.consumers.append(consumer) }
        return consumer
    }

    /// What comes on some topics from now on.
    package func listener(_ filters: String...) async throws -> BusListener {
        try await listener(filters)
    }

    package func listener(_ filters: [String]) async throws -> BusListener {
        try await BusListener(connection("listener-\(UInt64.random(in: .min ... .max))"), filters: filters)
    }

    /// Everything that is retained on some topics: the broker gives it before what is published after the subscription.
    package func retained(_ filter: String) async throws -> [BusListener.Heard] {
        let mark = "mark/\(UInt64.random(in: .min ... .max))"
        let listener = try await listener(filter, mark)
        try await producer(mark).publish(MQTTPublication(mark, ""))
        _ = try await listener.wait(for: mark)
        return listener.heard.filter { $0.topic != mark }
    }
}

extension MQTTPublication {
    package init(_ topic: String, _ text: String, qos: MQTTQoS = .atLeastOnce, retain: Bool = false) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, retain: retain)
    }
}

extension MQTTMessage {
    package var payloadText: String { String(decoding: payload, as: UTF8.self) }
}

extension MQTTConsumer {
    /// Waits for the first batch, which says that the subscriptions are in force.
    @discardableResult
    package func subscribed() async throws -> MQTTSessionInfo? {
        for try await batch in batches {
            batch.acknowledge()
            if let connection = batch.connection { return connection }
        }
        return nil
    }

    /// Stops it, and waits until it has.
    package func end() async {
        stop()
        await waitUntilStopped()
    }

    /// Acknowledges batches until so many messages have come, and returns their payloads.
    package func payloads(count: Int) async throws -> [String] {
        var payloads: [String] = []
        for try await batch in batches {
            payloads += batch.map(\.payloadText)
            batch.acknowledge()
            if payloads.count >= count { break }
        }
        return payloads
    }
}

extension DeviceID: ExpressibleByStringInterpolation {
    /// A device of a test. It stops the tests where the text is no id.
    public init(stringLiteral text: String) {
        do { try self.init(text) } catch { fatalError("\(text): \(error)") }
    }
}
