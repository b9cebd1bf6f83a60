internal import ServiceKit
internal import MQTT
public import Logging
public import ServiceLifecycle
import Synchronization
internal import Wire

/// Reads device messages, publishes motion batches, and acknowledges the messages when the broker has the batches.
///
/// It keeps nothing: whatever it had read and not yet published, the broker delivers again.
public final class IngestService: Service {
    private let configuration: IngestConfiguration
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let pipeline: Mutex<IngestPipeline>
    /// Ingest has no store that could tell it from another one: a number for each start does.
    private let claim = StoreClaim(store: .random(in: .min ... .max))

    /// A service that has not started.
    ///
    /// - Parameters:
    ///   - configuration: what it needs to know.
    ///   - logger: where it tells of its connections, and now and then of what it refuses.
    ///   - now: the time of day, in microseconds since 1970.
    public init(
        configuration: IngestConfiguration, logger: Logger,
        now: @escaping @Sendable () -> Int64 = WallClock.microseconds
    ) {
        self.configuration = configuration
        self.logger = logger
        self.now = now
        pipeline = Mutex(IngestPipeline(topics: configuration.bus.topics, limits: configuration.limits))
    }

    /// What has been seen since the start.
    public var counters: IngestCounters { pipeline.withLock { $0.counters } }

    /// Works until it is shut down gracefully or cancelled.
    ///
    /// - Throws: `IngestError.broker` when the broker turns us away for good.
    public func run() async throws {
        let consumer = MQTTConsumer(
            configuration: configuration.consumer, subscriptions: configuration.subscriptions)
        let outlet = MotionOutlet(configuration: configuration, logger: logger)
        try await withGracefulShutdownHandler {
            try await work(consumer, outlet)
        } onGracefulShutdown: {
            consumer.stop()
        }
    }

    private func work(_ consumer: MQTTConsumer, _ outlet: MotionOutlet) async throws {
        let probe = RivalProbe(
            bus: configuration.bus, service: .ingest, own: claim, healthSeconds: configuration.healthSeconds)
        async let hasRival = probe.hearsRival { consumer.stop() }
        let outcome = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await outlet.watch { self.health(outlet) }
                consumer.stop()
            }
            group.addTask { await self.report(through: outlet) }
            group.addTask { await self.watch(consumer) }
            group.addTask { await self.giveUpAfterShutdown(outlet) }
            let outcome = await forward(consumer, outlet)
            group.cancelAll()
            return outcome
        }
        consumer.stop()
        await outlet.close()
        await consumer.waitUntilStopped()
        probe.stop()
        if await hasRival { throw IngestError.rival }
        if let error = outcome ?? outlet.failure { throw IngestError.broker(error) }
    }

    /// Passes batches on until the consumer ends.
    ///
    /// - Returns: why it makes no sense to go on, if it does not.
    private func forward(_ consumer: MQTTConsumer, _ outlet: MotionOutlet) async -> MQTTError? {
        do {
            for try await batch in consumer.batches {
                if batch.connection != nil { outlet.announceReading() }
                guard try await outlet.publish(take(batch)) else { return nil }
                batch.acknowledge()
            }
            return nil
        } catch {
            return error as? MQTTError
        }
    }

    private func take(_ batch: MQTTBatch) -> [MotionPublication] {
        let arrival = now()
        return pipeline.withLock { pipeline in
            for message in batch {
                pipeline.take(
                    topic: message.topic, payload: message.payload, isRetained: message.isRetained,
                    arrivalMicroseconds: arrival)
            }
            return pipeline.finish(nowMicroseconds: arrival)
        }
    }
}

// What runs beside the reading.
extension IngestService {
    /// Publishes health when what was refused has changed, and every few seconds; tells refusals that became due.
    private func report(through outlet: MotionOutlet) async {
        var reporter = reporter
        while !Task.isCancelled {
            let time = now()
            let (due, counters) = pipeline.withLock { pipeline in
                (pipeline.finish(nowMicroseconds: time), pipeline.counters)
            }
            outlet.offer(due)
            let actions = reporter.report(counters, outlet.counters, nowMicroseconds: time)
            if let health = actions.health { outlet.offer(health) }
            if let line = actions.line { logger.warning("\(line)") }
            try? await Task.sleep(for: .seconds(1))
        }
        outlet.offer(health(outlet))
    }

    private var reporter: HealthReporter { HealthReporter(configuration: configuration, claim: claim) }

    private func health(_ outlet: MotionOutlet) -> ServiceHealth {
        reporter.health(counters, outlet.counters, nowMicroseconds: now())
    }

    private func watch(_ consumer: MQTTConsumer) async {
        for await state in consumer.events { logger.log(state, of: "reading from") }
    }

    /// A broker that is away at the shutdown must not hold it up.
    private func giveUpAfterShutdown(_ outlet: MotionOutlet) async {
        do {
            try await gracefulShutdown()
            try await Task.sleep(for: .seconds(configuration.shutdownSeconds))
        } catch {
            return
        }
        await outlet.close()
    }
}
