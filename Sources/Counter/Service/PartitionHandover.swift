package import Foundation
import Logging
import MQTT
import ServiceKit
import Synchronization
package import Wire

/// A message about partitions on `service/counter/{instance}/partitions`, of one counter to another or of
/// `stridebus partitions` to the owner.
package struct PartitionMessage: Codable, Sendable, Equatable {
    package enum Kind: String, Codable, Sendable {
        /// To the owner: hand partitions over.
        case move
        /// To the heir: a part of the rows of a partition.
        case rows
        /// To the owner before: the heir has the partition.
        case taken
    }

    package var kind: Kind
    /// An id of the move.
    package var move: String
    /// The counter to answer to; for a move the heir.
    package var counter: String
    package var partitions: String
    package var attempt: String?
    package var number: Int?
    package var isLast: Bool?
    package var revision: UInt64?
    package var rows: Data?

    package init(_ kind: Kind, move: String, counter: DeviceID, partitions: PartitionRange) {
        (self.kind, self.move) = (kind, move)
        (self.counter, self.partitions) = (counter.description, partitions.description)
    }

    /// The largest that is read, in bytes.
    static let maximumBytes = 1 << 20

    /// Reads a message.
    init(json bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count <= Self.maximumBytes else { throw .payloadTooLarge }
        do { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch { throw .malformed }
    }

    package func encoded() -> [UInt8] {
        // Numbers, texts and bytes can always be written.
        (try? JSONEncoder().encode(self)).map { Array($0) } ?? []
    }

    /// The counter that it names.
    var peer: DeviceID? { try? DeviceID(counter) }

    /// The part of the rows that it has.
    var part: HandoverPart? {
        guard kind == .rows, let partition = (try? PartitionRange(partitions))?.partitions.first, let attempt,
            let number, let isLast, let revision, let rows
        else { return nil }
        return HandoverPart(
            partition: partition, move: move, attempt: attempt, number: number, isLast: isLast, revision: revision,
            rows: Array(rows))
    }
}

/// Sends the rows of partitions to their heirs, one partition after another, each until the heir says that it has it.
final class PartitionHandover: Sendable {
    /// The time after which everything is sent again where the heir says nothing, in seconds.
    static let patienceSeconds = 10.0
    /// The parts that are on their way at a time.
    private static let window = 8

    private let store: CounterStore
    private let topics: TopicTree
    private let name: DeviceID
    private let logger: Logger
    private let publish: @Sendable ([MQTTPublication]) async throws -> Void
    private let jobs: AsyncStream<LeavingPartition>
    private let continuation: AsyncStream<LeavingPartition>.Continuation
    private let isSending = Atomic(false)

    init(
        store: CounterStore, topics: TopicTree, name: DeviceID, logger: Logger,
        publish: @escaping @Sendable ([MQTTPublication]) async throws -> Void
    ) {
        (self.store, self.topics, self.name, self.logger, self.publish) = (store, topics, name, logger, publish)
        (jobs, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether rows are being sent.
    var isBusy: Bool { isSending.load(ordering: .relaxed) }

    /// Begins to send; the heir's answer comes over the bus.
    func begin(_ leaving: LeavingPartition) {
        isSending.store(true, ordering: .relaxed)
        continuation.yield(leaving)
    }

    /// Works until the task is cancelled.
    func run() async {
        for await leaving in jobs {
            do { try await send(leaving) } catch {
                logger.warning(
                    "a partition is handed over later",
                    metadata: ["partition": "\(leaving.partition.number)", "reason": "\(error)"])
            }
            isSending.store(false, ordering: .relaxed)
        }
    }

    private func send(_ leaving: LeavingPartition) async throws {
        let attempt = String(UInt64.random(in: .min ... .max), radix: 36)
        var waiting: [MQTTPublication] = []
        var number = 0
        func message(_ rows: [UInt8], isLast: Bool, revision: UInt64) -> MQTTPublication {
            var message = PartitionMessage(
                .rows, move: leaving.move, counter: name, partitions: PartitionRange([leaving.partition]))
            (message.attempt, message.number, message.isLast) = (attempt, number, isLast)
            (message.revision, message.rows) = (revision, Data(rows))
            number += 1
            return MQTTPublication(topic: topics.bytes(.partitions(leaving.heir)), payload: message.encoded())
        }
        var (open, revision): ([UInt8], UInt64) = ([], 0)
        for device in try await store.devicesToHandOver(leaving.partition) {
            let (pieces, newest) = try await store.rowsToHandOver(device)
            revision = max(revision, newest)
            for piece in pieces {
                open += piece
                guard open.count >= CounterStore.partBytes else { continue }
                waiting.append(message(open, isLast: false, revision: revision))
                open = []
                guard waiting.count >= Self.window else { continue }
                try await publish(waiting)
                waiting = []
            }
        }
        revision = max(revision, try await store.lastRevision())
        waiting.append(message(open, isLast: true, revision: revision))
        try await publish(waiting)
    }
}

/// The sessions of a counter that shares the partitions with others: one a partition, with the same client id whoever
/// owns it. The broker keeps what comes for a partition in its session, and lets one counter at a time have it: whoever
/// takes a partition over goes on where the one before stopped.
final class PartitionSessions: Sendable {
    private struct Session {
        let consumer: MQTTConsumer
        let reading: Task<Void, Never>
    }

    private let configuration: CounterConfiguration
    private let connection: ServiceConnection
    private let inputs: CounterInputs
    private let sessions = Mutex<[Partition: Session]>([:])
    /// The sessions that were in force once, with `nil` for the counter's own: from then on the broker keeps what comes.
    private let inForce = Mutex<Set<Partition?>>([])

    init(_ configuration: CounterConfiguration, _ connection: ServiceConnection, _ inputs: CounterInputs) {
        (self.configuration, self.connection, self.inputs) = (configuration, connection, inputs)
    }

    /// Reads the motion of partitions from now on.
    func open(_ partitions: PartitionRange) {
        for partition in partitions.partitions {
            let topics = configuration.bus.topics
            let consumer = connection.makeConsumer(
                share: "p\(partition.number)",
                subscriptions: [
                    MQTTSubscription(topics.text(.motion(partition))),
                    MQTTSubscription(topics.text(.forget(partition))),
                ], limits: CounterConfiguration.batchLimits)
            inputs.admit(partition)
            let reading = Task { [self] in
                await inputs.read(consumer, of: partition, subscribed: { noteInForce(partition) })
            }
            sessions.withLock { $0[partition] = Session(consumer: consumer, reading: reading) }
        }
    }

    /// The subscriptions of a partition, or of the counter itself, are in force.
    func noteInForce(_ partition: Partition?) { inForce.withLock { _ = $0.insert(partition) } }

    /// Whether everything that is published for the partitions is kept by the broker.
    var areInForce: Bool {
        let open = sessions.withLock { Array($0.keys) }
        return inForce.withLock { inForce in inForce.contains(nil) && open.allSatisfy(inForce.contains) }
    }

    /// Reads a partition no more. What was read and not counted stays with the broker.
    func close(_ partition: Partition) async {
        guard let session = sessions.withLock({ $0.removeValue(forKey: partition) }) else { return }
        session.consumer.stop()
        inputs.withdraw(partition)
        await session.reading.value
        await session.consumer.waitUntilStopped()
    }

    /// Reads nothing more.
    func stop() {
        for session in sessions.withLock({ Array($0.values) }) { session.consumer.stop() }
    }

    /// Ends all of them; what was read and not counted stays with the broker.
    func end() async {
        for partition in sessions.withLock({ Array($0.keys) }) { await close(partition) }
    }
}
