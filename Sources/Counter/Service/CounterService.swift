package import Logging
import MQTT
import ServiceKit
import ServiceLifecycle
import Wire

/// The counter: reads motion from the bus, keeps what it counts in a store, and publishes cadence, steps and rows.
///
/// At a graceful shutdown it reads no further, stores everything, publishes what is pending within a deadline, and
/// disconnects. Cancelled, it leaves everything as a crash would: the next start counts what the log has.
package struct CounterService: Service {
    /// The time between batches while frames keep coming, in milliseconds. A sync of the log costs the same for one
    /// frame and for a hundred.
    static let spacingMilliseconds = 100

    private let configuration: CounterConfiguration
    private let logger: Logger

    package init(configuration: CounterConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Counts until it is shut down.
    ///
    /// - Throws: ``CounterError`` or `ServiceConnectionError` when it cannot start or go on, with a line that says what
    ///   to do.
    package func run() async throws {
        let store = try CounterStore(directory: configuration.directory, synchronous: configuration.synchronous)
        if let note = store.openingNote { logger.error("\(note)") }
        var partitions: (owned: PartitionRange, leaving: [LeavingPartition]) = (configuration.partitions, [])
        if configuration.instance != nil {
            do {
                partitions = try await store.partitions(first: configuration.partitions)
                try await claim(partitions.owned)
            } catch {
                try store.close()
                throw error
            }
        }
        let connection = ServiceConnection(
            bus: configuration.bus, service: .counter, instance: configuration.instance,
            owns: partitions.owned.isEmpty ? nil : "\(partitions.owned)",
            subscriptions: configuration.subscriptions,
            limits: MQTTBatchLimits(spacingMilliseconds: Self.spacingMilliseconds), logger: logger)
        var failure: (any Error)?
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { await connection.watch(stopSeconds: Double(configuration.limits.stopSeconds)) }
                try await run(store, connection, partitions)
            }
            failure = connection.failure
        } catch {
            failure = (error as? MQTTError).map { connection.failure(for: $0) } ?? error
        }
        await connection.close()
        try store.close()
        if let failure { throw failure }
        logger.info("stopped")
    }

    /// Ends where another counter that is there counts any of the partitions, or has the same name.
    private func claim(_ owned: PartitionRange) async throws {
        let counters: [InstanceStatus]
        do { counters = try await RollCall.run(.counter, on: configuration.bus) } catch let error as MQTTError {
            throw ServiceConnectionError.broker(.counter, reason: error.message)
        }
        for counter in counters {
            let theirs = counter.owns.flatMap { try? PartitionRange($0) }?.partitions ?? []
            let both = PartitionRange(theirs.filter(owned.contains))
            if !both.isEmpty { throw CounterError.alreadyOwned(partitions: "\(both)", by: counter.instance) }
            guard counter.instance != configuration.instance?.description else {
                throw ServiceConnectionError.nameInUse(.counter, name: counter.instance)
            }
        }
    }

    private func run(
        _ store: CounterStore, _ connection: ServiceConnection,
        _ partitions: (owned: PartitionRange, leaving: [LeavingPartition])
    ) async throws {
        let events = WorkerInputs()
        let producer = connection.producer
        let outbox = try await Outbox(
            store: store, topics: configuration.bus.topics, partitions: configuration.partitions, logger: logger,
            publish: { try await producer.publish($0) })
        let writer = StoreWriter(
            store: store, events: events, stopSeconds: Double(configuration.limits.stopSeconds), logger: logger)
        let sharing = configuration.instance.map { name in
            PartitionWork(
                name: name, sessions: PartitionSessions(configuration, connection, events),
                handover: PartitionHandover(
                    store: store, topics: configuration.bus.topics, name: name, logger: logger,
                    publish: { try await producer.publish($0) }),
                connection: connection, owned: partitions.owned, leaving: partitions.leaving)
        }
        let worker = try await CounterWorker(
            configuration, store: store, outbox: outbox, connection: connection, events: events, writer: writer,
            partitions: sharing, logger: logger)
        var failure: (any Error)?
        do {
            try await withGracefulShutdownHandler {
                try await work(worker, events, connection, outbox)
            } onGracefulShutdown: {
                sharing?.sessions.stop()
                connection.consumer.stop()
            }
        } catch { failure = error }
        await sharing?.sessions.end()
        if let failure { throw failure }
    }

    private func work(
        _ worker: CounterWorker, _ events: WorkerInputs, _ connection: ServiceConnection, _ outbox: Outbox
    ) async throws {
        let limits = configuration.limits
        logger.info(
            "counting",
            metadata: [
                "broker": "\(configuration.bus.endpoint)",
                "partitions": "\(worker.partitions?.owned ?? configuration.partitions)",
            ])
        try await withThrowingTaskGroup(of: Void.self) { group in
            let sessions = worker.partitions?.sessions
            group.addTask {
                await events.read(connection.consumer) {
                    sessions?.noteInForce(nil)
                    if sessions == nil || connection.isReading {
                        connection.announceReading()
                    }
                }
            }
            group.addTask { await events.tick(everyMilliseconds: limits.tickMilliseconds) }
            group.addTask { await worker.writer.run() }
            group.addTask { await outbox.run(everyMilliseconds: limits.drainMilliseconds) }
            if let handover = worker.partitions?.handover { group.addTask { await handover.run() } }
            defer { group.cancelAll() }
            var worker = worker
            try await worker.run()
        }
        try Task.checkCancellation()
        await drain(outbox)
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
}
