import Contract
import History
import Logging
import MQTT
import PrivateBroker
import ServiceKit
import ServiceLifecycle
import Synchronization
import Wire

/// A broker, a folder, and a history that can be started and stopped; the test plays everybody else.
final class HistoryScope: Sendable {
    let broker: EmbeddedBroker
    let folder: TemporaryFolder
    let producer: MQTTProducer
    let topics: TopicTree
    /// The prefix below which history announces devices to Home Assistant, if it does.
    let homeAssistant: String?
    private let watch: BusWatch
    private let isBrokerGone = Atomic(false)

    init(
        _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(), homeAssistant: String? = nil,
        roots: [String] = ["stride"]
    ) async throws {
        self.homeAssistant = homeAssistant
        broker = try await EmbeddedBroker.start(configuration)
        folder = try TemporaryFolder()
        topics = try TopicTree()
        watch = try await BusWatch.start(try MQTTEndpoint(broker.url), roots: roots)
        producer = MQTTProducer(
            configuration: MQTTConnectionConfiguration(endpoint: try MQTTEndpoint(broker.url), clientID: "everybody"))
    }

    func end() async {
        await producer.stop()
        await watch.end(hasBroker: !isBrokerGone.load(ordering: .relaxed))
        await broker.stop()
    }

    /// Kills the broker, which does not come back.
    func killBroker() async {
        await watch.hasHeard()
        isBrokerGone.store(true, ordering: .relaxed)
        broker.kill()
        await broker.ended()
    }

    /// Runs a history while a test looks at it, from when it is online, then shuts it down gracefully.
    func withHistory(
        now: @escaping @Sendable () -> Double, version: MQTTVersion = .v5,
        _ body: () async throws -> Void
    ) async throws {
        try await withHistory(try folder.store(), now: now, version: version, body)
    }

    /// The same over a store of the test's making.
    func withHistory(
        _ store: HistoryStore, now: @escaping @Sendable () -> Double, version: MQTTVersion = .v5,
        _ body: () async throws -> Void
    ) async throws {
        try await withHistories([(topics, store)], now: now, version: version, body)
    }

    /// The same with several at once, each on a bus of its own.
    func withHistories(
        _ histories: [(topics: TopicTree, store: HistoryStore)], now: @escaping @Sendable () -> Double,
        version: MQTTVersion = .v5, _ body: () async throws -> Void
    ) async throws {
        let group = try group(histories, now: now, version: version)
        let running = Task { try await group.run() }
        do {
            for (tree, _) in histories {
                let status = tree.text(.serviceStatus(.history))
                _ = try await listener(status).wait(for: status) { $0.text == "online" }
            }
            try await body()
        } catch {
            await group.triggerGracefulShutdown()
            _ = try? await running.value
            throw error
        }
        await group.triggerGracefulShutdown()
        try await running.value
    }

    /// Histories that are to be run.
    func group(
        _ histories: [(topics: TopicTree, store: HistoryStore)], now: @escaping @Sendable () -> Double,
        version: MQTTVersion = .v5, shutdownSeconds: Double? = nil
    ) throws -> ServiceGroup {
        var logger = Logger(label: "history")
        logger.logLevel = .error
        let services = try histories.map { topics, store in
            let bus = BusSettings(endpoint: try MQTTEndpoint(broker.url), topics: topics, version: version)
            var configuration = HistoryConfiguration(bus: bus, dataDirectory: folder.path)
            configuration.homeAssistantPrefix = homeAssistant
            if let shutdownSeconds { configuration.shutdownSeconds = shutdownSeconds }
            return HistoryService(configuration: configuration, store: store, now: now, logger: logger)
        }
        return ServiceGroup(services: services, logger: logger)
    }

    func publish(_ topic: Topic, _ payload: [UInt8], retain: Bool = false, in tree: TopicTree? = nil) async throws {
        try await producer.publish(
            MQTTPublication(topic: (tree ?? topics).bytes(topic), payload: payload, retain: retain))
    }

    /// Publishes what a counter would: one minute, with so many revolutions, as a link of its chain.
    func count(
        _ device: DeviceID, minute: Int64, revolutions: Int64, after previous: UInt64, through last: UInt64,
        in tree: TopicTree? = nil
    ) async throws {
        var row = MinuteRow(device: device, minute: minute, epoch: 7, revision: last)
        row.revolutions = revolutions
        row.coveredMilliseconds = 60_000
        let batch = CountsBatch(
            epoch: 7, previousRevision: previous, lastRevision: last, rows: [row])
        try await publish(.counts(Partition(of: device)), batch.encoded(), in: tree)
    }

    /// Keeps a minute of each of so many devices, and closes the store.
    func keep(_ minute: Int64, ofDevices count: Int, in store: HistoryStore) async throws {
        var changes = HistoryChanges()
        for number in 0..<count {
            var row = MinuteRow(device: try DeviceID("bike-\(number)"), minute: minute, epoch: 7, revision: 1)
            row.revolutions = 42
            changes.rows.append(row)
        }
        _ = try await store.commit(changes, nowSeconds: minute * 60)
        await store.close()
    }

    func listener(_ filters: String...) async throws -> BusListener {
        try await BusListener(broker, filters: filters)
    }

    /// Everything that is retained on some topics: the broker gives it before what is published after the subscription.
    func retained(_ filter: String) async throws -> [BusListener.Heard] {
        let mark = "mark/\(UInt64.random(in: .min ... .max))"
        let listener = try await listener(filter, mark)
        try await producer.publish(MQTTPublication(topic: mark, payload: []))
        _ = try await listener.wait(for: mark)
        return listener.heard.filter { $0.topic != mark }
    }
}

/// Runs a test with a broker of its own.
func withScope(
    _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(), homeAssistant: String? = nil,
    _ body: (HistoryScope) async throws -> Void
) async throws {
    let scope = try await HistoryScope(configuration, homeAssistant: homeAssistant)
    do {
        try await body(scope)
    } catch {
        await scope.end()
        throw error
    }
    await scope.end()
}
