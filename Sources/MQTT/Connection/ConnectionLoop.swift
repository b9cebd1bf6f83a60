/// The part of a connection's thread that differs between consumer and producer.
protocol ConnectionRole: SendableMetatype {
    /// Wakes the thread from a wait.
    var wakeUp: WakeUp { get }
    var isStopRequested: Bool { get }
    /// True if the broker must not keep a session between connections (Clean Start).
    var isCleanStart: Bool { get }
    /// True if each connection but the first has a client id of its own.
    var renewsClientID: Bool { get }
    /// True if the role goes on with a new session where a message in the old one ends every connection.
    var givesUpSession: Bool { get }
    var sendMaximum: Int { get }

    /// Throws the first error in the application's settings.
    func check() throws(MQTTError)
    /// Prepares a new connection and returns the target of its callbacks.
    mutating func prepare() -> MosquittoEvents
    /// Serves an accepted connection until it is stopped (returns) or breaks (throws). It announces the connection once
    /// it is of use: then the change of state is reported.
    mutating func serve(_ handle: MosquittoHandle, _ info: MQTTSessionInfo, announce: () -> Void) throws(MQTTError)
    /// True if something was acknowledged on the last connection.
    var madeProgress: Bool { get }
    /// True if the broker granted a subscription or took a message on the last connection.
    var wasServed: Bool { get }
    /// Called after every connection. Returns whether a new one may be made now.
    mutating func connectionEnded(with error: MQTTError?) -> Bool
    /// Called once, at the very end.
    mutating func finish(_ end: Result<Void, MQTTError>)
}

/// The life of a connection on its own thread: connect, serve, wait, connect again.
struct ConnectionLoop<Role: ConnectionRole> {
    private let configuration: MQTTConnectionConfiguration
    private let states: ConnectionStates
    private var role: Role
    private var policy: ReconnectPolicy
    private var attempts = 0
    private var acceptedConnections = 0
    /// When the last connection was accepted, in seconds of the monotonic clock.
    private var acceptedSeconds = 0.0
    /// True until the broker has forgotten a session whose first message ends every connection.
    private var isSessionGivenUp = false

    init(configuration: MQTTConnectionConfiguration, states: ConnectionStates, role: Role) {
        self.configuration = configuration
        self.states = states
        self.role = role
        policy = ReconnectPolicy(
            backoff: configuration.backoff,
            maximumReconnectsWithoutProgress: configuration.maximumReconnectsWithoutProgress,
            isExclusive: configuration.isExclusive)
    }

    mutating func run() {
        do throws(MQTTError) {
            try configuration.check()
            try role.check()
            guard role.wakeUp.descriptor >= 0 else {
                throw MQTTError(.systemResources, "no descriptor is left: raise the limit with ulimit -n")
            }
            try reconnectUntilStopped()
            states.set(.stopped)
            role.finish(.success(()))
        } catch {
            states.set(.failed(error))
            role.finish(.failure(error))
        }
    }

    private mutating func reconnectUntilStopped() throws(MQTTError) {
        while !role.isStopRequested {
            let acceptedBefore = acceptedConnections
            let began = MonotonicClock.nowSeconds
            do throws(MQTTError) {
                try connectAndServe()
                while !role.connectionEnded(with: nil) { wait(seconds: MosquittoHandle.tickSeconds) }
            } catch {
                // Before the state change is reported, so that a later acknowledgement finds the batch lost.
                var mayConnect = role.connectionEnded(with: error)
                // An error that no retry solves is told once, as the end; a few of TLS are tried again.
                if error.isRetriable || error.code == .tls { states.set(.disconnected(error)) }
                while !mayConnect {
                    wait(seconds: MosquittoHandle.tickSeconds)
                    mayConnect = role.connectionEnded(with: error)
                }
                let wasAccepted = acceptedConnections > acceptedBefore
                let endedSeconds = MonotonicClock.nowSeconds
                let hasLasted = endedSeconds - began > 2 * Double(configuration.keepAliveSeconds)
                let attempt = ReconnectPolicy.Attempt(
                    error: error, wasAccepted: wasAccepted,
                    madeProgress: wasAccepted && (role.madeProgress || hasLasted),
                    wasServed: wasAccepted && role.wasServed,
                    connectSeconds: acceptedSeconds - began, lastedSeconds: endedSeconds - acceptedSeconds)
                do throws(MQTTError) {
                    pause(seconds: try policy.wait(after: attempt, random: .random(in: 0..<1)))
                } catch {
                    guard error.code == .noProgress, role.givesUpSession else { throw error }
                    isSessionGivenUp = true
                    policy.forgetFailures()
                    states.set(.disconnected(.sessionGivenUp(error)))
                }
            }
        }
    }

