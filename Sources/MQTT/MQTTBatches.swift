/// The batches of a consumer, in the order of their arrival. It ends when the consumer is stopped or the task that
/// waits is cancelled, and throws ``MQTTError`` when it makes no sense to go on.
public struct MQTTBatches: AsyncSequence, Sendable {
    /// A batch.
    public typealias Element = MQTTBatch
    /// ``MQTTError``, behind an existential as `for try await` knows it.
    public typealias Failure = any Error

    /// Keeps the consumer running as long as somebody reads.
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
