import CMosquitto
import Glibc

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
