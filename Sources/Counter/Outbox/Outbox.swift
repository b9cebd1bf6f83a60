import Logging
import MQTT
import Wire

/// Sends changed minutes to history, and sends them again when history asks.
///
/// There is no queue of messages: what is due follows from the rows and one cursor a partition, so that a minute that
/// changes ten times while the bus is away is sent once.
actor Outbox {
    /// What the outbox has done since it started.
    struct Tally: Sendable {
        var batches: UInt64 = 0
        var rows: UInt64 = 0
        var resends: UInt64 = 0
        var failures: UInt64 = 0
    }

    private let store: CounterStore
    private let publish: @Sendable (MQTTPublication) async throws -> Void
    private let topics: TopicTree
    private let logger: Logger
    private var cursors: [Partition: PartitionCursor] = [:]
    private(set) var tally = Tally()

    init(
        store: CounterStore, topics: TopicTree, partitions: PartitionRange, logger: Logger,
        publish: @escaping @Sendable (MQTTPublication) async throws -> Void
    ) async throws {
        self.store = store
        self.publish = publish
        self.topics = topics
        self.logger = logger
        let stored = try await store.cursors()
        for partition in partitions.partitions { cursors[partition] = PartitionCursor(stored: stored[partition] ?? 0) }
    }

    /// Rows of these partitions have changed.
    func noteRows(of partitions: Set<Partition>) {
        for partition in partitions { cursors[partition]?.hasRows = true }
    }

    /// History has missed rows: all after a revision are sent again, or all, where it knows another store.
    func resend(_ request: CountsResend, of partition: Partition) {
        tally.resends &+= 1
        cursors[partition]?.rewind(to: request.epoch == store.epoch ? request.afterRevision : 0)
    }

    /// Sends what is due until it is cancelled, with a pause after each round so that rows coalesce.
    func run(everyMilliseconds milliseconds: Int) async {
        while !Task.isCancelled {
            do {
                try await drain()
            } catch {
                guard !Task.isCancelled else { return }
                tally.failures &+= 1
                logger.warning("rows wait for history", metadata: ["reason": "\(error)"])
            }
            guard (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil else { return }
        }
    }

    /// Sends everything that is due, and stores how far it came.
    func drain() async throws {
        var failure: (any Error)?
        do {
            for partition in cursors.keys.sorted() where cursors[partition]?.hasRows == true {
                try await drain(partition)
            }
        } catch { failure = error }
        try await storeCursors()
        if let failure { throw failure }
    }

    private func drain(_ partition: Partition) async throws {
        cursors[partition]?.hasRows = false
        do {
            while let cursor = cursors[partition],
                let batch = try await store.counts(of: partition, after: cursor.published)
            {
                try await publish(MQTTPublication(topic: topics.bytes(.counts(partition)), payload: batch.encoded()))
                cursors[partition]?.advance(through: batch.lastRevision, generation: cursor.generation)
                tally.batches &+= 1
                tally.rows &+= UInt64(batch.rows.count)
            }
        } catch {
            cursors[partition]?.hasRows = true
            throw error
        }
    }

    private func storeCursors() async throws {
        let moved = cursors.filter { $0.value.isMoved }.mapValues { $0.published }
        try await store.move(moved)
        for (partition, revision) in moved { cursors[partition]?.store(revision) }
    }
}
