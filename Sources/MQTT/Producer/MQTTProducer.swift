/// A connection that only publishes.
///
/// QoS 1 publications wait in a bounded queue of ours until their PUBACK and survive reconnects; the broker may see one
/// twice. The queue is memory: what must survive a crash belongs in an outbox of the application, which moves on when
/// `publish` returns.
public final class MQTTProducer: Sendable {
    private let outgoing: OutgoingState
    private let connection = ConnectionThread()
    private let limits: MQTTProducerLimits

    /// Connects on a thread of its own. Mistakes in the configuration are thrown from `publish`.
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

    /// Publishes in order, waits while the queue is full, and returns when every QoS 1 publication has its PUBACK and
    /// every QoS 0 publication has been given to the connection.
    ///
    /// A task that is cancelled gets a `CancellationError`; what had entered the queue is still sent.
    ///
    /// - Throws: ``MQTTError`` when a topic is invalid, when the broker refuses a publication (the first refusal, after
    ///   all have been answered), or when the producer ended before the answers came.
    public func publish(_ publications: [MQTTPublication]) async throws {
        for publication in publications { try publication.check() }
        try await outgoing.publish(publications)
    }

    /// Publishes one message; see ``publish(_:)-(Array<MQTTPublication>)``.
    public func publish(_ publication: MQTTPublication) async throws {
        try await publish([publication])
    }

    /// The number of the connection that there is, counted from 1; `nil` while there is none.
    package var connectionNumber: UInt64? { outgoing.connectionNumber }

    /// Publishes over one connection and no later one: what it has not answered when it breaks is not sent again, and
    /// throws ``MQTTError/Code-swift.struct/connectionLost``. For values that another client may have replaced
    /// meanwhile.
    package func publish(_ publications: [MQTTPublication], overConnection number: UInt64) async throws {
        for publication in publications { try publication.check() }
        try await outgoing.publish(publications, overConnection: number)
    }

    /// Publishes without ever waiting: for live values that the next one replaces.
    ///
    /// - Returns: `false` when the queue is full, there is no connection, or the topic is invalid. The message is then
    ///   dropped and counted, and so are offers that a breaking connection leaves unsent.
    @discardableResult
    package func offer(_ publication: MQTTPublication) -> Bool {
        guard (try? publication.check()) != nil else {
            outgoing.countDrop()
            return false
        }
        return outgoing.offer(publication)
    }

    /// The offers dropped so far.
    package var droppedCount: Int { outgoing.droppedCount }

    /// The publications queued and in flight.
    package var queuedMessages: Int { outgoing.queuedMessages }

    package var queuedBytes: Int { outgoing.queuedBytes }

    /// The state of the connection now.
    public var connectionState: MQTTConnectionState { connection.states.current }

    /// The current state of the connection and every change from now on; it ends when the connection has ended.
    public var events: AsyncStream<MQTTConnectionState> { connection.states.stream() }

    /// Sends what is queued and waits for its PUBACKs, for ``MQTTProducerLimits/stopSeconds`` at most, and ends the
    /// connection and its thread. Publications that are still unanswered then throw ``MQTTError/Code/stopped``.
    ///
    /// When all has been answered the connection is closed in order. Else the broker is left to publish the last will,
    /// because a last word that says the same may be among what it did not take.
    ///
    /// - Returns: How many publications were left that the broker has not answered, offers included; 0 when it has all.
    @discardableResult
    public func stop() async -> Int {
        outgoing.requestStop(deadlineSeconds: MonotonicClock.nowSeconds + limits.stopSeconds)
        await connection.ending.wait()
        return outgoing.abandonedCount
    }
}

/// The limits of a producer's queue.
public struct MQTTProducerLimits: Sendable, Hashable {
    /// The most publications queued and in flight together; `publish` waits above it, `offer` drops.
    public var maximumQueuedMessages: Int
    /// The most bytes queued and in flight together. One publication may go beyond when it is alone.
    public var maximumQueuedBytes: Int
    /// The most publications inside libmosquitto, 1 to 1000: its message ids are 16 bits and wrap without an error.
    public var maximumInFlight: Int
    /// The time for which ``MQTTProducer/stop()`` goes on sending what is queued, in seconds.
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
