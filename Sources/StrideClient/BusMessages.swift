import Synchronization
import Wire

/// The listeners of each topic. A message goes to all listeners of its topic; all streams end when the bus is closed.
final class TopicListeners: Sendable {
    private struct State {
        var listeners: [String: [UInt64: AsyncStream<[UInt8]>.Continuation]] = [:]
        var nextNumber: UInt64 = 0
        var isEnded = false
    }

    /// The number of messages that are kept for a listener, unless it wants fewer. Beyond it the oldest are dropped.
    static let maximumWaiting = 10_000

    private let state = Mutex(State())

    /// A stream of the messages on some topics, in order of arrival. It ends when it is released or the bus is closed.
    /// - Parameters:
    ///   - newest: How many messages are kept for the listener.
    ///   - onFirst: Called when the listener is there, before any other comes or goes.
    ///   - onLast: Called with each topic that has lost its last listener, before another one comes.
    func stream(
        of topics: [String], newest: Int, onFirst: () -> Void, onLast: @Sendable @escaping (String) -> Void
    ) -> AsyncStream<[UInt8]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(newest))
        let number = state.withLock { state in
            let number = state.nextNumber
            state.nextNumber += 1
            guard !state.isEnded else { return number }
            for topic in topics { state.listeners[topic, default: [:]][number] = continuation }
            onFirst()
            return number
        }
        continuation.onTermination = { [self] _ in
            for topic in topics { remove(number, from: topic, onLast) }
        }
        if state.withLock({ $0.isEnded }) { continuation.finish() }
        return stream
    }

    /// Passes a message to the listeners of its topic.
    func deliver(_ payload: UnsafeRawBufferPointer, on topic: String) {
        guard let listeners = state.withLock({ $0.listeners[topic] }) else { return }
        let bytes = Array(payload)
        for continuation in listeners.values { continuation.yield(bytes) }
    }

    /// Ends every stream, existing and future.
    func end() {
        let all = state.withLock { state in
            state.isEnded = true
            defer { state.listeners.removeAll() }
            return state.listeners.values.flatMap(\.values)
        }
        for continuation in all { continuation.finish() }
    }

    /// With the lock held until the topic is given up: a new listener subscribes after that, not before.
    private func remove(_ number: UInt64, from topic: String, _ onLast: (String) -> Void) {
        state.withLock { state in
            guard state.listeners[topic]?.removeValue(forKey: number) != nil,
                state.listeners[topic]?.isEmpty == true
            else { return }
            state.listeners[topic] = nil
            onLast(topic)
        }
    }
}

/// The requests that wait for an answer, by transaction.
///
/// A continuation is resumed exactly once, by the code that takes it out of the table: the answer, the deadline or the
/// end of the connection.
final class PendingReplies: Sendable {
    private struct State {
        var waiting: [String: CheckedContinuation<[UInt8], any Error>] = [:]
        /// The deferred sends, by transaction. They run once answers can arrive.
        var starts: [String: @Sendable () -> Void] = [:]
        /// The number of the connection over which the subscription to answers is in force.
        var connection: Int?
        var ending: StrideClientError?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the answer to a transaction, at most until the task is cancelled. `start` is called once the
    /// subscription to answers is in force.
    /// - Parameter connection: The number of the connection for answers that there is now; nil for none.
    func wait(
        for transaction: String, over connection: Int?, start: @Sendable @escaping () -> Void
    ) async throws -> [UInt8] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Bool, any Error> in
                    if let ending = state.ending { return .failure(ending) }
                    guard state.waiting.count < limit else { return .failure(StrideClientError.tooManyRequests) }
                    // A cancellation that came before found nothing to end.
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    state.waiting[transaction] = continuation
                    let isSubscribed = connection != nil && state.connection == connection
                    if !isSubscribed { state.starts[transaction] = start }
                    return .success(isSubscribed)
                }
                switch outcome {
                case .success(let isSubscribed): if isSubscribed { start() }
                case .failure(let error): continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            take(transaction)?.resume(throwing: CancellationError())
        }
    }

    /// Marks the subscription to answers as in force over a connection, and starts the requests that waited for it.
    func noteSubscribed(over connection: Int) {
        let starts = state.withLock { state in
            state.connection = connection
            defer { state.starts.removeAll() }
            return state.starts
        }
        for start in starts.values { start() }
    }

    /// Gives an answer to its waiting request; an answer without one is dropped.
    func answer(_ transaction: String, _ data: Result<[UInt8], StrideClientError>) {
        take(transaction)?.resume(with: data.mapError { $0 as any Error })
    }

    private func take(_ transaction: String) -> CheckedContinuation<[UInt8], any Error>? {
        state.withLock { state in
            state.starts[transaction] = nil
            return state.waiting.removeValue(forKey: transaction)
        }
    }

    /// Fails every wait, current and future.
    func end(_ error: StrideClientError) {
        let waiting = state.withLock { state in
            state.ending = state.ending ?? error
            state.starts.removeAll()
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(throwing: error) }
    }
}
