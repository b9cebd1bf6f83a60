package import Logging
import MQTT
import ServiceKit
import ServiceLifecycle
import Wire

/// History on the bus: keeps what the counters have counted, publishes the retained totals of each device, and answers
/// requests. `HistoryPipeline` decides; this type does what it says, each thing in a task of its own whose end is the
/// next event.
///
/// It has three connections. One reads counts and settings over a persistent session and writes nothing but
/// acknowledgements, after the commit. One reads requests over a clean session: over the first they would wait for a
/// slow disk and outlive their asker. One publishes, because a connection that acknowledges after a commit cannot.
/// At a graceful shutdown history stops reading, commits and acknowledges what it has, publishes what is due, says
/// `offline` and closes the store.
package struct HistoryService: Service {
    /// What the loop is given, in the order in which it happens.
    private enum Input: Sendable {
        case batch(MQTTBatch)
        case event(HistoryEvent)
        /// One of the two consumers has ended in order.
        case readingEnded
        /// Something failed that patience does not mend.
        case failed(any Error)
    }

    /// The time between two ticks, in milliseconds.
    static let tickMilliseconds = 200
    /// The time between two rounds that make hours of old minutes, in seconds.
    private static let compactionSeconds = 3600

    private let configuration: HistoryConfiguration
    private let store: HistoryStore
    private let answers: HistoryAnswers
    private let now: @Sendable () -> Double
    private let logger: Logger
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
        answers = HistoryAnswers(store: store, policy: configuration.policy)
        (inputs, continuation) = AsyncStream.makeStream()
    }

    /// Works until a graceful shutdown or cancellation.
    /// - Throws: `HistoryError` or `ServiceConnectionError` for what patience does not mend, in one line.
    package func run() async throws {
        let cursors: [ChainCursor]
        do {
            cursors = try await store.cursors()
        } catch {
            await store.close()
            throw error
        }
        let connection = ServiceConnection(
            bus: configuration.bus, service: .history, subscriptions: configuration.countsSubscriptions,
            limits: configuration.countsLimits, logger: logger)
        let requests = MQTTConsumer(
            configuration: configuration.requestConnection,
            subscriptions: [MQTTSubscription(configuration.bus.topics.requestFilter)])
        var failure: (any Error)?
        do {
            try await withThrowingDiscardingTaskGroup { group in
                defer { group.cancelAll() }
                group.addTask { await watch(connection, requests) }
                try await work(connection, requests, cursors)
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

    /// Follows the connections; after each new one everything retained is published again, because the broker may have
    /// come back with older values or with none.
    private func watch(_ connection: ServiceConnection, _ requests: MQTTConsumer) async {
        await connection.watch(stopSeconds: configuration.shutdownSeconds) { isFirst in
            if !isFirst { await recallEverything() }
        }
        // Of two connections of one service none works without the other.
        if !Task.isCancelled { requests.stop() }
    }

    private func recallEverything() async {
        send(.retainedMayBeOld)
        var last: DeviceID?
        do throws(HistoryError) {
            repeat {
                let page = try await store.devices(after: last, limit: Self.devicesAPage)
                send(.recalled(page.map(\.device)))
                last = page.count == Self.devicesAPage ? page.last?.device : nil
            } while last != nil
        } catch {
            logger.warning("retained totals may be old until they change", metadata: ["error": "\(error)"])
        }
    }

    private static let devicesAPage = 500

    private func send(_ event: HistoryEvent) { continuation.yield(.event(event)) }
}

// MARK: - The loop

extension HistoryService {
    private func work(
        _ connection: ServiceConnection, _ requests: MQTTConsumer, _ cursors: [ChainCursor]
    ) async throws {
        let discovery = configuration.homeAssistantPrefix.map {
            HomeAssistantDiscovery(prefix: $0, topics: configuration.bus.topics)
        }
        var pipeline = HistoryPipeline(cursors: cursors, homeAssistant: discovery)
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
                try await loop(&pipeline, &group, connection)
            }
            try await sayLastWords(&pipeline, connection)
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
                    for message in batch { send(.requested(admission(of: message))) }
                    batch.acknowledge()
                }
                continuation.yield(.readingEnded)
            }
        }
        group.addTask {
            repeat { send(.tick) } while (try? await Task.sleep(for: .milliseconds(Self.tickMilliseconds))) != nil
        }
        group.addTask { await recallEverything() }
        group.addTask { await compactOldMinutes() }
    }

    /// The loop ends with what fails in a task of its own.
    private func noteFailure(_ work: () async throws -> Void) async {
        do { try await work() } catch { continuation.yield(.failed(error)) }
    }

    private func loop(
        _ pipeline: inout HistoryPipeline, _ group: inout ThrowingDiscardingTaskGroup<any Error>,
        _ connection: ServiceConnection
    ) async throws {
        var received: MQTTBatch?
        var readers = 2
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
            case .event(let event): effects = pipeline.handle(event, nowSeconds: now())
            case .readingEnded: readers -= 1
            case .failed(let error): throw error
            }
            for effect in effects {
                if case .acknowledge = effect {
                    received?.acknowledge()
                } else {
                    group.addTask { await noteFailure { try await perform(effect, connection) } }
                }
            }
            if readers == 0, pipeline.isIdle { return }
        }
        // Cancelled: what was not committed stays with the broker.
        try Task.checkCancellation()
    }

    /// Publishes what is due, if the broker takes it in time. The time counts from here, because the reading may take
    /// long to end.
    private func sayLastWords(_ pipeline: inout HistoryPipeline, _ connection: ServiceConnection) async throws {
        guard case .connected = connection.producer.connectionState else { return }
        let effects = pipeline.finish(nowSeconds: now())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for effect in effects { try? await perform(effect, connection) }
                if (try? await store.untoldErasures())?.isEmpty == false { await tellErasures(connection.producer) }
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

    private func admission(of message: MQTTMessage) -> Admission {
        IncomingRequest(
            topic: message.topic, payload: message.payload, responseTopic: message.responseTopic,
            correlationData: message.correlationData, isRetained: message.isRetained,
            expirySeconds: message.messageExpirySeconds
        ).admission(in: configuration.bus.topics, nowSeconds: now())
    }

    /// Makes hours of old minutes, in a round an hour, until it is cancelled.
    private func compactOldMinutes() async {
        repeat {
            do throws(HistoryError) {
                let pruning = HistoryPruning(configuration, nowSeconds: now())
                let report = try await pruning.run(on: store, isDryRun: false, pauseMilliseconds: 10) { _, minutes in
                    send(.compacted(minutes: minutes, months: 0))
                }
                send(.compacted(minutes: 0, months: report.months))
            } catch {
                logger.warning("old minutes are made hours later", metadata: ["error": "\(error)"])
            }
        } while (try? await Task.sleep(for: .seconds(Self.compactionSeconds))) != nil
    }
}

