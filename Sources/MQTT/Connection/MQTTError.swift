/// A failure, its remedy, and whether trying again makes sense.
public struct MQTTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: Sendable, Hashable {
        /// The broker's address cannot be parsed.
        case invalidEndpoint
        /// A value of the configuration is out of its range.
        case invalidConfiguration
        /// A topic or filter breaks the rules of section 4.7.
        case invalidTopic
        /// The message is larger than MQTT or the broker allows.
        case payloadTooLarge
        /// The host name is not known.
        case hostNotFound
        /// No program listens at the address, or there is no route to it.
        case unreachable
        /// DNS, TCP, CONNACK or SUBACK took too long.
        case connectTimeout
        /// The connection ended.
        case connectionLost
        /// The broker has been silent for one and a half keep-alives.
        case keepAliveTimeout
        /// The TLS handshake failed, or a certificate cannot be read.
        case tls
        /// The broker accepts no connections at present.
        case serverUnavailable
        /// User name or password are wrong.
        case badCredentials
        /// The user lacks the permission.
        case notAuthorized
        /// The broker does not accept this client id.
        case clientIDRejected
        /// The broker does not support this protocol version.
        case unsupportedVersion
        /// Another connection uses the same client id.
        case sessionTakenOver
        /// The broker refused something for another reason; see ``MQTTError/reasonCode``.
        case refused
        /// One side violated the protocol.
        case protocolViolation
        /// The broker accepted the message and dropped it, because no client has subscribed to its topic.
        case noSubscribers
        /// The broker refused a subscription for a reason that may pass: it does not say which, or it is too busy.
        case subscriptionRefused
        /// Many connections in a row ended without any progress.
        case noProgress
        /// A batch was held for longer than its limit, so its messages are delivered again.
        case batchHeldTooLong
        /// A batch was released without `acknowledge()`, so its messages are delivered again.
        case batchAbandoned
        /// The connection has been stopped.
        case stopped
        /// The operating system has no thread, descriptor or memory left.
        case systemResources
        /// An error of libmosquitto without a code of its own here; the message has its number.
        case library
    }

    /// The kind of error.
    public let code: Code
    /// One line: what happened and what to do.
    public let message: String
    /// The broker's reason code, if it gave one (MQTT 5 section 2.4; with 3.1.1 in CONNACK).
    public let reasonCode: UInt8?

    package init(_ code: Code, _ message: String, reasonCode: UInt8? = nil) {
        self.code = code
        self.message = message
        self.reasonCode = reasonCode
    }

    /// The message.
    public var description: String { message }
}

extension MQTTError {
    /// True if a retry may succeed without any change.
    public var isRetriable: Bool {
        switch code {
        case .hostNotFound, .unreachable, .connectTimeout, .connectionLost, .keepAliveTimeout, .serverUnavailable,
            .protocolViolation, .batchHeldTooLong, .batchAbandoned, .noSubscribers, .subscriptionRefused,
            .systemResources, .library:
            true
        default: false
        }
    }

    /// The error of a reason code: of CONNACK, PUBACK or DISCONNECT, or of a SUBACK that says why.
    ///
    /// Sources: MQTT 5 section 2.4 for codes from 0x80, MQTT 3.1.1 section 3.2.2.3 for 1 to 5. `SubscriptionGrants` has
    /// the codes of SUBACK.
    ///
    /// - Parameters:
    ///   - reason: the code, 1 to 5, 0x10 or from 0x80.
    ///   - what: what was refused, for the message: "the connection", "publishing".
    static func refused(reason: UInt8, what: String) -> MQTTError {
        switch reason {
        case Self.noMatchingSubscribers:
            MQTTError(.noSubscribers, "no client has subscribed to the topic for \(what): start its reader", reason)
        case 0x01, 0x84:
            MQTTError(.unsupportedVersion, "the broker refuses this MQTT version: choose the other one", reason)
        case 0x02, 0x85:
            MQTTError(.clientIDRejected, "the broker refuses the client id: choose another one", reason)
        case 0x03, 0x88, 0x89, 0x97, 0x9F:
            MQTTError(.serverUnavailable, "the broker is too busy for \(what): it is tried again", reason)
        case 0x04, 0x86:
            MQTTError(.badCredentials, "the broker refuses user name or password: check them in its address", reason)
        case 0x05, 0x87, 0x8A, 0x8C:
            // Mosquitto says so to a wrong password too.
            MQTTError(
                .notAuthorized,
                "the broker does not allow \(what): check "
                    + (what == "the connection" ? "user and password, then " : "") + "its access list", reason)
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

    /// The reason code of a PUBACK from a broker without a subscriber for the message (MQTT 5 section 3.4.2.1).
    static let noMatchingSubscribers: UInt8 = 0x10

    /// The error of a publication at which the broker closes every connection.
    static func closesConnection(_ publication: MQTTPublication) -> MQTTError {
        MQTTError(
            .refused,
            "the broker closes the connection at each message of \(publication.byteCount) bytes on "
                + "'\(String(decoding: publication.topic.prefix(80), as: UTF8.self))': this user may not write there, or it "
                + "is too large; the broker's log says which")
    }

    private init(_ code: Code, _ message: String, _ reason: UInt8) {
        self.init(code, message, reasonCode: reason)
    }
}
