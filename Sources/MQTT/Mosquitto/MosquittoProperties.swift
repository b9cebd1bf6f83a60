import CMosquitto
import Glibc

/// A property list for libmosquitto. It is freed with this value unless the library has taken it over.
struct PropertyList: ~Copyable {
    private(set) var pointer: OpaquePointer?

    init() {}

    deinit {
        var list = pointer
        mosquitto_property_free_all(&list)
    }

    /// The properties of a publication or will.
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
