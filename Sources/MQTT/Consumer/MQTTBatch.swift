import Synchronization

/// Messages that were read together and are acknowledged together, after what they say has been committed.
///
/// Nothing is acknowledged to the broker before ``acknowledge()``, and nothing further is read until then. A batch that
/// is released without it is given back: the connection is dropped, and the broker delivers its QoS 1 messages again.
public final class MQTTBatch: Sendable {
    /// Set in the first batch after every accepted connection, which may be without messages.
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

    /// Lets the PUBACKs of this batch leave, and the next batch be read. Call it after the commit; returns at once.
    ///
    /// - Returns: `false` when the connection that delivered the batch is gone, so that its QoS 1 messages come again.
    @discardableResult
    public func acknowledge() -> Bool {
        settle(.acknowledged)
    }

    /// The bytes of topics, payloads and properties.
    package var byteCount: Int { arena.byteCount }

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
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of messages.
    public var endIndex: Int { arena.records.count }

    /// A view of one message.
    public subscript(position: Int) -> MQTTMessage {
        MQTTMessage(arena: arena, index: position)
    }
}

/// The size of a batch, and the time for which it may be held.
public struct MQTTBatchLimits: Sendable, Hashable {
    /// The most messages in a batch.
    public var maximumMessages: Int
    /// The bytes of topics and payloads after which a batch is closed; one message may go beyond.
    public var maximumBytes: Int
    /// The time for which a batch is filled while messages keep coming, in milliseconds. A quiet socket ends a batch at
    /// once.
    public var maximumMilliseconds: Int
    /// The least time from one batch to the next while messages keep coming, in milliseconds: a store that commits by
    /// the batch commits that much less often. The first message after a quiet time waits for nothing. The broker has
    /// no more than `receiveMaximum` messages on their way at once, so at most that many come in this time.
    public var spacingMilliseconds: Int
    /// The time for which a batch may go without `acknowledge()`, in seconds. Then the connection is dropped, and the
    /// broker delivers the messages again.
    ///
    /// libmosquitto queues PINGREQ behind the PUBACKs that a held batch keeps back. On a plain connection we write the
    /// PINGREQ past it, so a batch may be held for longer than the keep-alive. With TLS that is impossible and the
    /// limit is the keep-alive, if that is less.
    public var maximumHoldSeconds: Double

    /// Limits.
    public init(
        maximumMessages: Int = 2_000, maximumBytes: Int = 4_194_304, maximumMilliseconds: Int = 50,
        spacingMilliseconds: Int = 0, maximumHoldSeconds: Double = 60
    ) {
        self.maximumMessages = maximumMessages
        self.maximumBytes = maximumBytes
        self.maximumMilliseconds = maximumMilliseconds
        self.spacingMilliseconds = spacingMilliseconds
        self.maximumHoldSeconds = maximumHoldSeconds
    }
}

/// The time for which a batch that is not full is kept open, so that batches are some time apart while messages keep
/// coming.
struct BatchSpacing {
    /// The least time from the beginning of one batch's hand-over to that of the next, in seconds.
    let seconds: Double
    private var lastSeconds = -Double.infinity

    init(seconds: Double) {
        self.seconds = seconds
    }

    /// A batch is handed over.
    mutating func began(atSeconds nowSeconds: Double) {
        lastSeconds = nowSeconds
    }

    /// The time until the next may be handed over, in seconds; 0 for not at all.
    func remainingSeconds(atSeconds nowSeconds: Double) -> Double {
        max(0, lastSeconds + seconds - nowSeconds)
    }
}
