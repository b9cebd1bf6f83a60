import Synchronization

/// Who listens to which topic: hands each message to all who do, and ends all of them when the bus is closed.
final class TopicListeners: Sendable {
    private struct State {
        var listeners: [String: [UInt64: AsyncStream<[UInt8]>.Continuation]] = [:]
        var nextNumber: UInt64 = 0
        var isEnded = false
    }

    /// The most messages that wait for one listener; the oldest go first.
    static let maximumWaiting = 10_000

    private let state = Mutex(State())

    /// A stream of a topic's messages. It ends when it is let go, or with the bus.
    /// - Parameters:
    ///   - onFirst: Called when nobody listened to the topic before.
    ///   - onLast: Called when nobody listens to it any more.
    func stream(
        of topic: String, onFirst: () -> Void, onLast: @Sendable @escaping () -> Void
    ) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
        let (number, isFirst) = state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            guard !state.isEnded else { return (number, false) }
            state.listeners[topic, default: [:]][number] = continuation
            return (number, state.listeners[topic]?.count == 1)
        }
        continuation.onTermination = { [self] _ in
            if remove(number, from: topic) { onLast() }
        }
        if isFirst { onFirst() }
        if state.withLock({ $0.isEnded }) { continuation.finish() }
        return stream
    }

    /// Hands a message to those who listen to its topic.
    /// - Returns: Whether anybody does.
    @discardableResult
    func deliver(_ payload: UnsafeRawBufferPointer, on topic: String) -> Bool {
        guard let listeners = state.withLock({ $0.listeners[topic] }) else { return false }
        let bytes = Array(payload)
        for continuation in listeners.values { continuation.yield(bytes) }
        return true
    }

    /// Ends every stream, now and later.
    func end() {
        let all = state.withLock { state in
            state.isEnded = true
            defer { state.listeners.removeAll() }
            return state.listeners.values.flatMap(\.values)
        }
        for continuation in all { continuation.finish() }
    }

    private func remove(_ number: UInt64, from topic: String) -> Bool {
        state.withLock { state in
            guard state.listeners[topic]?.removeValue(forKey: number) != nil else { return false }
            guard state.listeners[topic]?.isEmpty == true else { return false }
            state.listeners[topic] = nil
            return true
        }
    }
}
