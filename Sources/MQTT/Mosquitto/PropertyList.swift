import CMosquitto

/// A property list that we build for libmosquitto, freed with this value unless the library has taken it.
struct PropertyList: ~Copyable {
    private(set) var pointer: OpaquePointer?

    init() {}

    deinit {
        var list = pointer
        mosquitto_property_free_all(&list)
    }

    /// The properties of a publication or will.
    init(_ properties: MQTTProperties) throws(MQTTError) {
        if let topic = properties.responseTopic { try add(MQTT_PROP_RESPONSE_TOPIC, topic) }
        if let type = properties.contentType { try add(MQTT_PROP_CONTENT_TYPE, type) }
        if let seconds = properties.messageExpirySeconds { try add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, seconds) }
        if let data = properties.correlationData { try add(MQTT_PROP_CORRELATION_DATA, data) }
        for user in properties.userProperties { try addUser(user) }
    }

    mutating func add(_ property: mqtt5_property, _ value: UInt32) throws(MQTTError) {
        try check(mosquitto_property_add_int32(&pointer, Int32(property.rawValue), value))
    }

    private mutating func add(_ property: mqtt5_property, _ value: String) throws(MQTTError) {
        try check(mosquitto_property_add_string(&pointer, Int32(property.rawValue), value))
    }

    private mutating func add(_ property: mqtt5_property, _ value: [UInt8]) throws(MQTTError) {
        guard let count = UInt16(exactly: value.count) else { return try check(Int32(MOSQ_ERR_INVAL.rawValue)) }
        try check(mosquitto_property_add_binary(&pointer, Int32(property.rawValue), value, count))
    }

    private mutating func addUser(_ user: MQTTProperties.User) throws(MQTTError) {
        let identifier = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
        try check(mosquitto_property_add_string_pair(&pointer, identifier, user.name, user.value))
    }

    /// For a function that takes the list over.
    mutating func giveAway() {
        pointer = nil
    }

    private func check(_ code: Int32) throws(MQTTError) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw MQTTError(
            .invalidConfiguration, "a property cannot be sent: texts are UTF-8 without NUL, at most 65535 bytes",
            libraryCode: Int(code))
    }
}
