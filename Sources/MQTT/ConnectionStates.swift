import Synchronization

/// The state of one connection and those who want to hear of it.
final class ConnectionStates: Sendable {
    private struct State {
        var current = MQTTConnectionState.connecting
        var listeners: [AsyncStream<MQTTConnectionState>.Continuation] = []
    }

    /// A listener that does not listen loses older changes than these.
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

    /// Tells a change once: the same reason for being disconnected is no change.
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
