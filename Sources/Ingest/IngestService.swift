package import Logging
import MQTT
package import ServiceKit
import ServiceLifecycle
import Synchronization
import Wire

/// Reads device messages, publishes motion batches, and acknowledges the messages when the broker has the batches.
///
/// It keeps nothing: whatever it had read and not yet published, the broker delivers again.
package final class IngestService: Service {
    private let configuration: IngestConfiguration
    private let inputGuard: InputGuard?
    private let logger: Logger

    /// A service that has not started.
    ///
    /// - Parameters:
    ///   - configuration: What it needs to know.
    ///   - inputGuard: Another guard than that of the data folder.
    ///   - logger: Gets a line for each change of a connection.
    package init(configuration: IngestConfiguration, inputGuard: InputGuard? = nil, logger: Logger) {
        (self.configuration, self.inputGuard, self.logger) = (configuration, inputGuard, logger)
    }

    /// The file of the guard has the root in its name: several ingests of one machine may share a folder.
    private func makeGuard() -> InputGuard {
        let root = configuration.bus.topics.root.replacing("/", with: ".")
        return InputGuard(
            directory: configuration.directory, name: root == "stride" ? "ingest" : "ingest-\(root)", logger: logger)
    }

    /// Works until it is shut down gracefully or cancelled.
    ///
    /// - Throws: `ServiceConnectionError` when the broker refuses us for good or another ingest takes over.
    package func run() async throws {
        let connection = ServiceConnection(
            bus: configuration.bus, service: .ingest, subscriptions: configuration.subscriptions,
            limits: IngestConfiguration.batchLimits,
            maximumPacketBytes: IngestConfiguration.maximumPacketBytes, logger: logger)
        let link = IngestLink(connection, configuration.bus.topics, logger: logger)
        let main = IngestMain(
            topics: configuration.bus.topics, limits: configuration.limits, sources: configuration.sources,
            counters: configuration.counters,
            healthSeconds: configuration.healthSeconds, inputGuard: inputGuard ?? makeGuard(), bus: link, logger: logger
        )
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await connection.watch(stopSeconds: self.configuration.stopSeconds) }
                group.addTask {
                    repeat { main.tick() } while (try? await Task.sleep(for: .seconds(1))) != nil
                }
                // The error is the failure of a connection, which is thrown below, or that of a stop.
                try? await main.run()
                group.cancelAll()
            }
        } onGracefulShutdown: {
            connection.consumer.stop()
        }
        link.report(main.counters)
        await connection.close()
        if let failure = connection.failure { throw failure }
    }
}

/// Ingest's bus: what devices send, and the way to the counters.
final class IngestLink: IngestBus, Sendable {
    private let connection: ServiceConnection
    private let topics: TopicTree
    private let logger: Logger
    /// The batch that is being passed on.
    private let batch = Mutex<MQTTBatch?>(nil)
    /// Whether the loop waits for messages, which may never come.
    private let isIdle = Atomic(true)

    init(_ connection: ServiceConnection, _ topics: TopicTree, logger: Logger) {
        (self.connection, self.topics, self.logger) = (connection, topics, logger)
    }

    var nowMicroseconds: Int64 { WallClock.microseconds() }

    func next() async throws -> Bool {
        isIdle.store(true, ordering: .relaxed)
        var batches = connection.consumer.batches
        guard let batch = try await batches.next() else { return false }
        isIdle.store(false, ordering: .relaxed)
        ServiceProgress.note(.ingest)
        if batch.connection != nil { connection.announceReading() }
        self.batch.withLock { $0 = batch }
        return true
    }

    func forEachMessage(_ body: (IngestMessage) -> Void) {
        guard let batch = batch.withLock(\.self) else { return }
        for message in batch {
            body(IngestMessage(topic: message.topic, payload: message.payload, isRetained: message.isRetained))
        }
    }

    func acknowledge() { batch.withLock { $0.take() }?.acknowledge() }

    func publish(_ motion: [MotionMessage], failures: Int) async throws -> MotionRefusal? {
        if failures > 0 {
            let seconds = IngestConfiguration.backoff.seconds(afterFailures: failures, random: .random(in: 0..<1))
            try await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(seconds)) }
        }
        ServiceProgress.note(.ingest)
        do {
            try await connection.producer.publish(motion.map(publication))
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
            topic: topics.bytes(.motion(message.range)), payload: message.payload)
        // Before a counter has subscribed for the first time a broker takes motion and throws it away.
        publication.needsSubscriber = true
        return publication
    }

    func offer(_ motion: MotionMessage) -> Bool { connection.producer.offer(publication(motion)) }

    func ask(topic: String, _ payload: [UInt8]) -> Bool {
        connection.producer.offer(MQTTPublication(topic: topic, payload: payload))
    }

    /// The loop has no part in this: it is alive where it waits for messages or for a broker that is away.
    func report(_ counters: IngestCounters) {
        var isAway = true
        if case .connected = connection.producer.connectionState { isAway = false }
        connection.offer(
            ServiceHealth(t: Double(nowMicroseconds) / 1e6, service: .ingest, counters: counters.named),
            isSignOfLife: isAway || isIdle.load(ordering: .relaxed))
    }
}
