import Contract
import PrivateBroker
import ServiceKit
import Ingest
import Logging
import MQTT
import ServiceLifecycle
import Wire

/// A broker, a device that publishes, an observer of everything that ingest says, and ingest itself.
struct IngestBench {
    let broker: EmbeddedBroker
    let topics: TopicTree

    static func settings(_ broker: EmbeddedBroker, _ topics: TopicTree, _ version: MQTTVersion) throws -> BusSettings {
        BusSettings(endpoint: try MQTTEndpoint(broker.url), topics: topics, version: version)
    }

    /// Runs a test with a broker of its own.
    ///
    /// - Parameter endsBroker: Whether the broker refuses everybody or is gone at the end.
    static func run(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(), endsBroker: Bool = false,
        _ body: (IngestBench) async throws -> Void
    ) async throws {
        let broker = try await EmbeddedBroker.start(configuration)
        do {
            let endpoint = try MQTTEndpoint(broker.url)
            let watch = endsBroker ? nil : try await BusWatch.start(endpoint, roots: ["test"])
            try await body(IngestBench(broker: broker, topics: try TopicTree(root: "test")))
            await watch?.end()
        } catch {
            await broker.stop()
            throw error
        }
        await broker.stop()
    }

    /// An ingest in a service group, which a test can shut down.
    func start(version: MQTTVersion = .v5) throws -> RunningIngest {
        var configuration = IngestConfiguration(bus: try Self.settings(broker, topics, version))
        configuration.healthSeconds = 0.5
        var logger = Logger(label: "ingest")
        logger.logLevel = .critical
        let service = IngestService(configuration: configuration, logger: logger)
        let group = ServiceGroup(services: [service], logger: logger)
        return RunningIngest(group: group, task: Task { try await group.run() })
    }

    /// Waits until ingest has its subscriptions: then nothing that a device sends is missed.
    func whenReading() async throws {
        let probe = try observer(["service/ingest/status"], id: "probe")
        _ = try await probe.first { _, word in String(decoding: word, as: UTF8.self) == "online" ? true : nil }
        probe.consumer.stop()
        await probe.consumer.waitUntilStopped()
    }

    /// A connection that publishes as devices do.
    func device() throws -> MQTTProducer {
        MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: try MQTTEndpoint(broker.url), clientID: "device"))
    }

    /// What is published below `service/`, in order.
    func observer(_ filters: [String], id: String = "observer") throws -> Observer {
        let consumer = MQTTConsumer(
            configuration: MQTTConnectionConfiguration(
                endpoint: try MQTTEndpoint(broker.url), clientID: id, sessionExpirySeconds: 60),
            subscriptions: filters.map { MQTTSubscription("\(topics.root)/\($0)") })
        return Observer(consumer: consumer)
    }

    func imu(_ device: String, _ frame: Frame) -> MQTTPublication {
        MQTTPublication(topic: "\(topics.root)/\(device)/imu", payload: frame.encodedJSON())
    }
}

/// An ingest that runs.
struct RunningIngest {
    let group: ServiceGroup
    let task: Task<Void, any Error>

    /// Shuts it down as SIGTERM does, and waits for its end.
    func shutDown() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }

    /// Ends it without a chance to finish anything, as far as a task can.
    func cancel() async {
        task.cancel()
        _ = await task.result
    }
}

/// A subscriber that looks for things to happen.
struct Observer {
    let consumer: MQTTConsumer

    /// Waits until the subscriptions are in force.
    func ready() async throws {
        for try await batch in consumer.batches {
            batch.acknowledge()
            if batch.connection != nil { return }
        }
    }

    /// Reads messages until one of them gives a result.
    func first<Result>(_ look: (_ topic: String, _ payload: [UInt8]) throws -> Result?) async throws -> Result? {
        for try await batch in consumer.batches {
            defer { batch.acknowledge() }
            for message in batch {
                let topic = String(decoding: message.topic, as: UTF8.self)
                if let result = try look(topic, Array(message.payload)) { return result }
            }
        }
        return nil
    }

    /// Reads motion batches until so many frames have come.
    func frames(_ count: Int) async throws -> [MotionRecord] {
        var records: [MotionRecord] = []
        _ = try await first { topic, payload -> Bool? in
            guard topic.contains("/motion/") else { return nil }
            records += try motionRecords(payload).filter { $0.frame != nil }
            return records.count >= count ? true : nil
        }
        return records
    }

    /// Reads health reports until one is as wanted.
    func health(_ isWanted: (ServiceHealth) -> Bool) async throws -> ServiceHealth? {
        try await first { topic, payload in
            guard topic.hasSuffix("/health") else { return nil }
            let health = try ServiceHealth(json: payload)
            return isWanted(health) ? health : nil
        }
    }
}
