import Logging
import MQTT
import ServiceKit
import ServiceLifecycle
import Synchronization
import Wire

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

    /// The loop has no part in this: it is alive where it waits for messages or for a broker that is away.
    func report(_ counters: IngestCounters) {
        var isAway = true
        if case .connected = connection.producer.connectionState { isAway = false }
        connection.offer(
            ServiceHealth(t: Double(nowMicroseconds) / 1e6, service: .ingest, counters: counters.named),
            isSignOfLife: isAway || isIdle.load(ordering: .relaxed))
    }
}
