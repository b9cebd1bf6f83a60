import Synchronization

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

/// The state of one connection, and its observers.
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
