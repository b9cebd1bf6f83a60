import Synchronization
import Wire

/// The questions that wait for their answers, by transaction.
///
/// A continuation is resumed exactly once: whoever takes it out of the table resumes it, be it the answer, the deadline
/// or the end of the connection.
final class PendingReplies: Sendable {
    private struct State {
        var waiting: [String: CheckedContinuation<[UInt8], any Error>] = [:]
        /// What to do once answers can be heard.
        var starts: [String: @Sendable () -> Void] = [:]
        var canHear = false
        var ending: StrideClientError?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the answer to a transaction; `start` is called once the answer could be heard.
    func wait(for transaction: String, start: @Sendable @escaping () -> Void) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = state.withLock { state -> Result<Bool, StrideClientError> in
                if let ending = state.ending { return .failure(ending) }
                guard state.waiting.count < limit else { return .failure(.tooManyRequests) }
                state.waiting[transaction] = continuation
                if !state.canHear { state.starts[transaction] = start }
                return .success(state.canHear)
            }
            switch outcome {
            case .success(let canHear): if canHear { start() }
            case .failure(let error): continuation.resume(throwing: error)
            }
        }
    }

    /// The subscription to answers is in force: what waits for it is started.
    func hear() {
        let starts = state.withLock { state in
            state.canHear = true
            defer { state.starts.removeAll() }
            return state.starts
        }
        for start in starts.values { start() }
    }

    /// Gives an answer to whoever waits for it; an answer that nobody waits for is dropped.
    func answer(_ transaction: String, _ data: Result<[UInt8], StrideClientError>) {
        let continuation = state.withLock { state in
            state.starts[transaction] = nil
            return state.waiting.removeValue(forKey: transaction)
        }
        continuation?.resume(with: data.mapError { $0 as any Error })
    }

    /// Ends every wait, now and later.
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
