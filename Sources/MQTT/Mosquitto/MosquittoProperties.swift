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

    /// Gives up ownership after a function has taken the list over.
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

/// The property list of a received message, valid inside the callback.
struct ReceivedProperties {
    private let first: OpaquePointer

    init(_ first: OpaquePointer) {
        self.first = first
    }

    func copied(into arena: MessageArena) -> MessageArena.PropertyRecord {
        var record = MessageArena.PropertyRecord()
        var next: OpaquePointer? = first
        while let property = next {
            copy(property, into: &record, arena)
            next = mosquitto_property_next(property)
        }
        return record
    }

    private func copy(
        _ property: OpaquePointer, into record: inout MessageArena.PropertyRecord, _ arena: MessageArena
    ) {
        switch UInt32(bitPattern: mosquitto_property_identifier(property)) {
        case MQTT_PROP_RESPONSE_TOPIC.rawValue:
            record.responseTopic = string(property, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), arena)
        case MQTT_PROP_CONTENT_TYPE.rawValue:
            record.contentType = string(property, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), arena)
        case MQTT_PROP_CORRELATION_DATA.rawValue:
            record.correlationData = binary(property, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), arena)
        case MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue:
            var seconds: UInt32 = 0
            let identifier = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
            guard mosquitto_property_read_int32(property, identifier, &seconds, false) != nil else { return }
            record.messageExpirySeconds = seconds
        case MQTT_PROP_USER_PROPERTY.rawValue: copyUserProperty(property, into: &record, arena)
        default: return
        }
    }

    private func string(_ property: OpaquePointer, _ identifier: Int32, _ arena: MessageArena) -> Range<Int>? {
        var value: UnsafeMutablePointer<CChar>?
        defer { free(value) }
        guard mosquitto_property_read_string(property, identifier, &value, false) != nil, let value else { return nil }
        return arena.append(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    private func binary(_ property: OpaquePointer, _ identifier: Int32, _ arena: MessageArena) -> Range<Int>? {
        var value: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        defer { free(value) }
        guard mosquitto_property_read_binary(property, identifier, &value, &count, false) != nil else { return nil }
        return arena.append(UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : Int(count)))
    }

    private func copyUserProperty(
        _ property: OpaquePointer, into record: inout MessageArena.PropertyRecord, _ arena: MessageArena
    ) {
        var name: UnsafeMutablePointer<CChar>?
        var value: UnsafeMutablePointer<CChar>?
        defer {
            free(name)
            free(value)
        }
        let identifier = Int32(MQTT_PROP_USER_PROPERTY.rawValue)
        guard mosquitto_property_read_string_pair(property, identifier, &name, &value, false) != nil,
            let name, let value
        else { return }
        record.userStrings.append(arena.append(UnsafeRawBufferPointer(start: name, count: strlen(name))))
        record.userStrings.append(arena.append(UnsafeRawBufferPointer(start: value, count: strlen(value))))
    }
}
