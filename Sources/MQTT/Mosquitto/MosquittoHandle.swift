import CMosquitto
import CSocketBuffer
import Glibc

/// One connection's `struct mosquitto`: made for one attempt to connect and destroyed after it, so that no packet of
/// an old connection can leave on a new one. Used by one thread. The library makes the process ignore SIGPIPE.
final class MosquittoHandle {
    let events: MosquittoEvents
    let isTLS: Bool
    private let pointer: OpaquePointer
    private let configuration: MQTTConnectionConfiguration
    private let keepsSession: Bool
    /// What was received and not read yet, and what was written and not sent yet; `nil` where there was no memory for it.
    private let buffer: OpaquePointer?
    /// Whether DISCONNECT is queued, behind which the library closes the socket itself.
    private var isEnding = false
    private var topicText: [UInt8] = []
    /// True if anything was read since the last keep-alive check, and the time of the last check that found it true.
    private var isAnswered = true
    private var lastReceivedSeconds = MonotonicClock.nowSeconds

    /// The number of keep-alive intervals after which a silent broker is given up, as a broker gives up a client (MQTT 5
    /// section 3.1.2.10). libmosquitto would wait for two, so that what is read again would come later than the two
    /// intervals that a client may count on. It sends PINGREQ after one.
    static let silentKeepAlives = 1.5
    /// The longest wait without an event, in seconds.
    static let tickSeconds = 1.0

    /// Must run before anything else of the library and exactly once.
    private static let libraryInitialisation: Int32 = mosquitto_lib_init()

    init(
        configuration: MQTTConnectionConfiguration, cleanStart: Bool, keepsSession: Bool, sendMaximum: Int,
        events: MosquittoEvents
    ) throws(MQTTError) {
        _ = Self.libraryInitialisation
        let context = Unmanaged.passUnretained(events).toOpaque()
        guard let pointer = mosquitto_new(configuration.clientID, cleanStart, context) else {
            throw MQTTError(.invalidConfiguration, "the client id '\(configuration.clientID)' is not UTF-8 or too long")
        }
        self.events = events
        self.pointer = pointer
        self.configuration = configuration
        self.keepsSession = keepsSession
        isTLS = configuration.endpoint.tls != nil
        buffer = socket_buffer_new()
        MosquittoCallbacks.set(on: pointer)
        try setOptions(sendMaximum: sendMaximum)
        try setWill()
        try setTLS()
    }

    deinit {
        mosquitto_destroy(pointer)
        socket_buffer_free(buffer)
    }

    /// The connection's descriptor, or -1.
    var socket: Int32 { mosquitto_socket(pointer) }

    /// True if something is queued that has not been sent.
    var wantsWrite: Bool { mosquitto_want_write(pointer) || hasUnsent }

    private var hasUnsent: Bool { buffer.map { socket_buffer_unsent($0) > 0 } ?? false }
    private var hasReceived: Bool { buffer.map { socket_buffer_received($0) > 0 } ?? false }

    /// Waits for input, for room to write, or for the broker to close the connection; not where input is in the buffer.
    func wait(_ wakeUp: WakeUp, input: Bool, output: Bool, seconds: Double) -> SocketPoll {
        let isReadable = input && hasReceived
        var poll = SocketPoll.wait(
            wakeUp, socket: socket, input: input, output: output, seconds: isReadable ? 0 : seconds)
        if isReadable { poll.isReadable = true }
        return poll
    }

    /// Calls the library while its reads and writes go through the buffer.
    private func buffered(unless isEnding: Bool = false, _ call: () -> Int32) -> (code: Int32, errorNumber: Int32) {
        guard let buffer, !isEnding else {
            errno = 0
            return (call(), errno)
        }
        socket_buffer_begin(buffer, socket)
        errno = 0
        let (code, errorNumber) = (call(), errno)
        socket_buffer_end()
        return (code, errorNumber)
    }

