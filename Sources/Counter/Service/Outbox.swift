import Logging
import MQTT
import Wire

/// Sends changed minutes to history, and sends them again when history asks.
///
/// There is no queue of messages: what is due follows from the rows and one cursor, so that a minute that
/// changes ten times while the bus is away is sent once.
actor Outbox {
    private let store: CounterStore
    private let publish: @Sendable (MQTTPublication) async throws -> Void
    private let topics: TopicTree
    private let logger: Logger
    /// The first partition of the counter: the topic of its rows is named after it.
    private let partition: Partition
    private var cursor: OutboxCursor
    private let counters: CounterCounters

    init(
        store: CounterStore, topics: TopicTree, partitions: PartitionRange, counters: CounterCounters, logger: Logger,
        publish: @escaping @Sendable (MQTTPublication) async throws -> Void
    ) async throws {
        (self.store, self.topics, self.logger, self.publish) = (store, topics, logger, publish)
        self.counters = counters
        partition = partitions.partitions.first ?? Partition.all[0]
        cursor = OutboxCursor(stored: try await store.published())
    }

    func noteRows() {
        cursor.hasRows = true
    }

    /// History says through which revision it has the rows: those after it are sent again, or all, where it knows another
    /// store.
    ///
    /// - Throws: `.historyIsNewer` where history has rows that the store has not made: what it makes next would look old
    ///   to history, and be ignored without a word.
    func resend(_ request: CountsResend) async throws(CounterError) {
        counters.add(.resends)
        let revision = request.revisions[store.epoch] ?? 0
        guard try await revision <= store.lastRevision() else {
            throw .historyIsNewer(path: store.path, revision: revision)
        }
        try await store.setConfirmed(revision)
        cursor.rewind(to: revision)
    }

    /// Sends what is due until it is cancelled, with a pause after each round so that rows coalesce.
    func run(everyMilliseconds milliseconds: Int) async {
        while !Task.isCancelled {
            do {
                try await drain()
            } catch {
                guard !Task.isCancelled else { return }
                counters.add(.publishFailures)
                logger.warning("rows wait for history", metadata: ["reason": "\(error)"])
            }
            guard (try? await Task.sleep(for: .milliseconds(milliseconds))) != nil else { return }
        }
    }

    /// Sends everything that is due, and stores how far it came.
    func drain() async throws {
        var failure: (any Error)?
        do {
            if cursor.hasRows { try await sendRows() }
        } catch { failure = error }
        if cursor.isMoved {
            let published = cursor.published
            try await store.setPublished(published)
            cursor.store(published)
        }
        if let failure { throw failure }
    }

    private func sendRows() async throws {
        cursor.hasRows = false
        do {
            while true {
                let published = cursor.published
                guard let batch = try await store.counts(after: published) else { return }
                try await publish(MQTTPublication(topic: topics.bytes(.counts(partition)), payload: batch.encoded()))
                cursor.advance(from: published, through: batch.lastRevision)
                counters.add(.publishedBatches)
                counters.add(.publishedRows, batch.rows.count)
            }
        } catch {
            cursor.hasRows = true
            throw error
        }
    }
}

/// The last revision that history has.
package struct OutboxCursor: Sendable, Equatable {
    /// The last revision that the broker took for history.
    package private(set) var published: UInt64
    /// The same in the store.
    private(set) var stored: UInt64
    /// Whether there may be rows beyond it.
    package var hasRows = true

    package init(stored: UInt64) {
        published = stored
        self.stored = stored
    }

    package var isMoved: Bool { published != stored }

    /// The broker took the rows from one revision through another. Where history has asked for earlier ones meanwhile,
    /// these are not skipped.
    package mutating func advance(from published: UInt64, through revision: UInt64) {
        if published == self.published { self.published = revision }
    }

    /// History asks for the rows after a revision again.
    package mutating func rewind(to revision: UInt64) {
        guard revision < published else { return }
        published = revision
        hasRows = true
    }

    package mutating func store(_ revision: UInt64) {
        stored = revision
    }
}
