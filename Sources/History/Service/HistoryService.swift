package import Logging
import MQTT
package import ServiceKit
import ServiceLifecycle
import Wire

/// History on the bus: keeps what the counters have counted, publishes the retained totals of each device, and answers
/// requests.
///
/// It has three connections. One reads counts and settings over a persistent session and writes nothing but
/// acknowledgements, after the commit. One reads requests over a clean session: over the first they would wait for a
/// slow disk and outlive their asker. One publishes, because a connection that acknowledges after a commit cannot.
/// At a graceful shutdown history stops reading, commits and acknowledges what it has, says `offline` and closes the store;
/// what is due to be published then is so after the next start.
package struct HistoryService: Service {
    /// The time between two ticks, in milliseconds.
    private static let tickMilliseconds = 200

    private let configuration: HistoryConfiguration
    private let store: HistoryStore
    private let now: @Sendable () -> Double
    private let inputGuard: InputGuard?
    private let logger: Logger

    /// A service over a store, which is closed at the end of `run`.
    ///
    /// - Parameters:
    ///   - now: The time, in seconds since 1970.
    ///   - inputGuard: Another guard than that of the data folder.
    package init(
        configuration: HistoryConfiguration, store: HistoryStore,
        now: @escaping @Sendable () -> Double = WallClock.seconds, inputGuard: InputGuard? = nil, logger: Logger
    ) {
        self.inputGuard = inputGuard
        self.configuration = configuration
        self.store = store
        self.now = now
        self.logger = logger
    }

    /// Works until a graceful shutdown or cancellation.
    /// - Throws: `HistoryError` or `ServiceConnectionError` for lasting errors, in one line.
    package func run() async throws {
        var failure: (any Error)?
        do {
            if let note = store.openingNote { logger.warning("\(note)") }
            try await run(from: try await store.cursors())
        } catch { failure = error }
        await store.close()
        if let failure { throw failure }
    }

    private func run(from cursors: [ChainCursor]) async throws {
        let connection = ServiceConnection(
            bus: configuration.bus, service: .history, subscriptions: configuration.countsSubscriptions,
            limits: configuration.countsLimits, logger: logger)
        let requests = MQTTConsumer(
            configuration: configuration.requestConnection,
            subscriptions: configuration.requestSubscriptions)
        let publisher = HistoryPublisher(
            configuration: configuration, store: store, connection: connection, now: now,
            inputGuard: inputGuard
                ?? InputGuard(directory: configuration.dataDirectory, name: "history", logger: logger),
            logger: logger)
        var failure: (any Error)?
        do {
            try await withThrowingDiscardingTaskGroup { group in
                defer { group.cancelAll() }
                group.addTask { await watch(connection, requests, publisher) }
                group.addTask { await connection.logRefusals(in: requests.events) }
                try await withGracefulShutdownHandler {
                    try await work(connection.consumer, requests, publisher, cursors)
                    await publisher.reportHealth()
                } onGracefulShutdown: {
                    connection.consumer.stop()
                    requests.stop()
                }
            }
            failure = connection.failure
        } catch {
            failure = (error as? MQTTError).map { connection.failure(for: $0) } ?? error
        }
        await connection.close()
        requests.stop()
        await requests.waitUntilStopped()
        if let failure { throw failure }
    }

    /// Follows the connections; after each new one everything is published again,
    /// because the broker may have come back with older values or with none.
    private func watch(
        _ connection: ServiceConnection, _ requests: MQTTConsumer, _ publisher: HistoryPublisher
    ) async {
        await connection.watch(stopSeconds: configuration.shutdownSeconds) { isFirst in
            if !isFirst { await publisher.publishEverythingAgain() }
        }
        // Of two connections of one service none works without the other.
        if !Task.isCancelled { requests.stop() }
    }

    /// Keeps counts and answers requests until no more is read. They end together: a service that answers but does not
    /// count, or the other way round, would look well and be wrong.
    private func work(
        _ counts: MQTTConsumer, _ requests: MQTTConsumer, _ publisher: HistoryPublisher, _ cursors: [ChainCursor]
    ) async throws {
        let inputs = BatchInputs()
        let link = HistoryLink(configuration, publisher, inputs)
        try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            group.addTask { await inputs.tick(everyMilliseconds: Self.tickMilliseconds) }
            group.addTask { await publisher.run() }
            try await withThrowingDiscardingTaskGroup { readers in
                readers.addTask {
                    defer { requests.stop() }
                    await inputs.read(counts)
                }
                readers.addTask {
                    defer { counts.stop() }
                    let main = HistoryMain(
                        bus: link,
                        store: PatientStore(store: store, publisher: publisher, clock: now, logger: logger),
                        cursors: cursors, retention: configuration.retention, inputGuard: publisher.inputGuard,
                        clock: now)
                    try await main.run()
                }
                readers.addTask {
                    defer { counts.stop() }
                    try await answer(requests, publisher)
                }
            }
        }
        // Cancelled: what was not committed stays with the broker.
        try Task.checkCancellation()
    }

    /// Answers requests beside each other; the next ones are read when those that came before are taken, so that they
    /// wait with the broker and not in memory.
    private func answer(_ requests: MQTTConsumer, _ publisher: HistoryPublisher) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for try await batch in requests.batches {
                if batch.connection != nil { await publisher.noteReading(requests: true) }
                let messages = batch.map {
                    ReaderMessage.read($0, in: configuration.bus.topics, nowSeconds: now(), publisher.inputGuard)
                }
                for request in await publisher.take(messages) {
                    group.addTask { await publisher.answer(request) }
                }
                batch.acknowledge()
            }
        }
    }
}

