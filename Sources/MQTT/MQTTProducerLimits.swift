/// How much a producer keeps.
public struct MQTTProducerLimits: Sendable, Hashable {
    /// The most publications queued and in flight together; `publish` waits above it, `offer` drops.
    public var maximumQueuedMessages: Int
    /// The most bytes queued and in flight together. One publication may go beyond when it is alone.
    public var maximumQueuedBytes: Int
    /// The most publications inside libmosquitto, 1 to 1000: its message ids are 16 bits and wrap without an error.
    public var maximumInFlight: Int
    /// How long ``MQTTProducer/stop()`` goes on sending what is queued, in seconds.
    public var stopSeconds: Double

    /// Limits.
    public init(
        maximumQueuedMessages: Int = 10_000, maximumQueuedBytes: Int = 16_777_216, maximumInFlight: Int = 200,
        stopSeconds: Double = 5
    ) {
        self.maximumQueuedMessages = maximumQueuedMessages
        self.maximumQueuedBytes = maximumQueuedBytes
        self.maximumInFlight = maximumInFlight
        self.stopSeconds = stopSeconds
    }
}