    private func setOptions(sendMaximum: Int) throws(MQTTError) {
        // "Threaded" here means that PUBACKs wait for `loop_write` instead of leaving before the message is handed
        // over (`packet__queue` in packet_mosq.c); no thread of the library exists.
        try check(mosquitto_threaded_set(pointer, true))
        let version = configuration.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        try check(mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, Int32(version)))
        try check(mosquitto_int_option(pointer, MOSQ_OPT_TCP_NODELAY, 1))
        try check(mosquitto_int_option(pointer, MOSQ_OPT_RECEIVE_MAXIMUM, Int32(configuration.receiveMaximum)))
        try check(mosquitto_int_option(pointer, MOSQ_OPT_SEND_MAXIMUM, Int32(sendMaximum)))
        if let username = configuration.endpoint.username {
            try check(mosquitto_username_pw_set(pointer, username, configuration.endpoint.password))
        }
    }

    private func setWill() throws(MQTTError) {
        guard let will = configuration.will else { return }
        var list = PropertyList()
        if configuration.version == .v5, let properties = will.properties { list = try PropertyList(properties) }
        let code = withTopicText(will.topic) { topic in
            mosquitto_will_set_v5(
                pointer, topic, Int32(will.payload.count), will.payload, Int32(will.qos.rawValue), will.retain,
                list.pointer)
        }
        try check(code)
        list.giveAway()
    }

    private func setTLS() throws(MQTTError) {
        guard let tls = configuration.endpoint.tls else { return }
        let directory = tls.caFile == nil ? "/etc/ssl/certs" : nil
        // Without a password callback OpenSSL would ask on the terminal; ours answers with an empty password.
        let code = mosquitto_tls_set(pointer, tls.caFile, directory, tls.certificateFile, tls.keyFile) { _, _, _, _ in 0
        }
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            throw MQTTError(
                .invalidConfiguration,
                "a TLS file cannot be read, or certificate and key are not given together: check their paths")
        }
    }

    /// Starts a connection without waiting for it; `socket` becomes writable when TCP is connected.
    func connect(_ route: BrokerRoute) throws(MQTTError) {
        let keepAlive = Int32(configuration.keepAliveSeconds)
        if configuration.version == .v5 {
            var list = PropertyList()
            if keepsSession {
                try list.add(MQTT_PROP_SESSION_EXPIRY_INTERVAL, configuration.sessionExpirySeconds)
            }
            if let bytes = configuration.maximumPacketBytes { try list.add(MQTT_PROP_MAXIMUM_PACKET_SIZE, bytes) }
            // Only the blocking connect takes properties. Without a host it stores them for the next connect and
            // returns an error (`mosquitto_connect_bind_v5` in connect.c), as intended here.
            if list.pointer != nil { _ = mosquitto_connect_bind_v5(pointer, nil, 0, keepAlive, nil, list.pointer) }
        }
        let port = Int32(configuration.endpoint.port)
        let code = mosquitto_connect_bind_async(pointer, route.host, port, keepAlive, route.bindAddress)
        let errorNumber = errno
        guard code == MOSQ_ERR_SUCCESS.rawValue else {
            if code == MOSQ_ERR_ERRNO.rawValue { throw unreachable(errorNumber) }
            throw .mosquitto(code, errorNumber: errorNumber)
        }
    }

    /// Throws the socket's error if TCP could not connect.
    func checkSocket() throws(MQTTError) {
        var errorNumber: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &errorNumber, &length) == 0, errorNumber != 0 else { return }
        throw unreachable(errorNumber)
    }

    private func unreachable(_ errorNumber: Int32) -> MQTTError {
        let reason = String(cString: strerror(errorNumber))
        return MQTTError(
            .unreachable, "no broker at \(configuration.endpoint): \(reason); is it running, and is the address right?")
    }
}

extension MosquittoHandle {
    /// Reads one packet, or all packets of a TLS record.
    ///
    /// `errno` cannot tell whether the socket is empty: the library may have used it for something else, and with TLS the
    /// rest of a record is in the library.
    ///
    /// - Returns: `true` if there may be more to read. After `false`, `wait` still reports unread data.
    func read() throws(MQTTError) -> Bool {
        let callbacksBefore = events.callbackCount
        let (code, errorNumber) = buffered { mosquitto_loop_read(pointer, 1) }
        try checkConnection(code, errorNumber)
        isAnswered = true
        try sendWritten()
        return hasReceived || events.callbackCount != callbacksBefore
    }

