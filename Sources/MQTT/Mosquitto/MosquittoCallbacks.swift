import CMosquitto
import Glibc

/// The C functions that libmosquitto calls from inside `loop_read` and `loop_write`, on the connection's thread.
///
/// Their context is the connection's ``MosquittoEvents``, unretained because ``MosquittoHandle`` owns it and destroys
/// the C handle first. Inside a callback the library's `callback_mutex` is held, so nothing here calls the library
/// back, and topic and payload are freed when it returns, so both are copied.
enum MosquittoCallbacks {
    static func set(on handle: OpaquePointer) {
        mosquitto_connect_v5_callback_set(handle) { _, context, reason, flags, _ in
            guard let events = MosquittoCallbacks.events(context) else { return }
            events.connack = (UInt8(truncatingIfNeeded: reason), flags & 1 != 0)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
            // Lower codes are libmosquitto's own; its functions return them as well.
            guard (0x80...0xFF).contains(reason) else { return }
            MosquittoCallbacks.events(context)?.disconnectReason = UInt8(truncatingIfNeeded: reason)
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, messageID, count, grants, _ in
            MosquittoCallbacks.events(context)?.subscribed(
                messageID, UnsafeBufferPointer(start: grants, count: Int(count)))
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, messageID, reason, _ in
            MosquittoCallbacks.events(context)?.publishAnswers.append(
                (messageID, UInt8(truncatingIfNeeded: reason)))
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message else { return }
            MosquittoCallbacks.events(context)?.received(message.pointee, properties)
        }
    }

    private static func events(_ context: UnsafeMutableRawPointer?) -> MosquittoEvents? {
        guard let context else { return nil }
        let events = Unmanaged<MosquittoEvents>.fromOpaque(context).takeUnretainedValue()
        events.callbackCount += 1
        return events
    }
}

extension MosquittoEvents {
    fileprivate func subscribed(_ messageID: Int32, _ grants: UnsafeBufferPointer<Int32>) {
        // Each SUBSCRIBE has one filter.
        guard let filter = pendingSubscriptions.removeValue(forKey: messageID), let grant = grants.first else { return }
        guard grant >= 0x80 else { return grantedSubscriptions.append(filter) }
        if refusedSubscription == nil { refusedSubscription = (filter, UInt8(truncatingIfNeeded: grant)) }
    }

    fileprivate func received(_ message: mosquitto_message, _ properties: OpaquePointer?) {
        guard let arena, let topicText = message.topic else { return }
        let topic = arena.append(UnsafeRawBufferPointer(start: topicText, count: strlen(topicText)))
        // The payload is NULL when it is empty.
        let payload = arena.append(
            UnsafeRawBufferPointer(start: message.payload, count: message.payload == nil ? 0 : Int(message.payloadlen)))
        let propertyIndex = properties.map { arena.append(MessageArena.PropertyRecord($0, into: arena)) } ?? -1
        arena.append(
            MessageArena.Record(
                topicOffset: topic.lowerBound, topicLength: topic.count, payloadLength: payload.count,
                propertyIndex: propertyIndex, qos: message.qos > 0 ? .atLeastOnce : .atMostOnce,
                isRetained: message.retain))
    }
}

/// Collects the events of libmosquitto's callbacks for the loop that called the library. The callbacks only record,
/// because the library holds a lock while they run. Owned by one connection's thread.
final class MosquittoEvents {
    /// The number of callbacks so far. It shows whether a read met a packet, if the packet has a callback.
    var callbackCount = 0
    /// The reason code and the Session Present flag of CONNACK.
    var connack: (reason: UInt8, sessionPresent: Bool)?
    /// The reason of the broker's DISCONNECT (MQTT 5).
    var disconnectReason: UInt8?
    /// The filters of the SUBSCRIBEs still without SUBACK, by message id.
    var pendingSubscriptions: [Int32: String] = [:]
    /// The filters that were granted since the role last took them.
    var grantedSubscriptions: [String] = []
    /// The first refused filter, with its reason.
    var refusedSubscription: (filter: String, reason: UInt8)?
    /// The answers to publications: message id and reason code.
    var publishAnswers: [(messageID: Int32, reason: UInt8)] = []
    /// The storage of received messages; a producer has none.
    var arena: MessageArena?

    init(arena: MessageArena?) {
        self.arena = arena
    }
}

/// A property list for libmosquitto. It is freed with this value unless the library has taken it over.
struct PropertyList: ~Copyable {
    private(set) var pointer: OpaquePointer?

    init() {}

    deinit {
        var list = pointer
        mosquitto_property_free_all(&list)
    }

    init(_ properties: MQTTProperties) throws(MQTTError) {
        if let topic = properties.responseTopic {
            try check(mosquitto_property_add_string(&pointer, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), topic))
        }
        if let seconds = properties.messageExpirySeconds { try add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, seconds) }
        guard let data = properties.correlationData else { return }
        let count = UInt16(exactly: data.count)
        let identifier = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
        let code = count.map { mosquitto_property_add_binary(&pointer, identifier, data, $0) }
        try check(code ?? MOSQ_ERR_INVAL.rawValue)
    }

    mutating func add(_ property: mqtt5_property, _ value: UInt32) throws(MQTTError) {
        try check(mosquitto_property_add_int32(&pointer, Int32(property.rawValue), value))
    }

    /// Gives up ownership after a function has taken the list over.
    mutating func giveAway() {
        pointer = nil
    }

    private func check(_ code: Int32) throws(MQTTError) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw MQTTError(
            .invalidConfiguration,
            "a property cannot be sent: texts are UTF-8 without NUL, at most 65535 bytes (\(code))")
    }
}

extension MessageArena.PropertyRecord {
    /// Copies the properties of a received message, which are valid inside the callback.
    init(_ list: OpaquePointer, into arena: MessageArena) {
        var topic: UnsafeMutablePointer<CChar>?
        var data: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        var seconds: UInt32 = 0
        defer {
            free(topic)
            free(data)
        }
        if mosquitto_property_read_string(list, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), &topic, false) != nil,
            let topic
        {
            responseTopic = arena.append(UnsafeRawBufferPointer(start: topic, count: strlen(topic)))
        }
        if mosquitto_property_read_binary(
            list, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), &data, &count, false) != nil
        {
            correlationData = arena.append(UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(count)))
        }
        if mosquitto_property_read_int32(
            list, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &seconds, false) != nil
        {
            messageExpirySeconds = seconds
        }
    }
}
