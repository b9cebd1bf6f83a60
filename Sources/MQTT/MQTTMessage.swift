/// A received message: a view into its batch's memory, made without copying or allocating.
public struct MQTTMessage: Sendable {
    private let arena: MessageArena
    private let record: MessageArena.Record

    init(arena: MessageArena, index: Int) {
        self.arena = arena
        record = arena.records[index]
    }

    /// The topic's bytes: valid UTF-8 as checked by libmosquitto, but possibly with `+` or `#` in it. Valid as long as
    /// the batch is held.
    public var topic: UnsafeRawBufferPointer {
        arena.bytes(record.topicOffset..<record.topicOffset + record.topicLength)
    }

    /// The payload's bytes, possibly none. Valid as long as the batch is held.
    public var payload: UnsafeRawBufferPointer {
        let start = record.topicOffset + record.topicLength
        return arena.bytes(start..<start + record.payloadLength)
    }

    /// The QoS it was delivered with.
    public var qos: MQTTQoS { has(MessageArena.qos1Flag) ? .atLeastOnce : .atMostOnce }
    /// Whether it is a retained message sent because we subscribed, not a new one.
    public var isRetained: Bool { has(MessageArena.retainFlag) }

    /// Where an answer is expected (MQTT 5). Hostile input: check it before publishing there.
    public var responseTopic: UnsafeRawBufferPointer? { properties?.responseTopic.map(arena.bytes) }
    /// What the asker recognises the answer by (MQTT 5).
    public var correlationData: UnsafeRawBufferPointer? { properties?.correlationData.map(arena.bytes) }
    /// What the payload is (MQTT 5).
    public var contentType: UnsafeRawBufferPointer? { properties?.contentType.map(arena.bytes) }
    /// The seconds that the message had left when the broker sent it (MQTT 5).
    public var messageExpirySeconds: UInt32? { properties?.messageExpirySeconds }

    /// The user properties in order (MQTT 5). Allocates; meant for requests, not for samples.
    public var userProperties: [MQTTProperties.User] {
        guard let ranges = properties?.userStrings else { return [] }
        return stride(from: 0, to: ranges.count - 1, by: 2).map { index in
            MQTTProperties.User(name: string(ranges[index]), value: string(ranges[index + 1]))
        }
    }

    private var properties: MessageArena.PropertyRecord? {
        record.propertyIndex < 0 ? nil : arena.propertyRecords[record.propertyIndex]
    }

    private func has(_ flag: UInt8) -> Bool { record.flags & flag != 0 }

    private func string(_ range: Range<Int>) -> String { String(decoding: arena.bytes(range), as: UTF8.self) }
}
