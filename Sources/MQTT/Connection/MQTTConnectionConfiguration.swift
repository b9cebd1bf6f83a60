import Synchronization

/// The settings of a connection. They are read once, at its start.
public struct MQTTConnectionConfiguration: Sendable {
    /// The address of the broker.
    public var endpoint: MQTTEndpoint
    /// The client id. A persistent session needs a stable one, and no two connections may share one. A consumer with a
    /// clean session adds a number to it at each further connection.
    public var clientID: String
    /// The protocol version.
    public var version: MQTTVersion
    /// The keep-alive, in seconds, at least 5 (libmosquitto). A silent broker is given up after one and a half
    /// times that.
    public var keepAliveSeconds = 5
    /// How long the broker keeps the session (subscriptions and messages) after a disconnect, in seconds; 0 is a clean
    /// session. MQTT 3.1.1 knows only "for ever" (any value above 0) or "not at all". Producers need no session: they
    /// always connect with Clean Start.
    public var sessionExpirySeconds: UInt32
    /// The message that the broker publishes when the connection ends without a DISCONNECT.
    public var will: MQTTPublication?
    /// The waits between attempts to connect.
    public var backoff = MQTTBackoff()
    /// The in-flight window of received QoS 1 messages (MQTT 5 Receive Maximum; ignored by 3.1.1).
    public var receiveMaximum: UInt16 = 2_000
    /// The largest packet that the broker may send, in bytes (MQTT 5 Maximum Packet Size); `nil` sets no limit.
    public var maximumPacketBytes: UInt32?
    /// The longest time for DNS, TCP, TLS and CONNACK, in seconds. The SUBACKs may take as long again.
    public var connectTimeoutSeconds = 10.0
    /// How long a subscription that was never granted is tried again, at least three times, where the broker refuses it
    /// and does not say why (MQTT 3.1.1 never does), in seconds; then it is an error. One that was granted before is
    /// tried for as long as it takes: that is a cluster in a failover, or the access list of a running broker.
    package var refusedSubscriptionSeconds = 10.0
    /// The number of connections in a row that may end in a protocol violation, such as a topic that is not UTF-8,
    /// without an acknowledged message, until that is an error. A broker would send such a message again for ever.
    package var maximumReconnectsWithoutProgress = 20
    /// True if a consumer then gives its session up, with what the broker keeps in it, and goes on with a new one
    /// (``MQTTSessionInfo/sessionPresent`` is false): for programs that ask for what they missed.
    package var givesUpSession = false
    /// True if this connection gives way to another program with the same client id: for programs that must run only
    /// once. A broker that names the reason (MQTT 5) always ends the older connection with
    /// ``MQTTError/Code/sessionTakenOver``. Mosquitto 2.0 and every 3.1.1 broker close it without a reason, as in other
    /// cases. With `true` the connection fails after three closures in a row, the last two soon after it was accepted, of
    /// connections on which the broker had granted a subscription or taken a message.
    package var isExclusive = false

    /// Settings for a connection to `endpoint` as `clientID`; the others have their defaults.
    public init(
        endpoint: MQTTEndpoint, clientID: String, version: MQTTVersion = .v5, sessionExpirySeconds: UInt32 = 0
    ) {
        self.endpoint = endpoint
        self.clientID = clientID
        self.version = version
        self.sessionExpirySeconds = sessionExpirySeconds
    }

    /// Throws the first error in the configuration.
    func check() throws(MQTTError) {
        guard (5...65_535).contains(keepAliveSeconds) else {
            throw MQTTError(.invalidConfiguration, "keepAliveSeconds is \(keepAliveSeconds): give 5 to 65535")
        }
        guard !clientID.isEmpty, clientID.utf8.count <= 65_535, !clientID.utf8.contains(0) else {
            throw MQTTError(.invalidConfiguration, "the client id is empty or too long: give each connection a name")
        }
        guard (1...65_535).contains(endpoint.port), !endpoint.host.isEmpty, !endpoint.host.utf8.contains(0) else {
            throw MQTTError(.invalidEndpoint, "the broker's host is empty or its port is not in 1...65535")
        }
        guard receiveMaximum > 0, connectTimeoutSeconds > 0 else {
            throw MQTTError(.invalidConfiguration, "receiveMaximum and connectTimeoutSeconds must be above 0")
        }
        guard backoff.minimumSeconds > 0, backoff.maximumSeconds >= backoff.minimumSeconds else {
            throw MQTTError(
                .invalidConfiguration, "the back-off must be above 0 and its maximum no less than its minimum")
        }
        try will?.check()
    }
}

/// The protocol of a connection.
public enum MQTTVersion: Sendable, Hashable {
    /// MQTT 3.1.1 (OASIS 2014): no properties, and reason codes only in CONNACK.
    case v311
    /// MQTT 5.0 (OASIS 2019).
    case v5
}

/// The state of a connection. Every change is reported once, so it can be logged as it is.
public enum MQTTConnectionState: Sendable, Hashable {
    /// The first attempts are being made.
    case connecting
    /// The broker accepted the connection, and a consumer's subscriptions.
    case connected(MQTTSessionInfo)
    /// The connection broke or could not be made, for this reason. It is retried.
    case disconnected(MQTTError)
    /// The connection failed for good. The error is also thrown from `batches` or `publish`.
    case failed(MQTTError)
    /// Stopped on request.
    case stopped
}

/// The broker's answer when it accepted a connection.
public struct MQTTSessionInfo: Sendable, Hashable {
    /// True if the broker still had the session; `false` means that messages may have been missed.
    public let sessionPresent: Bool
    /// The number of this connection, counted from 1 for each consumer or producer.
    public let connectionNumber: Int
}

final class ConnectionStates: Sendable {
    private struct State {
        var current = MQTTConnectionState.connecting
        var listeners: [AsyncStream<MQTTConnectionState>.Continuation] = []
    }

    /// The number of changes buffered for a listener. A listener that does not read loses the oldest.
    private static let maximumBuffered = 64

    private let state = Mutex(State())

    var current: MQTTConnectionState { state.withLock { $0.current } }

    /// The current state and then every change; ends with `failed` or `stopped`.
    func stream() -> AsyncStream<MQTTConnectionState> {
        let (stream, listener) = AsyncStream.makeStream(
            of: MQTTConnectionState.self, bufferingPolicy: .bufferingNewest(Self.maximumBuffered))
        state.withLock { state in
            listener.yield(state.current)
            if state.current.isFinal { listener.finish() } else { state.listeners.append(listener) }
        }
        return stream
    }

    /// Sets the state and reports the change once. A second `disconnected` with the same error code is no change.
    func set(_ new: MQTTConnectionState) {
        state.withLock { state in
            if case .disconnected(let old) = state.current, case .disconnected(let error) = new,
                old.code == error.code
            {
                return
            }
            guard state.current != new else { return }
            state.current = new
            state.listeners.removeAll { listener in
                if case .terminated = listener.yield(new) { return true }
                if new.isFinal { listener.finish() }
                return new.isFinal
            }
        }
    }
}

extension MQTTConnectionState {
    var isFinal: Bool {
        switch self {
        case .failed, .stopped: true
        default: false
        }
    }
}
