import ServiceKit
package import Logging
import MQTT
import ServiceLifecycle
import Wire

/// The counter: reads motion from the bus, keeps what it counts in a store, and publishes cadence, steps and rows.
///
/// Told to stop, it reads no further, commits, acknowledges, publishes what is pending within a deadline, and
/// disconnects. Cancelled, it leaves everything as a crash would: what was not committed is read again.
package struct CounterService: Service {
    private let configuration: CounterConfiguration
    private let logger: Logger

    /// A counter that is to be run.
    package init(configuration: CounterConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Counts until told to stop.
    ///
    /// - Throws: ``CounterError`` when it cannot start or go on, with a line that says what to do.
    package func run() async throws {
        let store = try CounterStore(directory: configuration.directory, synchronous: configuration.synchronous)
        if let note = store.openingNote { logger.error("\(note)") }
        guard try await isAlone(store) else { return try store.close() }
        let connections = CounterConnections(configuration)
        do {
            try await run(store, connections)
        } catch {
            await connections.close()
            throw error
        }
        await connections.close()
        try store.close()
        logger.info("stopped")
    }

    /// Makes sure that nobody else counts the same; false when told to stop before that is known.
    private func isAlone(_ store: CounterStore) async throws -> Bool {
        let probe = configuration.rivalProbe(epoch: store.epoch)
        do {
            if try await cancelWhenGracefulShutdown({ try await probe.findsRival() }) { throw CounterError.rival }
            return true
        } catch is CancellationError {
            try Task.checkCancellation()
            return false
        }
    }

    private func run(_ store: CounterStore, _ connections: CounterConnections) async throws {
        let producer = connections.producer
        let events = CounterEvents()
        let outbox = try await Outbox(
            store: store, topics: configuration.bus.topics, partitions: configuration.partitions, logger: logger,
            publish: { try await producer.publish($0) })
        let writer = StoreWriter(
            store: store, events: events, stopSeconds: Double(configuration.limits.stopSeconds), logger: logger)
        let worker = try await CounterWorker(
            configuration, store: store, outbox: outbox, producer: producer, events: events, writer: writer,
            logger: logger)
        let consumer = connections.consumer
        try await withGracefulShutdownHandler {
            try await workUnlessRival(worker, events, connections, outbox)
        } onGracefulShutdown: {
            consumer.stop()
        }
    }

    private func work(
        _ worker: CounterWorker, _ events: CounterEvents, _ connections: CounterConnections, _ outbox: Outbox
    ) async throws {
        let limits = configuration.limits
        logger.info(
            "counting",
            metadata: ["broker": "\(configuration.bus.endpoint)", "partitions": "\(configuration.partitions)"])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await connections.announce() }
            group.addTask { await log(connections.consumer) }
            group.addTask { await events.read(connections.consumer, subscribed: connections.announceReading) }
            group.addTask { await events.tick(everyMilliseconds: limits.tickMilliseconds) }
            group.addTask { await worker.writer.run() }
            group.addTask { await outbox.run(everyMilliseconds: limits.drainMilliseconds) }
            defer { group.cancelAll() }
            var worker = worker
            try await worker.run()
        }
        try Task.checkCancellation()
        await drain(outbox)
    }

    /// Counts until told to stop, or until another counter speaks that goes first: then it stops in order, because what
    /// it has counted is nobody else's.
    private func workUnlessRival(
        _ worker: CounterWorker, _ events: CounterEvents, _ connections: CounterConnections, _ outbox: Outbox
    ) async throws {
        let probe = configuration.rivalProbe(epoch: worker.store.epoch)
        async let hasRival = probe.hearsRival { connections.consumer.stop() }
        try await work(worker, events, connections, outbox)
        probe.stop()
        if await hasRival { throw CounterError.rival }
    }

    /// Publishes what is pending, for a while: what remains is published after the next start.
    private func drain(_ outbox: Outbox) async {
        let deadline = Duration.seconds(configuration.limits.stopSeconds)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do { try await outbox.drain() } catch {
                    logger.notice("rows are published after the next start", metadata: ["reason": "\(error)"])
                }
            }
            group.addTask { try? await Task.sleep(for: deadline) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Each change of the connection is a line of the log.
    private func log(_ consumer: MQTTConsumer) async {
        for await state in consumer.events {
            switch state {
            case .connected: logger.info("connected to the broker")
            case .disconnected(let error): logger.warning("no connection, trying again: \(error)")
            case .failed(let error): logger.error("\(error)")
            case .connecting, .stopped: break
            }
        }
    }
}
