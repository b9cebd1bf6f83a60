import ServiceKit
public import Logging
import MQTT
public import ServiceLifecycle
import Wire

/// History on the bus: keeps what the counter has counted, publishes the retained totals of each device, and answers
/// requests.
///
/// Four connections, so that none holds up another: counts and settings come over a persistent session, requests over a
/// clean one, answers go over a third, and everything else that history says over a fourth. At a graceful shutdown it
/// stops reading, commits and acknowledges what it has, publishes what is due, says `offline` and closes the store.
public final class HistoryService<Store: HistoryStore>: Service {
    private let configuration: HistoryConfiguration
    private let store: Store
    private let defaultZone: DayCalendar
    private let now: @Sendable () -> Double
    private let logger: Logger
    private let telemetry: HistoryTelemetry
    private let board = SharedBoard()
    private let signal = NoticeSignal()
    private let forgettingDesk = ForgettingDesk()
    private let presence = Presence()

    /// A service over a store.
    /// - Parameters:
    ///   - configuration: Read once.
    ///   - store: Closed at the end of `run`.
    ///   - now: The time, in seconds since 1970.
    ///   - logger: Where an operator reads what is wrong.
    /// - Throws: `HistoryError.configuration` for a default zone that nobody knows.
    public convenience init(
        configuration: HistoryConfiguration, store: Store, now: @escaping @Sendable () -> Double = WallClock.nowSeconds,
        logger: Logger
    ) throws(HistoryError) {
        try self.init(
            configuration: configuration, store: store, telemetry: HistoryTelemetry(), now: now, logger: logger)
    }

    init(
        configuration: HistoryConfiguration, store: Store, telemetry: HistoryTelemetry,
        now: @escaping @Sendable () -> Double, logger: Logger
    ) throws(HistoryError) {
        self.configuration = configuration
        self.store = store
        self.telemetry = telemetry
        self.now = now
        self.logger = logger
        defaultZone = try configuration.defaultCalendar()
    }

    /// Works until a graceful shutdown or cancellation.
    /// - Throws: `HistoryError` for what patience does not mend: a damaged store, a broker that refuses us for good.
    public func run() async throws {
        let claim: StoreClaim
        do {
            claim = StoreClaim(store: try await store.identity())
            guard try await isAlone(claim) else { return await store.close() }
        } catch {
            await store.close()
            throw error
        }
        try await run(claim)
    }

    /// Makes sure that no history with another store answers; false when told to stop before that is known.
    private func isAlone(_ claim: StoreClaim) async throws -> Bool {
        let probe = rivalProbe(claim)
        do {
            if try await cancelWhenGracefulShutdown({ try await probe.findsRival() }) { throw HistoryError.rival }
            return true
        } catch is CancellationError {
            try Task.checkCancellation()
            return false
        }
    }

    private func rivalProbe(_ claim: StoreClaim) -> RivalProbe {
        RivalProbe(
            bus: configuration.bus, service: .history, own: claim,
            healthSeconds: HistoryHeartbeat<Store>.healthSeconds)
    }

