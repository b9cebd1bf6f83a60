/// Decides what comes after a connection that ended. A value: time and chance are given to it.
struct ReconnectPolicy {
    /// How an attempt to connect, or the connection that it led to, ended.
    struct Attempt {
        var error: MQTTError
        /// The broker had accepted us.
        var wasAccepted: Bool
        /// Something was acknowledged, by us or to us, or the connection had lasted.
        var madeProgress: Bool
    }

    enum Decision: Equatable {
        case retry(afterSeconds: Double)
        case fail(MQTTError)
    }

    /// TLS fails for good reasons and because a broker dies during the handshake; we ask this often.
    static let maximumTLSFailures = 3

    let backoff: MQTTBackoff
    let maximumReconnectsWithoutProgress: Int
    private var failures = 0
    private var tlsFailures = 0
    private var withoutProgress = 0

    init(backoff: MQTTBackoff, maximumReconnectsWithoutProgress: Int) {
        self.backoff = backoff
        self.maximumReconnectsWithoutProgress = maximumReconnectsWithoutProgress
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

    private func noProgress(_ last: MQTTError) -> MQTTError {
        MQTTError(
            .noProgress,
            "\(withoutProgress) connections in a row ended without progress (\(last.message)): "
                + "remove the message from our session at the broker, or use a new client id")
    }
}
