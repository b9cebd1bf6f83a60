public import MQTT
public import Wire

/// Why a question got no answer.
public enum StrideClientError: Error, Sendable, CustomStringConvertible {
    /// History answered that it cannot or will not.
    case refused(ReplyError)
    /// Nobody answered in time.
    case noReply(seconds: Double)
    /// The answer is not one that this version understands.
    case unreadableReply(WireError)
    /// The connection ended for good.
    case connection(MQTTError)
    /// More questions are waiting than `StrideBus.maximumPendingRequests`.
    case tooManyRequests
    /// The bus was closed.
    case closed

    /// One line that says what is wrong and what to do.
    public var description: String {
        switch self {
        case .refused(let error): error.message
        case .noReply(let seconds):
            "no answer within \(seconds) s: is the history service running on this broker and below this root?"
        case .unreadableReply(let error): "the answer cannot be read (\(error.reason)): is history of another version?"
        case .connection(let error): error.message
        case .tooManyRequests: "too many questions at once: wait for an answer before asking more"
        case .closed: "the connection was closed: open a new one"
        }
    }
}
