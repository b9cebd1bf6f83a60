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
    public var byteCount: Int { arena.byteCount }

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