// MARK: - Effects

extension HistoryService {
    private func perform(_ effect: HistoryEffect, _ connection: ServiceConnection) async throws {
        let producer = connection.producer
        switch effect {
        case .acknowledge: break
        case .commit(let changes): try await commit(changes)
        case .announce: connection.announceReading()
        case .report(let health): connection.offer(health)
        case .resend(let request):
            let message = MQTTPublication(topic: configuration.bus.topics.bytes(.resend), payload: request.encoded())
            do { try await producer.publish(message) } catch { send(.resendFailed) }
        case .answer(let request):
            guard case .success(let question) = request.request else { return }
            let answer = await answers.answer(question, from: request.requester, nowSeconds: now())
            send(.answered(request, answer))
        case .reply(let reply, let requester):
            do {
                try await producer.publish(publication(reply, to: requester))
                send(.replied(isPublished: true))
            } catch {
                logger.debug("an answer could not be published", metadata: ["error": "\(error)"])
                send(.replied(isPublished: false))
            }
        case .configure(let device, let config, let reply, let requester):
            let topic = configuration.bus.topics.bytes(.device(device, .config))
            do {
                try await producer.publish(MQTTPublication(topic: topic, payload: config, retain: true))
                try await producer.publish(publication(reply, to: requester))
                send(.replied(isPublished: true))
            } catch {
                logger.debug("a config could not be published", metadata: ["error": "\(error)"])
                send(.replied(isPublished: false))
            }
        case .offer(let reply, let requester): producer.offer(publication(reply, to: requester))
        case .count(let leases): await count(leases)
        case .notify(let notices):
            for notice in notices {
                producer.offer(
                    MQTTPublication(
                        topic: notice.topic, payload: notice.payload,
                        properties: notice.correlationData.map { MQTTProperties(correlationData: $0) }))
            }
        case .publishTotals(let devices): await publishTotals(of: devices, producer)
        case .retain(let messages):
            let publications = messages.map { MQTTPublication(topic: $0.topic, payload: $0.payload, retain: true) }
            do { try await producer.publish(publications) } catch { send(.retainedMayBeOld) }
        case .recallEverything: await recallEverything()
        case .tellErasures: await tellErasures(producer)
        }
    }

