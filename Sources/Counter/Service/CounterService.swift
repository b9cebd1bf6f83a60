package import Logging
import MQTT
package import ServiceKit
import ServiceLifecycle
import Wire

/// The counter: reads motion from the bus, keeps what it counts in a store, and publishes cadence, steps and rows.
///
/// At a graceful shutdown it reads no further, stores everything, publishes what is pending within a deadline, and
/// disconnects. Cancelled, it leaves everything as a crash would: the next start counts what the log has.
package struct CounterService: Service {
    private static let pruneSeconds = 3_600

    private let configuration: CounterConfiguration
    private let inputGuard: InputGuard?
    private let logger: Logger

    /// A service that has not started.
    ///
    /// - Parameter inputGuard: Another guard than that of the data folder.
    package init(configuration: CounterConfiguration, inputGuard: InputGuard? = nil, logger: Logger) {
        (self.configuration, self.inputGuard, self.logger) = (configuration, inputGuard, logger)
    }

    /// Counts until it is shut down.
    ///
    /// - Throws: ``CounterError`` or `ServiceConnectionError` when it cannot start or go on, with a line that says what
    ///   to do.
    package func run() async throws {
        let store = try CounterStore(directory: configuration.directory)
        if let note = store.openingNote { logger.error("\(note)") }
        do { try store.claim(configuration.partitions) } catch {
            try store.close()
            throw error
        }
        let connection = ServiceConnection(
            bus: configuration.bus, service: .counter, share: configuration.partitions.share,
            instance: configuration.partitions.name, subscriptions: configuration.subscriptions,
            logger: logger)
        var failure: (any Error)?
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { await connection.watch(stopSeconds: Double(configuration.limits.stopSeconds)) }
                try await run(store, connection)
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

    private func run(_ store: CounterStore, _ connection: ServiceConnection) async throws {
        let partitions = configuration.partitions
        logger.info(
            "counting", metadata: ["broker": "\(configuration.bus.endpoint)", "partitions": "\(partitions)"])
        let (limits, topics, producer) = (configuration.limits, configuration.bus.topics, connection.producer)
        let inputs = BatchInputs()
        let counters = CounterCounters(connection: connection, everySeconds: limits.healthSeconds)
        let outbox = try await Outbox(
            store: store, topics: topics, partitions: partitions, counters: counters, logger: logger,
            publish: { try await producer.publish($0) })
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                let inputGuard =
                    inputGuard ?? InputGuard(directory: configuration.directory, name: "counter", logger: logger)
                let disk = DiskRetries(counters, stopSeconds: limits.stopSeconds, logger: logger)
                let writer = StoreWriter(
                    store, inputs: inputs, disk: disk, counters: counters, limits: limits, inputGuard: inputGuard)
                // Twice as often as it is looked, so that no look waits for the next wake.
                group.addTask { await inputs.tick(everyMilliseconds: limits.tickMilliseconds / 2) }
                group.addTask { await writer.run() }
                group.addTask { await outbox.run(everyMilliseconds: limits.drainMilliseconds) }
                group.addTask { await prune(store, counters) }
                let link = CounterLink(
                    topics: topics, partitions: partitions, inputs: inputs, connection: connection, outbox: outbox,
                    inputGuard: inputGuard, counters: counters, logger: logger)
                let marks = try await store.marks()
                let log = LogWriter(
                    CounterLog(LogDirectory(configuration.directory), epoch: store.epoch, marks: marks), disk: disk,
                    counters: counters, logger: logger)
                let clock = SteadyClock()
                let main = CounterMain(
                    limits: limits, partitions: partitions, bus: link, log: log, store: writer,
                    clock: { clock.microseconds }, logger: logger, marks: marks, zone: configuration.zone,
                    inputGuard: inputGuard, counters: counters)
                try await main.run {
                    group.addTask { await inputs.read(connection.consumer) { connection.announceReading() } }
                }
            }
            try Task.checkCancellation()
            await drain(outbox)
        } onGracefulShutdown: {
            connection.consumer.stop()
        }
    }

    /// Deletes minutes that history has had for long, each hour. It may fail now and succeed in an hour.
    private func prune(_ store: CounterStore, _ counters: CounterCounters) async {
        let clock = SteadyClock()
        repeat {
            let oldest =
                MinuteIncrement.minute(of: clock.microseconds) - Int64(configuration.limits.retentionDays) * 1440
            do {
                var count = 0
                repeat { count = try await store.prune(beforeMinute: oldest) } while count >= CounterStore.maximumPruned
                if count > 0 { logger.info("minutes that history has were pruned") }
            } catch {
                counters.add(.diskFailures)
                logger.warning("minutes were not pruned", metadata: ["reason": "\(error)"])
            }
        } while (try? await Task.sleep(for: .seconds(Self.pruneSeconds))) != nil
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
