package import Logging
import MQTT
import ServiceKit
import ServiceLifecycle
import Wire

/// History on the bus: keeps what the counters have counted, publishes the retained totals of each device, and answers
/// requests. `HistoryPipeline` decides; this type performs each effect in a task of its own whose end is the next
/// event.
///
/// It has three connections. One reads counts and settings over a persistent session and writes nothing but
/// acknowledgements, after the commit. One reads requests over a clean session: over the first they would wait for a
/// slow disk and outlive their asker. One publishes, because a connection that acknowledges after a commit cannot.
/// At a graceful shutdown history stops reading, commits and acknowledges what it has, publishes what is due, says
/// `offline` and closes the store.
package struct HistoryService: Service {
    /// The input of the loop, in the order of time.
    private enum Input: Sendable {
        case batch(MQTTBatch)
        case event(HistoryEvent)
        /// What a batch of requests holds; the next one is read when it is handled, so that requests wait with the broker
        /// and not in memory.
        case requests([HistoryEvent])
        /// One of the two consumers has ended in order.
        case readingEnded
        /// Something failed that patience does not mend.
        case failed(any Error)
    }

    /// The time between two ticks, in milliseconds.
    static let tickMilliseconds = 200

    private let configuration: HistoryConfiguration
    private let store: HistoryStore
    private let now: @Sendable () -> Double
    private let logger: Logger
    private let handled = AsyncStream<Void>.makeStream()
    /// Configs that are retained one after the other: the last one that was answered is the one that stays.
    private let configures = AsyncStream<HistoryEffect>.makeStream()
    private let inputs: AsyncStream<Input>
    private let continuation: AsyncStream<Input>.Continuation

    /// A service over a store, which is closed at the end of `run`.
    /// - Parameter now: The time, in seconds since 1970.
    package init(
        configuration: HistoryConfiguration, store: HistoryStore,
        now: @escaping @Sendable () -> Double = WallClock.seconds, logger: Logger
    ) {
        self.configuration = configuration
        self.store = store
        self.now = now
        self.logger = logger
        (inputs, continuation) = AsyncStream.makeStream()
    }

    /// Works until a graceful shutdown or cancellation.
    /// - Throws: `HistoryError` or `ServiceConnectionError` for lasting errors, in one line.
    package func run() async throws {
        let cursors: [ChainCursor]
        do {
            cursors = try await store.cursors()
        } catch {
            await store.close()
            throw error
        }
        let share: HistoryShare
        do { share = try await makeShare() } catch {
            await store.close()
            throw error
        }
        let connection = ServiceConnection(
            bus: configuration.bus, service: .history, instance: configuration.name, owns: share.text,
            subscriptions: configuration.countsSubscriptions,
            limits: configuration.countsLimits, logger: logger)
        let requests = MQTTConsumer(
            configuration: configuration.requestConnection,
            subscriptions: configuration.requestSubscriptions)
        let performer = EffectPerformer(
            configuration: configuration, store: store, connection: connection, now: now, logger: logger, send: send)
        var failure: (any Error)?
        do {
            try await withThrowingDiscardingTaskGroup { group in
                defer { group.cancelAll() }
                group.addTask { await watch(connection, requests, performer) }
                group.addTask { await connection.logRefusals(in: requests.events) }
                try await work(connection, requests, performer, cursors, share)
            }
            failure = connection.failure
        } catch {
            failure = (error as? MQTTError).map { connection.failure(for: $0) } ?? error
        }
        await connection.close()
        requests.stop()
        await requests.waitUntilStopped()
        await store.close()
        if let failure { throw failure }
    }

    /// The share among the histories that are there; ends where one has the same name.
    private func makeShare() async throws -> HistoryShare {
        guard let name = configuration.name else { return HistoryShare() }
        let others: [InstanceStatus]
        do { others = try await RollCall.run(.history, on: configuration.bus) } catch let error as MQTTError {
            throw ServiceConnectionError.broker(.history, reason: error.message)
        }
        guard !others.contains(where: { $0.instance == "\(name)" }) else {
            throw ServiceConnectionError.nameInUse(.history, name: "\(name)")
        }
        return HistoryShare(name: "\(name)", others: others.map(\.instance), nowSeconds: now())
    }

    /// Follows the connections; after each new one what is retained is read, and everything is published again,
    /// because the broker may have come back with older values or with none.
    private func watch(
        _ connection: ServiceConnection, _ requests: MQTTConsumer, _ performer: EffectPerformer
    ) async {
        await connection.watch(stopSeconds: configuration.shutdownSeconds) { isFirst in
            if let number = connection.producer.connectionNumber { send(.publishingConnected(number)) }
            if !isFirst { await performer.recallEverything() }
        }
        // Of two connections of one service none works without the other.
        if !Task.isCancelled { requests.stop() }
    }

    @Sendable private func send(_ event: HistoryEvent) { continuation.yield(.event(event)) }
}

