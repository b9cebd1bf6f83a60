package import Logging
internal import MQTT
internal import ServiceKit
internal import ServiceLifecycle
import Synchronization
internal import Wire

/// Reads device messages, publishes motion batches, and acknowledges the messages when the broker has the batches.
///
/// It keeps nothing: whatever it had read and not yet published, the broker delivers again.
package final class IngestService: Service {
    /// The time between batches while messages keep coming, in milliseconds: to pass ten on costs little more than one.
    private static let spacingMilliseconds = 10
    /// The size of a batch that is passed on without waiting for more, in bytes: some 25 frames of JSON.
    private static let spacingBytes = 65_536

    private let configuration: IngestConfiguration
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private let loop: Mutex<IngestLoop>
    /// The topic on which every ingest is asked for its status.
    private let call: [UInt8]

    /// A service that has not started.
    ///
    /// - Parameters:
    ///   - configuration: What it needs to know.
    ///   - logger: Gets a line for each change of a connection, and at intervals one for refused messages.
    ///   - now: The time of day, in microseconds since 1970.
    package init(
        configuration: IngestConfiguration, logger: Logger,
        now: @escaping @Sendable () -> Int64 = WallClock.microseconds
    ) {
        self.configuration = configuration
        self.logger = logger
        self.now = now
        call = configuration.bus.topics.bytes(.call(.ingest))
        loop = Mutex(
            IngestLoop(
                topics: configuration.bus.topics, limits: configuration.limits, sources: configuration.sources,
                healthSeconds: configuration.healthSeconds, logSeconds: configuration.logSeconds))
    }

    /// The messages seen since the start.
    package var counters: IngestCounters { loop.withLock { $0.counters } }

    /// Works until it is shut down gracefully or cancelled.
    ///
    /// - Throws: `ServiceConnectionError` when the broker refuses us for good or another ingest takes over.
    package func run() async throws {
        if let name = configuration.name { try await claim(name) }
        let connection = ServiceConnection(
            bus: configuration.bus, service: .ingest, instance: configuration.name, owns: configuration.bus.topics.root,
            subscriptions: configuration.subscriptions,
            limits: MQTTBatchLimits(
                spacingMilliseconds: Self.spacingMilliseconds, spacingBytes: Self.spacingBytes),
            maximumPacketBytes: IngestConfiguration.maximumPacketBytes, logger: logger)
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await connection.watch(stopSeconds: self.configuration.stopSeconds) }
                group.addTask { await self.tick(connection) }
                // The error is the failure of a connection, which is thrown below, or that of a stop.
                try? await forward(connection)
                group.cancelAll()
            }
        } onGracefulShutdown: {
            connection.consumer.stop()
        }
        connection.offer(loop.withLock { $0.health(nowMicroseconds: now()) })
        await connection.close()
        if let failure = connection.failure { throw failure }
    }

    /// Ends where another ingest of the root is there: each would have everything, and none a share.
    private func claim(_ name: DeviceID) async throws {
        let others: [InstanceStatus]
        do { others = try await RollCall.run(.ingest, on: configuration.bus) } catch let error as MQTTError {
            throw ServiceConnectionError.broker(.ingest, reason: error.message)
        }
        guard let other = others.first else { return }
        throw ServiceConnectionError.alreadyOwned(.ingest, what: configuration.bus.topics.root, by: other.instance)
    }

    /// Passes batches on until the consumer ends. A batch is acknowledged when the broker has all of its motion.
    private func forward(_ connection: ServiceConnection) async throws {
        for try await batch in connection.consumer.batches {
            if batch.contains(where: { $0.topic.elementsEqual(call) }) { connection.sayStatus() }
            var effects = take(batch)
            while let effect = effects.popFirst() {
                switch effect {
                case .publish(let messages, let failures):
                    effects += answered(by: try await publish(messages, failures: failures, over: connection))
                case .acknowledge: batch.acknowledge()
                default: perform(effect, over: connection)
                }
            }
        }
    }

    private func take(_ batch: MQTTBatch) -> ArraySlice<IngestLoop.Effect> {
        let arrival = now()
        return loop.withLock { loop in
            var effects: [IngestLoop.Effect] = []
            if batch.connection != nil { effects += loop.handle(.subscribed, nowMicroseconds: arrival) }
            for message in batch where !message.topic.elementsEqual(call) {
                effects += loop.handle(
                    .message(topic: message.topic, payload: message.payload, isRetained: message.isRetained),
                    nowMicroseconds: arrival)
            }
            effects += loop.handle(.batchEnded, nowMicroseconds: arrival)
            return effects[...]
        }
    }

    private func answered(by refusal: IngestLoop.Refusal?) -> [IngestLoop.Effect] {
        let now = now()
        return loop.withLock { $0.handle(refusal.map { .refused($0) } ?? .accepted, nowMicroseconds: now) }
    }

    /// Publishes and returns why the broker refused, `nil` when it has everything, however long that takes.
    private func publish(
        _ messages: [MotionMessage], failures: Int, over connection: ServiceConnection
    ) async throws -> IngestLoop.Refusal? {
        if failures > 0 {
            let seconds = IngestConfiguration.backoff.seconds(
                afterFailures: failures, random: .random(in: 0..<1))
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(seconds)) }
        }
        do {
            try await connection.producer.publish(messages.map(publication))
            return nil
        } catch let error as MQTTError {
            switch error.code {
            case .payloadTooLarge: return .tooLarge
            case .noSubscribers: return .noSubscriber
            case .stopped: throw error
            default: break
            }
            if connection.failure != nil { throw error }
            // The waits double up to ten seconds, so the lines are few.
            logger.warning("the broker refused motion, nothing is acknowledged, trying again: \(error.message)")
            return .other
        }
    }

    private func publication(_ message: MotionMessage) -> MQTTPublication {
        var publication = MQTTPublication(
            topic: configuration.bus.topics.bytes(.motion(message.partition)), payload: message.payload)
        // Before a counter has subscribed for the first time a broker takes motion and throws it away.
        publication.needsSubscriber = true
        return publication
    }

    private func perform(_ effect: IngestLoop.Effect, over connection: ServiceConnection) {
        switch effect {
        case .announceReading: connection.announceReading()
        case .offer(let messages):
            let refused = messages.count { !connection.producer.offer(publication($0)) }
            loop.withLock { $0.noteUnoffered(refused) }
        case .ask(let topic, let payload):
            connection.producer.offer(MQTTPublication(topic: topic, payload: payload))
        case .report(let health): connection.offer(health)
        case .warn(let line): logger.warning("\(line)")
        // These belong to a batch.
        case .publish, .acknowledge: break
        }
    }

    /// Gives the loop about one tick a second until it is cancelled.
    private func tick(_ connection: ServiceConnection) async {
        while !Task.isCancelled {
            let effects = loop.withLock { $0.handle(.tick, nowMicroseconds: now()) }
            for effect in effects { perform(effect, over: connection) }
            try? await Task.sleep(for: .seconds(1))
        }
    }
}
