import Synchronization
import Wire

/// The questions that wait for their answers, by transaction.
///
/// A continuation is resumed exactly once: whoever takes it out of the table resumes it, be it the answer, the deadline
/// or the end of the connection.
final class PendingReplies: Sendable {
    private struct State {
        var waiting: [String: CheckedContinuation<[UInt8], any Error>] = [:]
        var ending: StrideClientError?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

    /// Waits for the answer to a transaction; `start` is called once the table is ready for it.
    func wait(for transaction: String, start: @Sendable () -> Void) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            let error = state.withLock { state -> StrideClientError? in
                if let ending = state.ending { return ending }
                guard state.waiting.count < limit else { return .tooManyRequests }
                state.waiting[transaction] = continuation
                return nil
            }
            guard let error else { return start() }
            continuation.resume(throwing: error)
        }
    }

    /// Gives an answer to whoever waits for it; an answer that nobody waits for is dropped.
    func answer(_ transaction: String, _ data: Result<[UInt8], StrideClientError>) {
        let continuation = state.withLock { $0.waiting.removeValue(forKey: transaction) }
        continuation?.resume(with: data.mapError { $0 as any Error })
    }

    /// Ends every wait, now and later.
    func end(_ error: StrideClientError) {
        let waiting = state.withLock { state in
            state.ending = state.ending ?? error
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(throwing: error) }
    }
}
