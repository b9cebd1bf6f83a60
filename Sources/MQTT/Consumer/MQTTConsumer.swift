/// A connection that only receives and acknowledges.
///
/// ```swift
/// for try await batch in consumer.batches {
///     try store.commit(batch)
///     batch.acknowledge()
/// }
/// ```
///
/// A batch's PUBACKs leave after its `acknowledge()`, never before, and until then nothing further is read: a slow
/// store slows the broker and grows no memory. The connection is made again whenever it breaks, with all
/// subscriptions; the first batch after that says whether the broker still had our session. Errors that patience does
/// not mend are thrown from ``batches``.
public final class MQTTConsumer: Sendable {
    private let handover: ConsumerHandover
    private let connection = ConnectionThread()

    /// Connects on a thread of its own. Mistakes in the configuration are thrown from ``batches``.
    public init(
        configuration: MQTTConnectionConfiguration, subscriptions: [MQTTSubscription],
        limits: MQTTBatchLimits = MQTTBatchLimits()
    ) {
        let wakeUp = WakeUp()
        let handover = ConsumerHandover(subscriptions: subscriptions, wakeUp: wakeUp)
        self.handover = handover
        connection.run(configuration) {
            ConsumerRole(configuration: configuration, limits: limits, handover: handover, wakeUp: wakeUp)
        } onFailure: { error in
            handover.finish(.failure(error))
        }
    }

    deinit {
        handover.requestStop()
    }

    /// The batches, one at a time. All loops over it share the batches.
    public var batches: MQTTBatches { MQTTBatches(consumer: self) }

    func nextBatch() async throws -> MQTTBatch? {
        try await handover.next()
    }

    /// The state of the connection now.
    public var connectionState: MQTTConnectionState { connection.states.current }

    /// The current state of the connection and every change from now on; it ends when the connection has ended.
    public var events: AsyncStream<MQTTConnectionState> { connection.states.stream() }

    /// Subscribes to more, now and at every later connection. A refusal is thrown from ``batches``.
    ///
    /// - Throws: ``MQTTError`` when a filter is invalid.
    package func subscribe(_ subscriptions: [MQTTSubscription]) throws(MQTTError) {
        for subscription in subscriptions { _ = try MQTTTopicFilter(subscription.filter) }
        handover.change(.subscribe(subscriptions))
    }

    /// Gives subscriptions up.
    ///
    /// - Throws: ``MQTTError`` when a filter is invalid.
    package func unsubscribe(_ filters: [String]) throws(MQTTError) {
        for filter in filters { _ = try MQTTTopicFilter(filter) }
        handover.change(.unsubscribe(filters))
    }

    /// Asks the consumer to stop and returns at once. The batch in hand may still be acknowledged, for ten seconds;
    /// then the connection is closed in order, and ``batches`` ends.
    public func stop() {
        handover.requestStop()
    }

    /// Returns when the connection is closed and its thread has ended.
    public func waitUntilStopped() async {
        await connection.ending.wait()
    }
}

/// The batches of a consumer, in the order of their arrival. It ends when the consumer is stopped or the task that
/// waits is cancelled, and throws ``MQTTError`` when it makes no sense to go on.
public struct MQTTBatches: AsyncSequence, Sendable {
    /// A batch.
    public typealias Element = MQTTBatch
    /// ``MQTTError``, behind an existential as `for try await` knows it.
    public typealias Failure = any Error

    /// Keeps the consumer running as long as there is a reader.
    let consumer: MQTTConsumer

    /// Waits for batches. All iterators of one consumer share its batches.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let consumer: MQTTConsumer

        /// The next batch, or `nil` at the end.
        public mutating func next() async throws -> MQTTBatch? {
            try await consumer.nextBatch()
        }

        /// The next batch, or `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> MQTTBatch? {
            try await consumer.nextBatch()
        }
    }

    /// An iterator.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(consumer: consumer)
    }
}