    /// Tries until it is done: the batch stays with the broker meanwhile and nothing more is read, so a full disk costs
    /// no memory. Only what patience does not mend is thrown, and at a shutdown the batch is left to the broker.
    private func commit(_ changes: HistoryChanges) async throws {
        let backoff = MQTTBackoff(minimumSeconds: 0.1, maximumSeconds: 5)
        let outcome = try await withRetry(backoff: backoff) { error in
            send(.commitFailed)
            guard (error as? HistoryError)?.isTransient == true else { return true }
            logger.error("a commit failed and is tried again", metadata: ["error": "\(error)"])
            return false
        } _: {
            try await store.commit(changes, nowSeconds: Int64(clampingSeconds: now()))
        }
        send(.committed(outcome))
    }

    private func publication(_ reply: HistoryReply, to requester: Requester) -> MQTTPublication {
        MQTTPublication(
            topic: requester.address.topic, payload: reply.encodedJSON(),
            properties: requester.correlationData.map { MQTTProperties(correlationData: $0) })
    }

    private func count(_ leases: [LiveLease]) async {
        let start = ContinuousClock.now
        var all: [LeaseProgress] = []
        for lease in leases {
            guard let (counted, today) = try? await answers.progress(of: lease, nowSeconds: now()) else { continue }
            all.append(LeaseProgress(lease: lease, counted: counted, today: today))
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        send(.leasesCounted(all, seconds: seconds))
    }

    private func publishTotals(of devices: [DeviceID], _ producer: MQTTProducer) async {
        do {
            let totals = try await store.totalsMessages(
                of: devices, nowMinute: Int64(clampingSeconds: now()) / 60, topics: configuration.bus.topics)
            try await producer.publish(
                totals.values.flatMap(\.messages).map {
                    MQTTPublication(topic: $0.topic, payload: $0.payload, retain: true)
                })
            send(.totalsPublished(totals.mapValues(\.dayEndMinute)))
            send(.described(totals.mapValues(\.kind)))
        } catch {
            logger.debug("totals are published later", metadata: ["error": "\(error)"])
            send(.totalsFailed(devices))
        }
    }

    /// Finishes what was begun, perhaps by a process before this one, and tells the counters. A counter obeys in one
    /// transaction and sends its rows, which are empty then.
    private func tellErasures(_ producer: MQTTProducer) async {
        var told = 0
        do {
            while case let erasures = try await store.untoldErasures(), !erasures.isEmpty {
                for erasure in erasures {
                    _ = try await store.carryOut(erasure, isResumed: true)
                    let topic = configuration.bus.topics.bytes(.forget(Partition(of: erasure.device)))
                    try await producer.publish(MQTTPublication(topic: topic, payload: erasure.command.encoded()))
                    try await store.noteTold(erasure)
                    send(.recalled([erasure.device]))
                    told += 1
                }
            }
            send(.erasuresTold(told, areLeft: false))
        } catch {
            logger.debug("the counters are told later what to erase", metadata: ["error": "\(error)"])
            send(.erasuresTold(told, areLeft: true))
        }
    }
}
