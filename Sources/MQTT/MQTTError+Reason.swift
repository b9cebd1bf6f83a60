extension MQTTError {
    /// The error of a reason code: of CONNACK, SUBACK, PUBACK or DISCONNECT.
    ///
    /// Sources: MQTT 5 section 2.4 for codes from 0x80, MQTT 3.1.1 section 3.2.2.3 for 1 to 5.
    ///
    /// - Parameters:
    ///   - reason: the code, 1 to 5, 0x10 or from 0x80.
    ///   - what: what was refused, for the message: "the connection", "publishing".
    static func refused(reason: UInt8, what: String) -> MQTTError {
        switch reason {
        case Self.nobodyWasSubscribed:
            MQTTError(.noSubscribers, "nobody has subscribed to the topic for \(what): start its reader", reason)
        case 0x01, 0x84:
            MQTTError(.unsupportedVersion, "the broker refuses this MQTT version: choose the other one", reason)
        case 0x02, 0x85:
            MQTTError(.clientIDRejected, "the broker refuses the client id: choose another one", reason)
        case 0x03, 0x88, 0x89, 0x97, 0x9F:
            MQTTError(.serverUnavailable, "the broker is too busy for \(what): it is tried again", reason)
        case 0x04, 0x86:
            MQTTError(.badCredentials, "the broker refuses user name or password: check them in its address", reason)
        case 0x05, 0x87, 0x8A, 0x8C:
            MQTTError(.notAuthorized, "the broker does not allow \(what): check its access list", reason)
        case 0x8E:
            MQTTError(
                .sessionTakenOver, "another program connected with our client id: give each its own name", reason)
        case 0x95: MQTTError(.payloadTooLarge, "the broker refuses \(what), too large: send smaller ones", reason)
        case 0x8F, 0x90:
            MQTTError(.invalidTopic, "the broker refuses the topic for \(what): see its log", reason)
        case 0x81, 0x82, 0x93:
            MQTTError(.protocolViolation, "the broker ended \(what), protocol error: see its log", reason)
        case 0x80, 0x83, 0x8B, 0x8D, 0x98:
            MQTTError(.connectionLost, "the broker ended \(what) (reason \(reason)): it is tried again", reason)
        default:
            MQTTError(.refused, "the broker refuses \(what) (reason \(reason)): see its log", reason)
        }
    }

    /// The answer of a broker that has no subscriber for a message (MQTT 5 section 3.4.2.1).
    static let nobodyWasSubscribed: UInt8 = 0x10

    /// The error of a SUBACK. 3.1.1 has one code for every reason, 0x80, and in practice it is the access list.
    static func subscriptionRefused(reason: UInt8) -> MQTTError {
        refused(reason: reason == 0x80 ? 0x87 : reason, what: "a subscription")
    }

    private init(_ code: Code, _ message: String, _ reason: UInt8) {
        self.init(code, message, reasonCode: reason)
    }
}