    /// Writes the queue, PUBACKs included, as far as the socket accepts it: a thousand PUBACKs of four bytes with one system
    /// call, which wakes the broker once.
    func write() throws(MQTTError) {
        // What stands before DISCONNECT has left when the library closes the socket behind it.
        if isEnding { try sendWritten() }
        guard !isEnding || !hasUnsent else { return }
        let (code, errorNumber) = buffered(unless: isEnding) { mosquitto_loop_write(pointer, 1) }
        try checkConnection(code, errorNumber)
        try sendWritten()
    }

    /// Sends what the library has written: PUBACKs and publications, or what TLS answers while it reads.
    private func sendWritten() throws(MQTTError) {
        guard let buffer, hasUnsent else { return }
        let failure = socket_buffer_send(buffer)
        guard failure == 0 || failure == EAGAIN || failure == EINTR else {
            throw .mosquitto(MOSQ_ERR_ERRNO.rawValue, errorNumber: failure)
        }
    }

    /// Checks the keep-alive: queues a PINGREQ if one is due, and throws if the broker has been silent for too long.
    func keepAlive() throws(MQTTError) {
        let (code, errorNumber) = buffered { mosquitto_loop_misc(pointer) }
        try checkConnection(code, errorNumber)
        let now = MonotonicClock.nowSeconds
        if isAnswered { lastReceivedSeconds = now }
        isAnswered = false
        if now >= silenceDeadline { throw .mosquitto(MOSQ_ERR_KEEPALIVE.rawValue, errorNumber: 0) }
    }

    /// The longest wait from now until the keep-alive must be checked, in seconds: PINGREQ leaves in time, and a broker
    /// that stays silent is given up in time.
    var secondsUntilCheck: Double {
        let now = MonotonicClock.nowSeconds
        let pingSeconds = lastReceivedSeconds + Double(configuration.keepAliveSeconds)
        return min(Self.tickSeconds, max(0, (now < pingSeconds ? pingSeconds : silenceDeadline) - now))
    }

    /// When a broker that stays silent is given up, in seconds of the monotonic clock.
    private var silenceDeadline: Double {
        lastReceivedSeconds + Self.silentKeepAlives * Double(configuration.keepAliveSeconds)
    }

    func subscribe(_ subscription: MQTTSubscription) throws(MQTTError) {
        var messageID: Int32 = 0
        try check(mosquitto_subscribe(pointer, &messageID, subscription.filter, Int32(subscription.qos.rawValue)))
        events.pendingSubscriptions[messageID] = subscription.filter
    }

    /// Queues a publication and returns its message id.
    func publish(_ publication: MQTTPublication) throws(MQTTError) -> Int32 {
        var messageID: Int32 = 0
        var list = PropertyList()
        if configuration.version == .v5, let properties = publication.properties {
            list = try PropertyList(properties)
        }
        let (code, _) = withTopicText(publication.topic) { topic in
            buffered {
                mosquitto_publish_v5(
                    pointer, &messageID, topic, Int32(publication.payload.count), publication.payload,
                    Int32(publication.qos.rawValue), publication.retain, list.pointer)
            }
        }
        try check(code)
        return messageID
    }

    /// Queues the DISCONNECT that keeps the broker from publishing the will.
    func disconnect() {
        isEnding = true
        // Fails only without a connection, and then there is nothing to send to.
        _ = mosquitto_disconnect_v5(pointer, 0, nil)
    }

    /// Queues the DISCONNECT that makes the broker publish the will (MQTT 5 section 3.14.2.1). MQTT 3.1.1 has none: its
    /// will is published because the connection closes without a DISCONNECT.
    func disconnectWithWill() {
        guard configuration.version == .v5 else { return }
        isEnding = true
        _ = mosquitto_disconnect_v5(pointer, Int32(MQTT_RC_DISCONNECT_WITH_WILL_MSG.rawValue), nil)
    }

