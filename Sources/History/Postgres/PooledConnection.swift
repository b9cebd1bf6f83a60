import Dispatch

/// A place of the pool: opened when it is first used, and again when its connection was lost.
///
/// `@unchecked Sendable`, because `session` is touched on `queue` only.
final class PooledConnection: @unchecked Sendable {
    private let queue: DispatchQueue
    private let open: @Sendable () throws -> PostgresSession
    private var session: PostgresSession?

    init(number: Int, open: @escaping @Sendable () throws -> PostgresSession) {
        queue = DispatchQueue(label: "postgres-\(number)")
        self.open = open
    }

    /// Does something on the thread of the connection. Work that found its connection dead is done again on a new one,
    /// once, unless it may have been committed.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try self.attempt(body) }) }
        }
    }

    /// Ends the connection.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.session = nil
                continuation.resume()
            }
        }
    }

    private func attempt<Result>(_ body: (PostgresSession) throws -> Result) throws -> Result {
        let old = session
        do {
            return try body(openSession())
        } catch let error as PostgresError {
            guard case .connectionLost = error, let old, old === session, !old.mayHaveCommitted else { throw error }
            return try body(openSession())
        }
    }

    private func openSession() throws -> PostgresSession {
        if let session, !session.isLost { return session }
        session = nil
        let fresh = try open()
        session = fresh
        return fresh
    }
}
