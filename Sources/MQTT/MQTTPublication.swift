/// A message to publish.
public struct MQTTPublication: Sendable, Hashable {
    /// The topic's UTF-8 bytes, without wildcards.
    public var topic: [UInt8]
    /// The payload; empty is allowed and clears a retained message.
    public var payload: [UInt8]
    /// How often it may arrive.
    public var qos: MQTTQoS
    /// Whether the broker keeps it for those who subscribe later.
    public var retain: Bool
    /// MQTT 5 properties; not sent over 3.1.1.
    public var properties: MQTTProperties?
    /// Whether it is an error (``MQTTError/Code-swift.struct/noSubscribers``) that the broker took a QoS 1 message for
    /// nobody, and has therefore thrown it away. Only a broker that speaks MQTT 5 says so, and none has to (section
    /// 3.4.2.1, reason code 0x10).
    public var needsSubscriber = false

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

    /// The bytes that the message takes in a queue: topic, payload and properties.
    public var byteCount: Int { topic.count + payload.count + (properties?.byteCount ?? 0) }

    /// MQTT's longest message (specification section 1.5.5), in bytes.
    static let maximumPayloadBytes = 268_435_455

    /// Whether the topic can be published to (section 4.7) and the payload can be sent at all.
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