    private mutating func connectAndServe() throws(MQTTError) {
        let deadline = MonotonicClock.nowSeconds + configuration.connectTimeoutSeconds
        guard let route = try route(until: deadline) else { return }
        var configuration = configuration
        if role.renewsClientID, acceptedConnections > 0 { configuration.clientID += "-\(acceptedConnections)" }
        let handle = try MosquittoHandle(
            configuration: configuration, cleanStart: role.isCleanStart || isSessionGivenUp,
            keepsSession: !role.isCleanStart, sendMaximum: role.sendMaximum, events: role.prepare())
        try handle.connect(route)
        guard let connack = try handshake(handle, until: deadline) else { return }
        acceptedSeconds = MonotonicClock.nowSeconds
        if isSessionGivenUp {
            isSessionGivenUp = false
            // A clean session of 3.1.1 ends with its connection: the next one begins a session that lasts.
            guard configuration.version == .v5 else {
                handle.disconnect()
                return try handle.write()
            }
        }
        acceptedConnections += 1
        let info = MQTTSessionInfo(sessionPresent: connack, connectionNumber: acceptedConnections)
        let states = states
        try role.serve(handle, info) { states.set(.connected(info)) }
    }

    /// The address to try now; `nil` when stopped. Each attempt takes the host's next address, because some may not
    /// answer.
    private mutating func route(until deadline: Double) throws(MQTTError) -> BrokerRoute? {
        let host = configuration.endpoint.host
        if HostResolution.isNumeric(host) { return BrokerRoute(host: host) }
        let resolution = HostResolution.start(host: host, wakeUp: role.wakeUp)
        while !role.isStopRequested {
            if let result = resolution.result {
                let addresses = try result.get()
                guard !addresses.isEmpty else {
                    throw MQTTError(.hostNotFound, "the broker's host '\(host)' has no address")
                }
                defer { attempts += 1 }
                let address = addresses[attempts % addresses.count]
                guard configuration.endpoint.tls != nil else { return BrokerRoute(host: address) }
                return BrokerRoute(host: host, bindAddress: address.contains(":") ? "::" : "0.0.0.0")
            }
            let left = deadline - MonotonicClock.nowSeconds
            guard left > 0 else { throw MQTTError(.connectTimeout, "looking up '\(host)' takes too long: check DNS") }
            wait(seconds: left)
        }
        return nil
    }

    /// Waits for CONNACK and returns its Session Present flag; `nil` when stopped.
    private func handshake(_ handle: MosquittoHandle, until deadline: Double) throws(MQTTError) -> Bool? {
        while !role.isStopRequested {
            let left = deadline - MonotonicClock.nowSeconds
            guard left > 0 else {
                throw MQTTError(.connectTimeout, "\(configuration.endpoint) does not answer: is it an MQTT broker?")
            }
            let events = handle.wait(
                role.wakeUp, input: true, output: handle.wantsWrite,
                seconds: min(left, MosquittoHandle.tickSeconds))
            if events.isWritable || events.hasHungUp { try handle.checkSocket() }
            do throws(MQTTError) {
                // Reading also drives the TLS handshake, in both directions.
                if events.isReadable || events.isWritable || events.hasHungUp { _ = try handle.read() }
                // After CONNACK, PUBACKs may be queued; only the role may send them.
                if events.isWritable, handle.events.connack == nil { try handle.write() }
            } catch {
                guard let connack = handle.events.connack, connack.reason != 0 else { throw error }
                throw .refused(reason: connack.reason, what: "the connection")
            }
            guard let connack = handle.events.connack else { continue }
            guard connack.reason == 0 else { throw .refused(reason: connack.reason, what: "the connection") }
            return connack.sessionPresent
        }
        return nil
    }

    private func pause(seconds: Double) {
        let end = MonotonicClock.nowSeconds + seconds
        while !role.isStopRequested {
            let left = end - MonotonicClock.nowSeconds
            if left <= 0 { return }
            wait(seconds: left)
        }
    }

    private func wait(seconds: Double) {
        _ = SocketPoll.wait(
            role.wakeUp, socket: -1, input: false, output: false, seconds: min(seconds, MosquittoHandle.tickSeconds))
    }
}
