/// How a connection fares. Every change is told once, so it can be logged as it is.
public enum MQTTConnectionState: Sendable, Hashable {
    /// The first attempts are being made.
    case connecting
    /// The broker accepted us.
    case connected(MQTTSessionInfo)
    /// The connection is gone, or could not be made, for this reason; it is tried again and again.
    case disconnected(MQTTError)
    /// It makes no sense to go on: the reason is also thrown from `batches` or `publish`.
    case failed(MQTTError)
    /// Stopped because we were told to.
    case stopped
}
