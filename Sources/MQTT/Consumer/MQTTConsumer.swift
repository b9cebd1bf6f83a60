import Synchronization

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
/// first batch after that has whether the broker still had the session. Errors that a retry cannot solve are thrown
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
        let handover = ConsumerHandover(wakeUp: wakeUp)
        self.handover = handover
        connection.run(configuration) {
            ConsumerRole(
                configuration: configuration, subscriptions: subscriptions, limits: limits, handover: handover,
                wakeUp: wakeUp)
        } onFailure: { error in
            handover.finish(.failure(error))
        }
    }

    deinit {
        handover.requestStop()
    }

    /// The received batches, one at a time. Loops over this sequence share them: each batch goes to one loop.
    public var batches: MQTTBatches { MQTTBatches(consumer: self) }

    fileprivate func nextBatch() async throws -> MQTTBatch? {
        try await handover.next()
    }

    /// The state of the connection now.
    public var connectionState: MQTTConnectionState { connection.states.current }

    /// The current state of the connection and every later change; ends when the connection has ended for good.
    public var events: AsyncStream<MQTTConnectionState> { connection.states.stream() }

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
/// is cancelled. It throws ``MQTTError`` if a retry makes no sense. All iterators of one consumer share its batches.
public struct MQTTBatches: AsyncSequence, AsyncIteratorProtocol, Sendable {
    /// Keeps the consumer running as long as there is a reader.
    fileprivate let consumer: MQTTConsumer

    /// The next batch, or `nil` at the end.
    public mutating func next() async throws -> MQTTBatch? {
        try await consumer.nextBatch()
    }

    /// An iterator, which shares the batches with all others.
    public func makeAsyncIterator() -> MQTTBatches { self }
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

    /// Throws ``MQTTError/Code-swift.enum/invalidTopic`` unless `+` stands alone in its level, and `#` alone in the
    /// last one (specification section 4.7).
    static func check(_ filter: String) throws(MQTTError) {
        let levels = filter.split(separator: "/", omittingEmptySubsequences: false)
        let isValid = levels.enumerated().allSatisfy { index, level in
            level == "+" || level == "#" && index == levels.count - 1 || !level.contains { $0 == "+" || $0 == "#" }
        }
        guard isValid, (1...65_535).contains(filter.utf8.count), !filter.utf8.contains(0) else {
            throw MQTTError(
                .invalidTopic,
                "'\(filter.prefix(80))' is no topic filter: + fills one level, # ends the filter, as in a/+/c or a/#")
        }
    }
}

/// Messages that were read together and are acknowledged together, after the application has committed their content.
///
/// No PUBACK is sent before ``acknowledge()``, and no further message is read until then. Releasing a batch with
/// messages unacknowledged drops the connection, and the broker delivers its QoS 1 messages again.
public final class MQTTBatch: Sendable {
    /// The connection data, set only in the first batch after each accepted connection. That batch may be empty.
    public let connection: MQTTSessionInfo?

    let serial: UInt64
    private let arena: MessageArena
    private let handover: ConsumerHandover
    private let isSettled = Atomic<Bool>(false)

    init(serial: UInt64, connection: MQTTSessionInfo?, arena: MessageArena, handover: ConsumerHandover) {
        self.serial = serial
        self.connection = connection
        self.arena = arena
        self.handover = handover
    }

    /// Releases the PUBACKs of this batch and lets the next batch be read. Call it after the commit. Returns at once.
    ///
    /// - Returns: `false` if the delivering connection is gone and the QoS 1 messages come again, or on a second call.
    @discardableResult
    public func acknowledge() -> Bool {
        settle(.acknowledged)
    }

    deinit {
        settle(arena.records.isEmpty ? .acknowledged : .abandoned)
    }

    @discardableResult
    private func settle(_ settlement: ConsumerHandover.Settlement) -> Bool {
        guard !isSettled.exchange(true, ordering: .relaxed) else { return false }
        return handover.settle(serial: serial, settlement)
    }
}

extension MQTTBatch: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of messages.
    public var endIndex: Int { arena.records.count }

    /// A view of one message.
    public subscript(position: Int) -> MQTTMessage {
        MQTTMessage(arena: arena, index: position)
    }
}

/// The limits of a batch: its size, the time to fill it, and the time it may be held.
public struct MQTTBatchLimits: Sendable, Hashable {
    /// The most messages in a batch.
    public var maximumMessages: Int
    /// The size of topics, payloads and properties that closes a batch, in bytes. The last message may exceed it.
    public var maximumBytes: Int
    /// The minimum time between the starts of two batches while messages keep coming, in milliseconds. It limits how
    /// often a store that commits per batch commits. The first message after a quiet time is not delayed. The broker
    /// keeps at most `receiveMaximum` messages in flight, so at most that many arrive in this time.
    public var spacingMilliseconds: Int
    /// The size that is worth a commit of its own, in bytes: a batch that has it is handed over without waiting for the
    /// spacing. So messages wait only while few come.
    public var spacingBytes: Int
    /// How long a batch may stay unacknowledged, in seconds. Then the connection is dropped, and the broker delivers
    /// the messages again.
    ///
    /// libmosquitto queues PINGREQ behind the PUBACKs of a held batch. On a plain connection PINGREQ is written past
    /// that queue, so a batch may be held longer than the keep-alive interval. With TLS this is impossible: the limit
    /// is then the keep-alive interval, if that is shorter.
    public var maximumHoldSeconds: Double

    /// Creates limits. Each one has a default.
    public init(
        maximumMessages: Int = 2_000, maximumBytes: Int = 4_194_304, spacingMilliseconds: Int = 0,
        spacingBytes: Int = 16_384, maximumHoldSeconds: Double = 60
    ) {
        self.maximumMessages = maximumMessages
        self.maximumBytes = maximumBytes
        self.spacingMilliseconds = spacingMilliseconds
        self.spacingBytes = spacingBytes
        self.maximumHoldSeconds = maximumHoldSeconds
    }
}