/// History on a database server: one of several is at work, and the others stand by.
///
/// The history that holds the lock of the database is at work. The lock ends with its connection, so that another one takes its place
/// within a second or, where the machine is gone without a word, within half a minute.
struct StandbyHistory: Service {
    /// The time between two tries to take the lock, in seconds.
    private static let retrySeconds = 1.0
    /// Whoever was at work for so long begins anew, in seconds.
    private static let steadySeconds = 60.0
    /// So often in a row another history may take its messages. More mean one that does not know of the lock.
    private static let maximumTakeovers = 3

    let configuration: HistoryConfiguration
    let server: PostgresAddress
    let now: @Sendable () -> Double
    let inputGuard: InputGuard?
    let logger: Logger

    func run() async throws {
        // A server that never answered may be a wrong address, and is told at once. One that did comes back.
        var (wasReached, takeovers) = (false, 0)
        while let store = try await open(&wasReached) {
            let began = now()
            logger.info("history is kept on a server", metadata: ["server": "\(store.database.name)"])
            do {
                return try await HistoryService(
                    configuration: configuration, store: store, now: now, inputGuard: inputGuard, logger: logger
                ).run()
            } catch HistoryError.store(.alreadyInUse) {
                // The connection with the lock was lost, and another history was quicker.
                continue
            } catch let error as ServiceConnectionError where error.isTakenOver {
                // So it is where nothing was to be written since: the broker tells it first.
                takeovers = now() - began >= Self.steadySeconds ? 1 : takeovers + 1
                guard takeovers < Self.maximumTakeovers else { throw error }
            }
        }
    }

    /// The store, once no other history has it and the server answers; `nil` at a shutdown.
    private func open(_ wasReached: inout Bool) async throws -> HistoryStore? {
        var told: HistoryError?
        while true {
            do {
                let store = try await HistoryStore.postgres(
                    server, defaultZone: configuration.defaultZone, maximumDevices: configuration.maximumDevices)
                wasReached = true
                return store
            } catch let error as HistoryError {
                if case .store(.alreadyInUse) = error {
                    wasReached = true
                } else if !(wasReached && error.isTransient) {
                    throw error
                }
                if told?.isTransient != error.isTransient {
                    if error.isTransient {
                        logger.warning("the database is away", metadata: ["error": "\(error)"])
                    } else {
                        logger.notice("another history is at work: standing by")
                    }
                }
                told = error
            }
            // Whoever stands by is well.
            ServiceProgress.noteReading(.history)
            ServiceProgress.note(.history)
            do {
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(Self.retrySeconds)) }
            } catch { return nil }
        }
    }
}
