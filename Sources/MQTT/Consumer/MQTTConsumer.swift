/// A connection that only receives and acknowledges.
///
/// ```swift
/// for try await batch in consumer.batches {
///     try store.commit(batch)
///     batch.acknowledge()
/// }
/// ```
///
/// A batch's PUBACKs are sent after its `acknowledge()`, never before, and nothing further is read until then: a slow
/// store slows the broker down and takes no more memory. A broken connection is made again with all subscriptions; the
/// first batch after that tells whether the broker still had the session. Errors that a retry cannot solve are thrown
/// from ``batches``.
public final class MQTTConsumer: Sendable {
    private let handover: ConsumerHandover
    private let connection = ConnectionThread()

    /// Connects on a thread of its own. Errors in the configuration are thrown from ``batches``.
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

    /// The received batches, one at a time. Loops over this sequence share them: each batch goes to one loop.
    public var batches: MQTTBatches { MQTTBatches(consumer: self) }

    func nextBatch() async throws -> MQTTBatch? {
        try await handover.next()
    }

    /// The state of the connection now.
    public var connectionState: MQTTConnectionState { connection.states.current }

    /// The current state of the connection and every later change; ends when the connection has ended for good.
    public var events: AsyncStream<MQTTConnectionState> { connection.states.stream() }

    /// Adds subscriptions, now and at every later connection. A refusal is thrown from ``batches``.
    ///
    /// - Throws: ``MQTTError`` if a filter is invalid.
    package func subscribe(_ subscriptions: [MQTTSubscription]) throws(MQTTError) {
        for subscription in subscriptions { _ = try MQTTTopicFilter(subscription.filter) }
        handover.change(.subscribe(subscriptions))
    }

    /// Removes subscriptions, now and for every later connection.
    ///
    /// - Throws: ``MQTTError`` if a filter is invalid.
    package func unsubscribe(_ filters: [String]) throws(MQTTError) {
        for filter in filters { _ = try MQTTTopicFilter(filter) }
        handover.change(.unsubscribe(filters))
    }

    /// Asks the consumer to stop, and returns at once. The current batch can still be acknowledged for ten seconds.
    /// Then the connection is closed with DISCONNECT, and ``batches`` ends.
    public func stop() {
        handover.requestStop()
    }

    /// Returns when the connection is closed and its thread has ended.
    public func waitUntilStopped() async {
        await connection.ending.wait()
    }
}

/// The batches of a consumer, in order of arrival. The sequence ends when the consumer is stopped or the waiting task
/// is cancelled. It throws ``MQTTError`` if a retry makes no sense.
public struct MQTTBatches: AsyncSequence, Sendable {
    /// A batch.
    public typealias Element = MQTTBatch
    /// The errors thrown are ``MQTTError`` values.
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

    /// Makes an iterator. It shares the batches with all others of this consumer.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(consumer: consumer)
    }
}

/// A topic filter and the QoS of its subscription.
public struct MQTTSubscription: Sendable, Hashable {
    /// A topic filter with `+` and `#`.
    public var filter: String
    /// The maximum QoS of delivered messages.
    public var qos: MQTTQoS

    /// A subscription to a filter, with QoS 1 by default.
    public init(_ filter: String, qos: MQTTQoS = .atLeastOnce) {
        self.filter = filter
        self.qos = qos
    }
}

/// A topic filter with the wildcards `+` and `#` (specification section 4.7).
package struct MQTTTopicFilter: Sendable, Hashable {
    /// The filter's UTF-8 bytes.
    package let bytes: [UInt8]

    private static let slash = UInt8(ascii: "/")
    private static let plus = UInt8(ascii: "+")
    private static let hash = UInt8(ascii: "#")
    private static let dollar = UInt8(ascii: "$")

    /// A filter: `+` stands alone in its level, `#` stands alone in the last one.
    ///
    /// - Throws: ``MQTTError`` with ``MQTTError/Code/invalidTopic``.
    package init(_ filter: String) throws(MQTTError) {
        bytes = Array(filter.utf8)
        guard Self.isValid(bytes) else {
            throw MQTTError(
                .invalidTopic,
                "'\(filter.prefix(80))' is no topic filter: + fills one level, # ends the filter, as in a/+/c or a/#")
        }
    }

    /// True if messages to this topic match. A topic that itself holds wildcards, or is empty, matches nothing.
    package func matches(_ topic: String) -> Bool {
        var topic = topic
        return topic.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    /// True if messages to the topic with these UTF-8 bytes match.
    package func matches(_ topic: UnsafeRawBufferPointer) -> Bool {
        guard let first = topic.first, !topic.contains(where: { $0 == Self.plus || $0 == Self.hash }) else {
            return false
        }
        // Section 4.7.2: a filter that begins with a wildcard does not match topics that begin with $.
        if first == Self.dollar, bytes[0] == Self.plus || bytes[0] == Self.hash { return false }
        var filterIndex = 0
        var topicIndex = 0
        while filterIndex < bytes.count {
            switch bytes[filterIndex] {
            case Self.hash: return true
            case Self.plus:
                while topicIndex < topic.count, topic[topicIndex] != Self.slash { topicIndex += 1 }
                filterIndex += 1
            default:
                guard topicIndex < topic.count else { return isParentWildcard(at: filterIndex) }
                guard topic[topicIndex] == bytes[filterIndex] else { return false }
                topicIndex += 1
                filterIndex += 1
                continue
            }
            // After + the filter and the topic must both be at the end of a level.
            if filterIndex == bytes.count { return topicIndex == topic.count }
            if topicIndex == topic.count { return isParentWildcard(at: filterIndex) }
        }
        return topicIndex == topic.count
    }

    /// `a/#` matches `a` too (section 4.7.1.2).
    private func isParentWildcard(at index: Int) -> Bool {
        index + 2 == bytes.count && bytes[index] == Self.slash && bytes[index + 1] == Self.hash
    }

    private static func isValid(_ bytes: [UInt8]) -> Bool {
        guard (1...65_535).contains(bytes.count), !bytes.contains(0) else { return false }
        for index in bytes.indices where bytes[index] == plus || bytes[index] == hash {
            if index > 0, bytes[index - 1] != slash { return false }
            let isLast = index == bytes.count - 1
            if bytes[index] == hash, !isLast { return false }
            if !isLast, bytes[index + 1] != slash { return false }
        }
        return true
    }
}

/// A change to the subscriptions of a running consumer.
enum SubscriptionChange: Sendable {
    case subscribe([MQTTSubscription])
    case unsubscribe([String])

    /// The unsubscriptions of this change, without filters that are wanted again; `nil` if there are none.
    func givenUp(except wanted: Set<String>) -> SubscriptionChange? {
        guard case .unsubscribe(let filters) = self else { return nil }
        let unwanted = filters.filter { !wanted.contains($0) }
        return unwanted.isEmpty ? nil : .unsubscribe(unwanted)
    }

    func apply(to subscriptions: inout [MQTTSubscription]) {
        switch self {
        case .subscribe(let added):
            subscriptions.removeAll { old in added.contains { $0.filter == old.filter } }
            subscriptions += added
        case .unsubscribe(let filters):
            subscriptions.removeAll { filters.contains($0.filter) }
        }
    }
}
