import TestBroker
import Contract
import History
import Logging
import MQTT
import PrivateBroker
import ServiceKit
import ServiceLifecycle
import Wire

/// A broker, a folder, and a history that can be started and stopped; the test plays everybody else.
struct HistoryScope {
    let bus: TestBroker
    let folder = StoreFolder()
    let producer: MQTTProducer
    let topics: TopicTree
    /// The prefix below which history announces devices to Home Assistant, if it does.
    let homeAssistant: String?
    /// A clock that runs from 2026-11-20T17:30:00Z on, and the minute in which it begins.
    let clock = TestClock(seconds: 1_795_195_800)
    let minute: Int64 = 1_795_195_800 / 60
    var broker: EmbeddedBroker { bus.broker }

    /// Runs a history while a test looks at it, from when it is online, then shuts it down gracefully.
    func withHistory(
        now: (@Sendable () -> Double)? = nil, version: MQTTVersion = .v5,
        _ body: () async throws -> Void
    ) async throws {
        try await withHistory(try folder.store(), now: now, version: version, body)
    }

    /// The same over a store of the test's making.
    func withHistory(
        _ store: HistoryStore, now: (@Sendable () -> Double)? = nil, version: MQTTVersion = .v5,
        _ body: () async throws -> Void
    ) async throws {
        try await withHistories([(topics, store)], now: now, version: version, body)
    }

    /// The same with several at once, each on a bus of its own.
    func withHistories(
        _ histories: [(topics: TopicTree, store: HistoryStore)], now: (@Sendable () -> Double)? = nil,
        version: MQTTVersion = .v5, _ body: () async throws -> Void
    ) async throws {
        let running = RunningGroup(try group(histories, now: now, version: version))
        do {
            for (tree, _) in histories {
                let status = tree.text(.serviceStatus(.history))
                _ = try await listener(status).wait(for: status) { $0.text == "online" }
            }
            try await body()
        } catch {
            try? await running.stop()
            throw error
        }
        try await running.stop()
    }

    /// Histories that are to be run.
    func group(
        _ histories: [(topics: TopicTree, store: HistoryStore)], now: (@Sendable () -> Double)? = nil,
        version: MQTTVersion = .v5, shutdownSeconds: Double? = nil
    ) throws -> ServiceGroup {
        var logger = Logger(label: "history")
        logger.logLevel = .error
        let services = histories.map { topics, store in
            let settings = BusSettings(endpoint: bus.endpoint, topics: topics, version: version)
            var configuration = HistoryConfiguration(bus: settings, dataDirectory: folder.path)
            configuration.homeAssistantPrefix = homeAssistant
            if let shutdownSeconds { configuration.shutdownSeconds = shutdownSeconds }
            return HistoryService(
                configuration: configuration, store: store, now: now ?? clock.nowSeconds, logger: logger)
        }
        return ServiceGroup(services: services, logger: logger)
    }

    func publish(_ topic: Topic, _ payload: [UInt8], retain: Bool = false, in tree: TopicTree? = nil) async throws {
        try await producer.publish(
            MQTTPublication(topic: (tree ?? topics).bytes(topic), payload: payload, retain: retain))
    }

    /// Publishes what a counter would: one minute, with so many revolutions, as a link of its chain.
    func count(
        _ device: DeviceID, minute: Int64? = nil, revolutions: Int64, after previous: UInt64 = 0,
        through last: UInt64 = 1, in tree: TopicTree? = nil
    ) async throws {
        let row = MinuteRow(device, minute ?? self.minute, epoch: 7, revision: last, revolutions: revolutions)
        let batch = CountsBatch(epoch: 7, previousRevision: previous, lastRevision: last, rows: [row])
        try await publish(.counts(Partition(of: device)), batch.encoded(), in: tree)
    }

    /// The same, and returns when the device's total has been heard to be so much.
    func count(
        _ device: DeviceID, minute: Int64? = nil, revolutions: Int64, after previous: UInt64 = 0,
        through last: UInt64 = 1, total: Int64? = nil, heardBy listener: BusListener
    ) async throws {
        try await count(device, minute: minute, revolutions: revolutions, after: previous, through: last)
        try await listener.wait(for: "stride/\(device)/total") {
            $0.text.contains(#""revolutions":\#(total ?? revolutions),"#)
        }
    }

    /// Keeps a minute of each of so many devices, and closes the store.
    func keep(_ minute: Int64, ofDevices count: Int, in store: HistoryStore) async throws {
        let rows = (0..<count).map { MinuteRow("bike-\($0)", minute, revolutions: 42) }
        _ = try await store.commit(HistoryChanges(rows: rows), nowSeconds: minute * 60)
        await store.close()
    }

    func listener(_ filters: String...) async throws -> BusListener {
        try await bus.listener(filters)
    }
}

/// Runs a test with a broker of its own.
func withScope(
    _ configuration: EmbeddedBrokerConfiguration = EmbeddedBrokerConfiguration(), homeAssistant: String? = nil,
    checked: BusWatch.Scope? = .sent, _ body: (HistoryScope) async throws -> Void
) async throws {
    try await TestBroker.with(configuration, checked: checked) { bus in
        let scope = HistoryScope(
            bus: bus, producer: bus.producer("everybody"), topics: try TopicTree(), homeAssistant: homeAssistant)
        try await body(scope)
    }
}