    private func run(_ claim: StoreClaim) async throws {
        let producer = MQTTProducer(configuration: configuration.producerConnection)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await self.giveUpWithoutBroker(producer) }
                try await work(producer, claim)
                group.cancelAll()
            }
        } catch {
            // Of two on one bus the other one is online.
            if error as? HistoryError != .rival, case .connected = producer.connectionState {
                producer.offer(configuration.status(isOnline: false))
            }
            await end(producer)
            throw (error as? MQTTError).map { HistoryError.bus(problem: $0.message) } ?? error
        }
        await end(producer)
    }

    /// A broker that is away at the shutdown must not hold it up: an answer would wait for its PUBACK until it is back.
    private func giveUpAnswers(_ answering: MQTTProducer) async {
        guard await shutdownTakesLong() else { return }
        await answering.stop()
    }

    /// The last words are given up only where the broker is away. One that is there hears them however late they come,
    /// because it publishes no will after an orderly end, and `online` would stay retained.
    private func giveUpWithoutBroker(_ producer: MQTTProducer) async {
        guard await shutdownTakesLong() else { return }
        for await state in producer.events {
            if case .connected = state { continue }
            await producer.stop()
            return
        }
    }

    /// Returns true when a shutdown has taken as long as it waits for the broker, false when history ends before that.
    private func shutdownTakesLong() async -> Bool {
        do {
            try await gracefulShutdown()
            try await Task.sleep(for: .seconds(configuration.shutdownSeconds))
            return true
        } catch {
            return false
        }
    }

    private func work(_ producer: MQTTProducer, _ claim: StoreClaim) async throws {
        let pipeline = SharedPipeline(HistoryPipeline(cursors: try await store.cursors()))
        let publisher = publisher(producer)
        let notices = notices(producer)
        try await publisher.markEverything()
        try await notices.prolongLeases(nowSeconds: now())
        let heartbeat = heartbeat(claim, producer, pipeline, publisher, notices)
        try await read(producer, pipeline, heartbeat, claim)
        await heartbeat.sayGoodbye(nowSeconds: now())
    }

    private func end(_ producer: MQTTProducer) async {
        let unsaid = await producer.stop()
        if unsaid > 0 { logger.warning("the broker did not take the last \(unsaid) messages") }
        await store.close()
    }

    private func read(
        _ producer: MQTTProducer, _ pipeline: SharedPipeline, _ heartbeat: HistoryHeartbeat<Store>,
        _ claim: StoreClaim
    ) async throws {
        let counts = MQTTConsumer(
            configuration: configuration.countsConnection, subscriptions: configuration.countsSubscriptions,
            limits: configuration.countsLimits)
        let requests = MQTTConsumer(
            configuration: configuration.requestConnection,
            subscriptions: [MQTTSubscription(configuration.bus.topics.requestFilter)])
        let intake = intake(pipeline)
        let answering = MQTTProducer(configuration: configuration.answerConnection)
        let desk = desk(answering)
        let compactor = compactor
        let probe = rivalProbe(claim)
        async let hasRival = probe.hearsRival {
            counts.stop()
            requests.stop()
        }
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await heartbeat.run() }
                group.addTask { await heartbeat.watchConnection() }
                group.addTask { await compactor.run() }
                group.addTask { await self.giveUpAnswers(answering) }
                let reading = ReadingTasks(counts: counts, requests: requests)
                try await reading.run(intake: intake, desk: desk)
                group.cancelAll()
            }
        } onGracefulShutdown: {
            requests.stop()
            counts.stop()
        }
        await counts.waitUntilStopped()
        await requests.waitUntilStopped()
        await answering.stop()
        probe.stop()
        if await hasRival { throw HistoryError.rival }
    }

    private var compactor: Compactor<Store> {
        Compactor(store: store, retention: configuration.retention, telemetry: telemetry, now: now, logger: logger)
    }

    private func intake(_ pipeline: SharedPipeline) -> CountsIntake<Store> {
        CountsIntake(
            store: store, topics: configuration.bus.topics, pipeline: pipeline, board: board, signal: signal,
            telemetry: telemetry, presence: presence, now: now, logger: logger)
    }

    private func desk(_ producer: MQTTProducer) -> RequestDesk<Store> {
        RequestDesk(
            answers: HistoryAnswers(
                store: store, defaultZone: defaultZone, policy: configuration.policy, board: board, desk: forgettingDesk
            ), topics: configuration.bus.topics, producer: producer, telemetry: telemetry, presence: presence, now: now,
            logger: logger)
    }

    private func publisher(_ producer: MQTTProducer) -> RetainedPublisher<Store> {
        RetainedPublisher(
            store: store, days: DeviceDays(store: store, defaultZone: defaultZone), topics: configuration.bus.topics,
            producer: producer, telemetry: telemetry, board: board, logger: logger)
    }

    private func notices(_ producer: MQTTProducer) -> NoticePublisher<Store> {
        NoticePublisher(
            store: store, days: DeviceDays(store: store, defaultZone: defaultZone), producer: producer,
            telemetry: telemetry, signal: signal, logger: logger)
    }

    private func forgetting(_ producer: MQTTProducer) -> ForgettingPublisher<Store> {
        ForgettingPublisher(
            store: store, topics: configuration.bus.topics, producer: producer, desk: forgettingDesk, board: board,
            telemetry: telemetry, logger: logger)
    }

    private func heartbeat(
        _ claim: StoreClaim, _ producer: MQTTProducer, _ pipeline: SharedPipeline,
        _ publisher: RetainedPublisher<Store>,
        _ notices: NoticePublisher<Store>
    ) -> HistoryHeartbeat<Store> {
        HistoryHeartbeat(
            configuration: configuration, claim: claim, producer: producer, pipeline: pipeline, publisher: publisher,
            notices: notices, forgetting: forgetting(producer), telemetry: telemetry, presence: presence, now: now,
            logger: logger)
    }
}
