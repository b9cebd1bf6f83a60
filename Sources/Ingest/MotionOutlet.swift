internal import ServiceKit
internal import Logging
internal import MQTT
import Synchronization
internal import Wire

/// Ingest's way out: one producer connection, with patience.
final class MotionOutlet: Sendable {
    /// What went wrong on the way out.
    struct Counters: Sendable, Hashable {
        /// Publications that the broker refused and that were tried again.
        var retries: UInt64 = 0
        /// Batches that are larger than the broker takes: they can never be published.
        var tooLarge: UInt64 = 0
        /// Batches of refusals that were not told, because the way out was full or broken.
        var untoldBatches: UInt64 = 0
    }

    private let configuration: IngestConfiguration
    private let logger: Logger
    private let producer: MQTTProducer
    private let motionTopics: [[UInt8]]
    private let counts = Mutex(Counters())
    private let isReading = Mutex(false)

    /// The waits between attempts after a refusal, which a person may have to mend.
    private static let backoff = MQTTBackoff(minimumSeconds: 0.5, maximumSeconds: 10)

    init(configuration: IngestConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        producer = MQTTProducer(configuration: configuration.producer)
        motionTopics = Partition.all.map { configuration.bus.topics.bytes(.motion($0)) }
    }

    var counters: Counters { counts.withLock { $0 } }

    /// Publishes batches and returns when the broker has them all, however long that takes.
    ///
    /// - Returns: `false` when we were stopped before: then nothing may be acknowledged.
    /// - Throws: `MQTTError` when the connection has failed for good.
    func publish(_ publications: [MotionPublication]) async throws -> Bool {
        let messages = publications.map(message)
        var failures = 0
        while true {
            do {
                try await producer.publish(messages)
                return true
            } catch let error as MQTTError {
                if let failure { throw failure }
                if error.code == .stopped { return false }
                if error.code == .payloadTooLarge { return try await publishApart(publications, error) }
                if error.code == .noSubscribers, publications.count > 1 {
                    return try await publishApart(publications, error)
                }
                failures += 1
                guard await wait(afterFailures: failures, error) else { return false }
            } catch {
                return false
            }
        }
    }

    /// One batch that is too large must not hold up the others for ever, nor be the reason that others are sent again
    /// and again while nobody counts their partition.
    private func publishApart(_ publications: [MotionPublication], _ error: MQTTError) async throws -> Bool {
        guard publications.count > 1 else {
            counts.withLock { $0.tooLarge += 1 }
            logger.error("a motion batch is dropped: raise the broker's largest packet: \(error.message)")
            return true
        }
        for publication in publications {
            guard try await publish([publication]) else { return false }
        }
        return true
    }

    private func wait(afterFailures failures: Int, _ error: MQTTError) async -> Bool {
        counts.withLock { $0.retries += 1 }
        // The waits double up to ten seconds, so the lines are few.
        logger.warning("the broker refused motion batches, nothing is acknowledged, trying again: \(error.message)")
        let seconds = Self.backoff.seconds(afterFailures: failures, random: Double.random(in: 0..<1))
        do {
            try await Task.sleep(for: .seconds(seconds))
            return true
        } catch {
            return false
        }
    }

    /// Publishes without waiting, for what may be lost.
    func offer(_ publications: [MotionPublication]) {
        for publication in publications where !producer.offer(message(publication)) {
            counts.withLock { $0.untoldBatches += 1 }
        }
    }

    /// Publishes a health report without waiting; the next one replaces it.
    func offer(_ health: ServiceHealth) {
        producer.offer(
            MQTTPublication(
                topic: configuration.bus.topics.bytes(.serviceHealth(.ingest)), payload: health.encodedJSON(),
                qos: .atMostOnce, retain: true))
    }

    /// Why the connection has failed for good, if it has.
    var failure: MQTTError? {
        if case .failed(let error) = producer.connectionState { error } else { nil }
    }

    /// Publishes the birth, now that the subscriptions are in force, and again at every later connection.
    func announceReading() {
        isReading.withLock { $0 = true }
        producer.offer(configuration.status("online"))
    }

    /// Follows the connection until it has ended: after each break the will has been published, and the birth is due.
    /// So is a word of health: two ingests take the connection from each other, and hear of each other only what is
    /// said while it lasts.
    func watch(health: () -> ServiceHealth) async {
        for await state in producer.events {
            logger.log(state, of: "publishing to")
            guard case .connected = state else { continue }
            if isReading.withLock({ $0 }) { producer.offer(configuration.status("online")) }
            offer(health())
        }
    }

    /// Says goodbye if there is a connection, and ends it. May be called twice.
    func close() async {
        producer.offer(configuration.status("offline"))
        await producer.stop()
    }

    private func message(_ publication: MotionPublication) -> MQTTPublication {
        var message = MQTTPublication(topic: motionTopics[publication.partition.number], payload: publication.payload)
        // Before a counter has subscribed for the first time a broker takes motion and throws it away.
        message.needsSubscriber = true
        return message
    }
}
