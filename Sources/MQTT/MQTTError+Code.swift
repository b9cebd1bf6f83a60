extension MQTTError.Code {
    /// The broker's address cannot be parsed.
    public static let invalidEndpoint = Self(rawValue: 1)
    /// A value of the configuration is out of its range.
    public static let invalidConfiguration = Self(rawValue: 2)
    /// A topic or filter breaks the rules of section 4.7.
    public static let invalidTopic = Self(rawValue: 3)
    /// The message is larger than MQTT or the broker allows.
    public static let payloadTooLarge = Self(rawValue: 4)
    /// The host name is not known.
    public static let hostNotFound = Self(rawValue: 10)
    /// Nobody listens there, or the network does not lead there.
    public static let unreachable = Self(rawValue: 11)
    /// TCP, CONNACK or SUBACK took too long.
    public static let connectTimeout = Self(rawValue: 12)
    /// The connection ended.
    public static let connectionLost = Self(rawValue: 13)
    /// The broker has been silent for nearly twice the keep-alive.
    public static let keepAliveTimeout = Self(rawValue: 14)
    /// The TLS handshake failed, or a certificate cannot be read.
    public static let tls = Self(rawValue: 15)
    /// The broker takes no connections for now.
    public static let serverUnavailable = Self(rawValue: 20)
    /// User name or password are wrong.
    public static let badCredentials = Self(rawValue: 21)
    /// This user may not do that.
    public static let notAuthorized = Self(rawValue: 22)
    /// The broker does not take this client id.
    public static let clientIDRejected = Self(rawValue: 23)
    /// The broker does not speak this protocol version.
    public static let unsupportedVersion = Self(rawValue: 24)
    /// Another connection uses our client id.
    public static let sessionTakenOver = Self(rawValue: 25)
    /// The broker refused something for another reason; see ``MQTTError/reasonCode``.
    public static let refused = Self(rawValue: 26)
    /// The peer broke the protocol.
    public static let protocolViolation = Self(rawValue: 27)
    /// The broker took the message and threw it away, because nobody has subscribed to its topic.
    public static let noSubscribers = Self(rawValue: 28)
    /// Many connections in a row ended without any progress.
    public static let noProgress = Self(rawValue: 30)
    /// A batch was held for longer than its limit, so its messages are delivered again.
    public static let batchHeldTooLong = Self(rawValue: 31)
    /// A batch was released without `acknowledge()`, so its messages are delivered again.
    public static let batchAbandoned = Self(rawValue: 32)
    /// The connection has been stopped.
    public static let stopped = Self(rawValue: 33)
    /// The operating system gave us no thread, descriptor or memory.
    public static let systemResources = Self(rawValue: 40)
    /// Something that libmosquitto names and we do not; see ``MQTTError/libraryCode``.
    public static let library = Self(rawValue: 41)

    var isUsuallyRetriable: Bool {
        switch self {
        case .hostNotFound, .unreachable, .connectTimeout, .connectionLost, .keepAliveTimeout, .serverUnavailable,
            .protocolViolation, .batchHeldTooLong, .batchAbandoned, .noSubscribers, .systemResources, .library:
            true
        default: false
        }
    }
}
