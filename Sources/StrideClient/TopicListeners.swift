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

    /// A stream of the messages of some topics, in the order in which they come. It ends when it is let go, or with the
    /// bus.
    /// - Parameter onLast: Called with each topic to which nobody listens any more.
    func stream(of topics: [String], onLast: @Sendable @escaping (String) -> Void) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
        let number = state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            guard !state.isEnded else { return number }
            for topic in topics { state.listeners[topic, default: [:]][number] = continuation }
            return number
        }
        continuation.onTermination = { [self] _ in
            for topic in topics where remove(number, from: topic) { onLast(topic) }
        }
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
