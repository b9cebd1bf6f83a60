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

/// A message to publish.
public struct MQTTPublication: Sendable, Hashable {
    /// The topic's UTF-8 bytes, without wildcards.
    public var topic: [UInt8]
    /// The payload; empty is allowed and clears a retained message.
    public var payload: [UInt8]
    /// The quality of service.
    public var qos: MQTTQoS
    /// True if the broker keeps it as the retained message of its topic, for later subscribers.
    public var retain: Bool
    /// MQTT 5 properties; not sent over 3.1.1.
    public var properties: MQTTProperties?
    /// True if a QoS 1 message without a subscriber is an error (``MQTTError/Code-swift.enum/noSubscribers``): the
    /// broker accepts and drops it. Only MQTT 5 brokers report this, and they need not (section 3.4.2.1, reason code
    /// 0x10).
    package var needsSubscriber = false

    /// A message to a topic given as bytes.
    public init(
        topic: [UInt8], payload: [UInt8], qos: MQTTQoS = .atLeastOnce, retain: Bool = false,
        properties: MQTTProperties? = nil
    ) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.retain = retain
        self.properties = properties
    }

    /// A message to a topic given as text.
    public init(
        topic: String, payload: [UInt8], qos: MQTTQoS = .atLeastOnce, retain: Bool = false,
        properties: MQTTProperties? = nil
    ) {
        self.init(topic: Array(topic.utf8), payload: payload, qos: qos, retain: retain, properties: properties)
    }

    /// The size of the message in a queue, in bytes: topic, payload and properties.
    package var byteCount: Int { topic.count + payload.count + (properties?.byteCount ?? 0) }

    /// MQTT's longest message (specification section 1.5.5), in bytes.
    static let maximumPayloadBytes = 268_435_455

    /// Checks that the topic can be published to (section 4.7) and that the payload is not too long.
    func check() throws(MQTTError) {
        let isPlain = topic.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "#") && $0 != 0 }
        guard isPlain, (1...65_535).contains(topic.count), String(validating: topic, as: UTF8.self) != nil else {
            throw MQTTError(
                .invalidTopic,
                "cannot publish to '\(String(decoding: topic.prefix(80), as: UTF8.self))': a topic is UTF-8 without +, # and NUL"
            )
        }
        guard byteCount <= Self.maximumPayloadBytes else {
            throw MQTTError(.payloadTooLarge, "a message of \(byteCount) bytes is more than MQTT can carry: split it")
        }
    }
}

/// The quality of service: at most once or at least once. QoS 2 is not supported: after PUBREC a message is only in the
/// client's memory, and a crash loses it. At least once plus an identity check counts each message once.
public enum MQTTQoS: UInt8, Sendable, Hashable {
    /// QoS 0.
    case atMostOnce = 0
    /// QoS 1.
    case atLeastOnce = 1
}

/// The MQTT 5 properties of a publication (specification section 3.3.2.3). A 3.1.1 connection sends none of them.
public struct MQTTProperties: Sendable, Hashable {
    /// The topic for the answer.
    public var responseTopic: String?
    /// The bytes that link an answer to its request.
    public var correlationData: [UInt8]?
    /// How long the broker keeps the message for a disconnected subscriber, in seconds.
    public var messageExpirySeconds: UInt32?

    /// Properties; all may be left out.
    public init(
        responseTopic: String? = nil, correlationData: [UInt8]? = nil, messageExpirySeconds: UInt32? = nil
    ) {
        self.responseTopic = responseTopic
        self.correlationData = correlationData
        self.messageExpirySeconds = messageExpirySeconds
    }

    /// The approximate size of the properties in a queue, in bytes.
    var byteCount: Int { (responseTopic?.utf8.count ?? 0) + (correlationData?.count ?? 0) }
}
