import Synchronization

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