// MARK: - The loop

extension HistoryService {
    private func work(
        _ connection: ServiceConnection, _ requests: MQTTConsumer, _ performer: EffectPerformer,
        _ cursors: [ChainCursor], _ share: HistoryShare
    ) async throws {
        let discovery = configuration.homeAssistantPrefix.map {
            HomeAssistantDiscovery(prefix: $0, topics: configuration.bus.topics)
        }
        var pipeline = HistoryPipeline(cursors: cursors, share: share, homeAssistant: discovery)
        if let note = store.openingNote {
            logger.warning("\(note)")
            send(.storeSetAside)
        }
        try await withGracefulShutdownHandler {
            try await withThrowingDiscardingTaskGroup { group in
                defer {
                    connection.consumer.stop()
                    requests.stop()
                    group.cancelAll()
                }
                addReaders(to: &group, connection.consumer, requests)
                group.addTask { await performer.recallEverything() }
                group.addTask {
                    for await effect in configures.stream { await noteFailure { try await performer.perform(effect) } }
                }
                group.addTask { await performer.compactOldMinutes() }
                try await loop(&pipeline, &group, performer)
            }
            try await sayLastWords(&pipeline, connection, performer)
        } onGracefulShutdown: {
            connection.consumer.stop()
            requests.stop()
        }
    }

    private func addReaders(
        to group: inout ThrowingDiscardingTaskGroup<any Error>, _ counts: MQTTConsumer, _ requests: MQTTConsumer
    ) {
        // They end together: a service that answers but does not count, or the other way round, would look well and be
        // wrong.
        group.addTask {
            defer { requests.stop() }
            await noteFailure {
                for try await batch in counts.batches { continuation.yield(.batch(batch)) }
                continuation.yield(.readingEnded)
            }
        }
        group.addTask {
            defer { counts.stop() }
            await noteFailure {
                for try await batch in requests.batches {
                    if batch.connection != nil { send(.requestsConnected) }
                    continuation.yield(.requests(events(of: batch)))
                    for await _ in handled.stream { break }
                    batch.acknowledge()
                }
                continuation.yield(.readingEnded)
            }
        }
        group.addTask {
            repeat { send(.tick) } while (try? await Task.sleep(for: .milliseconds(Self.tickMilliseconds))) != nil
        }
    }

    /// An error in a task of its own ends the loop.
    private func noteFailure(_ work: () async throws -> Void) async {
        do { try await work() } catch { continuation.yield(.failed(error)) }
    }

