/// Decides what comes after a connection that ended. A value: time and chance are given to it.
struct ReconnectPolicy {
    /// The end of an attempt to connect, or of the connection that it led to.
    struct Attempt {
        var error: MQTTError
        /// The broker had accepted us.
        var wasAccepted: Bool
        /// Something was acknowledged, by us or to us, or the connection had lasted.
        var madeProgress: Bool
        /// The time until the broker had accepted the connection, in seconds.
        var connectSeconds = 0.0
        /// The duration of the accepted connection, in seconds.
        var lastedSeconds = 0.0
    }

    enum Decision: Equatable {
        case retry(afterSeconds: Double)
        case fail(MQTTError)
    }

    /// TLS fails for good reasons and because a broker dies during the handshake; we ask this often.
    static let maximumTLSFailures = 3
    /// Two clients of one id take the connection from each other: each lasts as long as the other's wait and its way
    /// to the broker. The one that was there first is the first to be closed this often without a word. A network that
    /// breaks as often lets connections last longer.
    static let maximumClosures = 3
    /// Longer than the second wait of ``MQTTBackoff``, in seconds.
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

    /// - Parameter random: uniform in 0..<1.
    mutating func decide(after attempt: Attempt, random: Double) -> Decision {
        if attempt.error.code == .tls {
            tlsFailures += 1
            if tlsFailures >= Self.maximumTLSFailures { return .fail(attempt.error) }
        } else if !attempt.error.isRetriable {
            return .fail(attempt.error)
        } else {
            tlsFailures = 0
        }
        if isExclusive, isThrownOut(attempt) { return .fail(.thrownOut) }
        if attempt.madeProgress {
            failures = 0
            withoutProgress = 0
        } else if attempt.wasAccepted, attempt.error.code == .protocolViolation {
            withoutProgress += 1
            if withoutProgress >= maximumReconnectsWithoutProgress { return .fail(noProgress(attempt.error)) }
        }
        failures += 1
        return .retry(afterSeconds: backoff.seconds(afterFailures: failures, random: random))
    }

    /// Counts closures. A connection that could not be made says that the broker was away, and then it closed all.
    private mutating func isThrownOut(_ attempt: Attempt) -> Bool {
        guard attempt.wasAccepted, attempt.error.code == .connectionLost, attempt.error.reasonCode == nil else {
            closures = 0
            return false
        }
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
    /// - Returns: seconds, in [half of the doubled minimum, the doubled minimum], at most ``maximumSeconds``.
    package func seconds(afterFailures failures: Int, random: Double) -> Double {
        let doublings = min(max(failures, 1), 31) - 1
        var ceiling = minimumSeconds
        for _ in 0..<doublings where ceiling < maximumSeconds { ceiling *= 2 }
        ceiling = min(max(ceiling, 0), max(maximumSeconds, 0))
        return ceiling * (0.5 + 0.5 * (random > 0 ? min(random, 1) : 0))
    }
}
