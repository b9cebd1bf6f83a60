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
    /// True if a QoS 1 message without a subscriber is an error (``MQTTError/Code-swift.struct/noSubscribers``): the
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
