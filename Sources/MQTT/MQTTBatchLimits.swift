/// How much a consumer reads before it hands over, and how long a batch may be held.
public struct MQTTBatchLimits: Sendable, Hashable {
    /// The most messages in a batch.
    public var maximumMessages: Int
    /// The bytes of topics and payloads after which a batch is closed; one message may go beyond.
    public var maximumBytes: Int
    /// How long a batch is filled while messages keep coming, in milliseconds. A quiet socket ends a batch at once.
    public var maximumMilliseconds: Int
    /// The least time from one batch to the next while messages keep coming, in milliseconds: a store that commits by
    /// the batch commits that much less often. The first message after a quiet time waits for nothing. The broker has
    /// no more than `receiveMaximum` messages on their way at once, so at most that many come in this time.
    public var spacingMilliseconds: Int
    /// How long a batch may go without `acknowledge()`, in seconds. Then the connection is dropped, and the broker
    /// delivers the messages again.
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
