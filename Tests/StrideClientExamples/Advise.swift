import MQTT
import StrideClient
import Wire

func advice(on error: StrideClientError) -> String {
    switch error {
    case .refused(let refusal): "history says: \(refusal.message)"
    case .noReply(let seconds): "nobody has answered within \(seconds) s: try again"
    case .tooManyRequests: "wait for an answer first"
    case .connection(let error): error.isRetriable ? "the broker is away" : error.message
    case .unreadableReply, .closed: error.description
    }
}
