/// Decides whether and when to reconnect. A value type: time and randomness are passed in.
struct ReconnectPolicy {
    /// The result of an attempt to connect, and of the connection that it led to.
    struct Attempt {
        var error: MQTTError
        var wasAccepted: Bool
        /// True if something was acknowledged in either direction, or the attempt lasted over two keep-alive intervals.
        var madeProgress: Bool
        /// True if the broker granted a subscription or took a message: a cluster that fails over does neither.
        var wasServed = false
        /// The time from the start of the attempt to CONNACK, in seconds.
        var connectSeconds = 0.0
        /// The duration of the accepted connection, in seconds.
        var lastedSeconds = 0.0
    }

    /// The number of TLS failures in a row that are final. Fewer may mean that a broker died during the handshake.
    static let maximumTLSFailures = 3
    /// The number of closures in a row that mean a rival. Two clients with one id close each other's connections: each
    /// lasts as long as the rival's back-off and connect, and the older client is the first to be closed this often
    /// without a reason code. Connections on a bad network last longer.
    static let maximumClosures = 3
    /// The longest back-off expected of a rival, in seconds: above the second wait of ``MQTTBackoff``.
    static let rivalWaitSeconds = 0.4

    let backoff: MQTTBackoff
    let maximumReconnectsWithoutProgress: Int
    let isExclusive: Bool
    private var closures = 0
    private var failures = 0
    private var tlsFailures = 0
    private var withoutProgress = 0

    init(backoff: MQTTBackoff, maximumReconnectsWithoutProgress: Int, isExclusive: Bool = false) {
        self.backoff = backoff
        self.maximumReconnectsWithoutProgress = maximumReconnectsWithoutProgress
        self.isExclusive = isExclusive
    }

    /// The wait before the next attempt, in seconds; throws the error that ends the connection for good.
    /// - Parameter random: uniform in 0..<1.
    mutating func wait(after attempt: Attempt, random: Double) throws(MQTTError) -> Double {
        tlsFailures = attempt.error.code == .tls ? tlsFailures + 1 : 0
        let isFinal = tlsFailures == 0 ? !attempt.error.isRetriable : tlsFailures >= Self.maximumTLSFailures
        guard !isFinal else { throw attempt.error }
        if isExclusive, isThrownOut(attempt) { throw .thrownOut }
        // A refused subscription may come after messages of others, at each attempt.
        if attempt.madeProgress, attempt.error.code != .subscriptionRefused {
            failures = 0
            withoutProgress = 0
        } else if attempt.wasAccepted, attempt.error.code == .protocolViolation {
            withoutProgress += 1
            if withoutProgress >= maximumReconnectsWithoutProgress { throw noProgress(attempt.error) }
        }
        failures += 1
        return backoff.seconds(afterFailures: failures, random: random)
    }

    /// Begins anew, as before the first attempt.
    mutating func forgetFailures() { (failures, withoutProgress, closures, tlsFailures) = (0, 0, 0, 0) }

    /// Counts closures in a row of connections that the broker had served. A failed connect resets the count: the broker
    /// was down and closed all connections. A connection that was closed unserved says nothing.
    private mutating func isThrownOut(_ attempt: Attempt) -> Bool {
        guard attempt.wasAccepted, attempt.error.code == .connectionLost, attempt.error.reasonCode == nil else {
            closures = 0
            return false
        }
        guard attempt.wasServed else { return false }
        let isShort = attempt.lastedSeconds < Self.rivalWaitSeconds + attempt.connectSeconds
        closures = isShort ? closures + 1 : 1
        return closures >= Self.maximumClosures
    }

    private func noProgress(_ last: MQTTError) -> MQTTError {
        MQTTError(
            .noProgress,
            "\(withoutProgress) connections in a row ended without progress (\(last.message)): "
                + "remove the message from our session at the broker, or use a new client id")
    }
}

extension MQTTError {
    /// A session is given up, because a message in it ends every connection.
    static func sessionGivenUp(_ error: MQTTError) -> MQTTError {
        MQTTError(
            .noProgress,
            "\(error.message); the session is given up: what the broker kept in it behind that message is lost, and a new "
                + "one begins")
    }

    fileprivate static let thrownOut = MQTTError(
        .sessionTakenOver,
        "the broker closes our connection again and again: another program uses our client id; if none does, its log "
            + "says why")
}

/// The wait between attempts to connect: doubled each time, capped, and jittered so that many clients do not come back
/// at one moment ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015: equal jitter).
public struct MQTTBackoff: Sendable, Hashable {
    /// The first wait, in seconds.
    public var minimumSeconds: Double
    /// The longest wait, in seconds.
    public var maximumSeconds: Double

    /// A back-off between these bounds.
    public init(minimumSeconds: Double = 0.1, maximumSeconds: Double = 5) {
        self.minimumSeconds = minimumSeconds
        self.maximumSeconds = maximumSeconds
    }

    /// The wait before an attempt.
    ///
    /// - Parameters:
    ///   - failures: attempts that failed since the last good connection, from 1.
    ///   - random: uniform in 0..<1.
    /// - Returns: the wait in seconds, from half of the doubled minimum to all of it, at most ``maximumSeconds``.
    package func seconds(afterFailures failures: Int, random: Double) -> Double {
        let doublings = min(max(failures, 1), 31) - 1
        var ceiling = minimumSeconds
        for _ in 0..<doublings where ceiling < maximumSeconds { ceiling *= 2 }
        ceiling = min(max(ceiling, 0), max(maximumSeconds, 0))
        return ceiling * (0.5 + 0.5 * (random > 0 ? min(random, 1) : 0))
    }
}