    /// Sends a packet past the library's queue: in that first-in, first-out queue the PUBACKs of a batch would leave
    /// first, before its commit. Only between packets, and not with TLS, whose stream only the library can write.
    ///
    /// - Returns: `true` if the packet was sent.
    func sendPastQueue(_ packet: ControlPacket) -> Bool {
        guard !isTLS, !hasUnsent, socket >= 0 else { return false }
        var bytes = [packet.rawValue, 0]
        return send(socket, &bytes, 2, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == 2
    }

    /// Packets without a body (specification sections 3.12 and 3.14): type and flags, and a length of 0.
    enum ControlPacket: UInt8 {
        case pingRequest = 0xC0
        case disconnect = 0xE0
    }

    private func checkConnection(_ code: Int32, _ errorNumber: Int32) throws(MQTTError) {
        if let reason = events.disconnectReason { throw .refused(reason: reason, what: "the connection") }
        try check(code, errorNumber)
        guard socket >= 0 else { throw MQTTError(.connectionLost, MQTTError.closedByBroker) }
    }

    private func check(_ code: Int32, _ errorNumber: Int32 = 0) throws(MQTTError) {
        if code != MOSQ_ERR_SUCCESS.rawValue { throw .mosquitto(code, errorNumber: errorNumber) }
    }

    private func withTopicText<R>(_ topic: [UInt8], _ body: (UnsafePointer<CChar>?) -> R) -> R {
        topicText.removeAll(keepingCapacity: true)
        topicText.append(contentsOf: topic)
        topicText.append(0)
        return topicText.withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress) }
    }
}

extension MQTTError {
    /// The error of a libmosquitto return code.
    ///
    /// - Parameters:
    ///   - code: `mosq_err_t`.
    ///   - errorNumber: `errno` right after the call; used with `MOSQ_ERR_ERRNO`.
    static func mosquitto(_ code: Int32, errorNumber: Int32) -> MQTTError {
        let (kind, message) = meaning(of: mosq_err_t(rawValue: code), errorNumber)
        return MQTTError(kind, message)
    }

    /// Mosquitto closes without a reason when another client connects with the same client id.
    static let closedByBroker =
        "the broker closed the connection: it was restarted, or a second program has our client id"

    private static func meaning(of code: mosq_err_t, _ errorNumber: Int32) -> (Code, String) {
        switch code {
        case MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST: (.connectionLost, closedByBroker)
        case MOSQ_ERR_KEEPALIVE: (.keepAliveTimeout, "the broker is silent: it may be stopped or the network broken")
        case MOSQ_ERR_ERRNO where errorNumber == 0:
            (.connectionLost, "what came is no MQTT: is there a broker at this address, and is it mqtt:// or mqtts://?")
        case MOSQ_ERR_ERRNO: (.connectionLost, "the connection broke: \(String(cString: strerror(errorNumber)))")
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP: (.hostNotFound, "the broker's host name is not known: check its address")
        case MOSQ_ERR_CONN_REFUSED: (.refused, "the broker refused the connection: see its log")
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE, MOSQ_ERR_OCSP:
            (.tls, "TLS failed: check the host name, the CA file, and the dates of both certificates")
        case MOSQ_ERR_AUTH: (.badCredentials, "the broker refuses user name or password: check them in its address")
        case MOSQ_ERR_ACL_DENIED: (.notAuthorized, "the broker does not allow this: check its access list")
        case MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_OVERSIZE_PACKET:
            (.payloadTooLarge, "the message is larger than the broker takes: send smaller ones")
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_DUPLICATE_PROPERTY:
            (.protocolViolation, "the broker sent something malformed, perhaps a topic that is not UTF-8")
        case MOSQ_ERR_NOMEM: (.systemResources, "no memory is left")
        default:
            (
                .library,
                "libmosquitto reports \(code.rawValue): \(String(cString: mosquitto_strerror(code.rawValue)))"
            )
        }
    }
}
