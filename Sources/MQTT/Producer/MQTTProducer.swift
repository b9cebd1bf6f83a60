/// A connection that only publishes.
///
/// QoS 1 publications stay in a bounded queue until their PUBACK and survive reconnects; the broker may receive one
/// twice. The queue is in memory. Messages that must survive a crash belong in an outbox of the application, which
/// advances when `publish` returns.
public final class MQTTProducer: Sendable {
    private let outgoing: OutgoingState
    private let connection = ConnectionThread()
    private let limits: MQTTProducerLimits

    /// Connects on a thread of its own. Errors in the configuration are thrown from `publish`.
    public init(configuration: MQTTConnectionConfiguration, limits: MQTTProducerLimits = MQTTProducerLimits()) {
        let wakeUp = WakeUp()
        let outgoing = OutgoingState(limits: limits, wakeUp: wakeUp)
        self.outgoing = outgoing
        self.limits = limits
        connection.run(configuration) {
            ProducerRole(limits: limits, outgoing: outgoing, wakeUp: wakeUp)
        } onFailure: { error in
            outgoing.finish(error)
        }
    }

    deinit {
        outgoing.requestStop(deadlineSeconds: MonotonicClock.nowSeconds + limits.stopSeconds)
    }

    /// Publishes in order. Waits while the queue is full. Returns when every QoS 1 publication has its PUBACK and every
    /// QoS 0 publication has been passed to the connection.
    ///
    /// A cancelled task throws `CancellationError`; publications that are already in the queue are still sent.
    ///
    /// - Throws: ``MQTTError`` if a topic is invalid, if the broker refuses a publication (the first refusal, after all
    ///   answers), or if the producer ends before all answers have come.
    public func publish(_ publications: [MQTTPublication]) async throws {
        for publication in publications { try publication.check() }
        try await outgoing.publish(publications)
    }

    /// Publishes one message; see ``publish(_:)-(Array<MQTTPublication>)``.
    public func publish(_ publication: MQTTPublication) async throws {
        try await publish([publication])
    }

    /// Publishes without waiting: for live values that newer ones soon replace.
    ///
    /// - Returns: `false` if the queue is full, there is no connection, or the topic is invalid. The message is then
    ///   dropped, and so are offers that a breaking connection leaves unsent, but for retained ones at least once, which
    ///   are sent again.
    @discardableResult
    package func offer(_ publication: MQTTPublication) -> Bool {
        (try? publication.check()) != nil && outgoing.offer(publication)
    }

    /// Offers several together, of which the caller knows that their topics are valid: the connection is asked and woken
    /// once for all.
    ///
    /// - Returns: How many were taken, from the first one on; the others are dropped.
    package func offer(_ publications: [MQTTPublication]) -> Int {
        publications.isEmpty ? 0 : outgoing.offer(publications)
    }

    /// The number of publications queued and in flight.
    package var queuedMessages: Int { outgoing.queuedMessages }

    /// The state of the connection now.
    public var connectionState: MQTTConnectionState { connection.states.current }

    /// The current state of the connection and every later change; ends when the connection has ended for good.
    public var events: AsyncStream<MQTTConnectionState> { connection.states.stream() }

    /// Sends the queue and waits for its PUBACKs, for at most ``MQTTProducerLimits/stopSeconds``. Then it ends the
    /// connection and its thread. Publications still unanswered throw ``MQTTError/Code/stopped``.
    ///
    /// If all publications are answered, the connection is closed with DISCONNECT. Otherwise the broker is left to
    /// publish the will, because a farewell message with the same content may be among the unanswered ones.
    ///
    /// - Returns: The number of publications that the broker has not answered, offers included.
    @discardableResult
    public func stop() async -> Int {
        outgoing.requestStop(deadlineSeconds: MonotonicClock.nowSeconds + limits.stopSeconds)
        await connection.ending.wait()
        return outgoing.abandonedCount
    }
}

/// The limits of a producer's queue.
public struct MQTTProducerLimits: Sendable, Hashable {
    /// The maximum number of publications queued and in flight. At the limit `publish` waits and `offer` drops.
    public var maximumQueuedMessages: Int
    /// The maximum size of publications queued and in flight, in bytes. A publication may exceed it if it is alone.
    public var maximumQueuedBytes: Int
    /// The in-flight window, 1 to 1000 publications: libmosquitto's message ids have 16 bits and wrap without an error.
    public var maximumInFlight: Int
    /// How long ``MQTTProducer/stop()`` keeps sending the queue, in seconds.
    public var stopSeconds: Double

    /// Creates limits. Each one has a default.
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