    private func loop(
        _ pipeline: inout HistoryPipeline, _ group: inout ThrowingDiscardingTaskGroup<any Error>,
        _ performer: EffectPerformer
    ) async throws {
        var received: MQTTBatch?
        var readers = 2
        var lostConnections: UInt64 = 0
        for await input in inputs {
            var effects: [HistoryEffect] = []
            switch input {
            case .batch(let batch):
                received = batch
                if let session = batch.connection {
                    effects = pipeline.handle(
                        .countsConnected(sessionPresent: session.sessionPresent), nowSeconds: now())
                }
                effects += pipeline.handle(.received(contents(of: batch)), nowSeconds: now())
            case .event(let event):
                if case .tick = event, store.database.lostConnections != lostConnections {
                    lostConnections = store.database.lostConnections
                    effects = pipeline.handle(.databaseConnectionLost, nowSeconds: now())
                }
                effects += pipeline.handle(event, nowSeconds: now())
            case .requests(let events):
                effects = events.flatMap { pipeline.handle($0, nowSeconds: now()) }
                handled.continuation.yield()
            case .readingEnded: readers -= 1
            case .failed(let error): throw error
            }
            for effect in effects {
                if case .acknowledge = effect {
                    received?.acknowledge()
                } else if case .configure = effect {
                    configures.continuation.yield(effect)
                } else {
                    group.addTask { await noteFailure { try await performer.perform(effect) } }
                }
            }
            if readers == 0, pipeline.isIdle { return }
        }
        // Cancelled: what was not committed stays with the broker.
        try Task.checkCancellation()
    }

    /// Publishes what is due, if the broker takes it in time. The time counts from here, because the reading may take
    /// long to end.
    private func sayLastWords(
        _ pipeline: inout HistoryPipeline, _ connection: ServiceConnection, _ performer: EffectPerformer
    ) async throws {
        guard case .connected = connection.producer.connectionState else { return }
        let effects = pipeline.finish(nowSeconds: now())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for effect in effects { try? await performer.perform(effect) }
                if (try? await store.unsentErasures())?.isEmpty == false { await performer.sendErasures() }
            }
            // Cancelled when all is published.
            group.addTask { try? await Task.sleep(for: .seconds(configuration.shutdownSeconds)) }
            await group.next()
            group.cancelAll()
        }
    }

    private func contents(of batch: MQTTBatch) -> [HistoryInput] {
        let homeAssistant = configuration.homeAssistantStatusTopic
        return batch.map { message in
            if let homeAssistant, message.topic.elementsEqual(homeAssistant.utf8) {
                // It may have been retained since long ago.
                let isStart = !message.isRetained && message.payload.elementsEqual("online".utf8)
                return isStart ? .homeAssistantStarted : .nothing
            }
            return HistoryInput(
                topic: message.topic, payload: message.payload, isRetained: message.isRetained,
                in: configuration.bus.topics)
        }
    }

    /// The requests of a batch, each an event, and the healths of devices in one.
    private func events(of batch: MQTTBatch) -> [HistoryEvent] {
        var events: [HistoryEvent] = []
        var healths: [(device: DeviceID, json: [UInt8])] = []
        for message in batch {
            switch try? configuration.bus.topics.parse(message.topic) {
            case .call?: events.append(.called)
            case .instanceStatus(.history, _)?:
                guard let status = try? InstanceStatus(json: message.payload), !message.isRetained else { continue }
                events.append(.instanceHeard(status))
            case .device(let device, .health)?: healths.append((device, Array(message.payload)))
            case .audit?:
                // What comes later is our own, or that of another history of this bus.
                guard message.isRetained, let report = try? AuditReport(json: message.payload) else { continue }
                events.append(.auditRetained(report))
            default: events.append(.requested(admission(of: message)))
            }
        }
        return healths.isEmpty ? events : [.healthsPublished(healths)] + events
    }

    private func admission(of message: MQTTMessage) -> Admission {
        IncomingRequest(
            topic: message.topic, payload: message.payload, responseTopic: message.responseTopic,
            correlationData: message.correlationData, isRetained: message.isRetained,
            expirySeconds: message.messageExpirySeconds
        ).admission(in: configuration.bus.topics, nowSeconds: now())
    }
}
