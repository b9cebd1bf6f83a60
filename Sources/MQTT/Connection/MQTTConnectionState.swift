import Synchronization

/// The state of a connection. Every change is reported once, so it can be logged as it is.
public enum MQTTConnectionState: Sendable, Hashable {
    /// The first attempts are being made.
    case connecting
    /// The broker accepted us.
    case connected(MQTTSessionInfo)
    /// The connection is gone, or could not be made, for this reason; it is tried again and again.
    case disconnected(MQTTError)
    /// It makes no sense to go on: the reason is also thrown from `batches` or `publish`.
    case failed(MQTTError)
    /// Stopped on request.
    case stopped
}

/// The broker's answer when it accepted a connection.
public struct MQTTSessionInfo: Sendable, Hashable {
    /// True if the broker still had our session: `false` means that messages may have been missed.
    public let sessionPresent: Bool
    /// The connections of this object so far, this one included, from 1.
    public let connectionNumber: Int

    /// The broker's answer from its parts.
    package init(sessionPresent: Bool, connectionNumber: Int) {
        self.sessionPresent = sessionPresent
        self.connectionNumber = connectionNumber
    }
}

/// The state of one connection, and its observers.
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

    /// Reports a change once: the same reason for being disconnected is no change.
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
