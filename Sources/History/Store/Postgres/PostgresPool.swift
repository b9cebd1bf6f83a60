import Dispatch
import Synchronization

/// A few connections to a PostgreSQL server, each with a thread of its own, so that waiting for the server takes none
/// of the threads that Swift's tasks share.
///
/// Connections are opened when they are needed and again after the server was away; work that comes meanwhile gets
/// an error and may be tried again. Work goes to the connection that has least to do, one after the other.
package final class PostgresPool: Sendable {
    /// The address of the database, without a password.
    package let server: String
    private let connections: [PooledConnection]
    /// How much each connection has to do.
    private let work: Mutex<[Int]>
    private let isClosed = Atomic(false)

    /// A pool that connects when it is first used.
    /// - Parameters:
    ///   - address: Where the database is.
    ///   - applicationName: What the server lists the connections as, where the address has no name.
    ///   - limits: The number of connections, and the timeouts.
    ///   - prepare: Done with every new connection.
    package init(
        _ address: PostgresAddress, applicationName: String, limits: PostgresLimits = PostgresLimits(),
        prepare: @escaping @Sendable (PostgresSession) throws -> Void = { _ in }
    ) {
        server = address.description
        connections = (0..<max(1, limits.maximumConnections)).map { number in
            PooledConnection(number: number) {
                let connection = try PostgresConnection(address, applicationName: applicationName, limits: limits)
                let session = PostgresSession(connection)
                try session.run(script: "SET statement_timeout = \(Int(limits.statementSeconds * 1000))")
                try prepare(session)
                return session
            }
        }
        work = Mutex(Array(repeating: 0, count: connections.count))
    }

    /// Does something with a connection, each statement a transaction of its own. It may be done twice, when its
    /// connection turns out to be dead.
    /// - Throws: `HistoryError`, or what the body throws.
    package func statements<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        // Of equals the first, which is the likeliest to be open.
        let index = work.withLock { work in
            let index = work.indices.min { work[$0] < work[$1] } ?? 0
            work[index] += 1
            return index
        }
        defer { work.withLock { $0[index] -= 1 } }
        return try await withCheckedThrowingContinuation { continuation in
            connections[index].queue.async { [self] in
                continuation.resume(
                    with: Result {
                        guard !isClosed.load(ordering: .relaxed) else { throw HistoryError.closed }
                        return try connections[index].attempt(body)
                    })
            }
        }
    }

    /// Does something in a transaction. The body may be run twice, so it must have no other effects.
    /// - Parameter isSnapshot: Whether it only reads and all its statements see the same; else it may write, and each
    ///   sees what was committed before it.
    /// - Throws: `HistoryError`, or what the body throws; then nothing has happened, unless the connection was lost
    ///   during the commit.
    package func transaction<Value: Sendable>(
        isSnapshot: Bool = false, _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws -> Value {
        try await statements { session in try session.transaction(isSnapshot: isSnapshot, body) }
    }

    /// How often a connection was lost.
    package var lostConnections: UInt64 { connections.reduce(0) { $0 &+ $1.losses.load(ordering: .relaxed) } }

    /// Ends all connections when the work that has them is done. What waits and what comes later throws
    /// `HistoryError.closed`.
    package func close() async {
        isClosed.store(true, ordering: .relaxed)
        for connection in connections { await connection.close() }
    }
}

/// A place of the pool: opened when it is first used, and again when its connection was lost.
///
/// `@unchecked Sendable`, because `session` is touched on `queue` only.
private final class PooledConnection: @unchecked Sendable {
    let queue: DispatchQueue
    private let open: @Sendable () throws -> PostgresSession
    private var session: PostgresSession?
    let losses = Atomic<UInt64>(0)

    init(number: Int, open: @escaping @Sendable () throws -> PostgresSession) {
        queue = DispatchQueue(label: "postgres-\(number)")
        self.open = open
    }

    /// Does something, on `queue`. Work that found its connection dead is done again on a new one, once, unless it may
    /// have been committed.
    func attempt<Value>(_ body: (PostgresSession) throws -> Value) throws -> Value {
        let old = session
        do { return try body(openSession()) } catch {
            guard let old, old === session, old.isLost, !old.mayHaveCommitted else { throw error }
            return try body(openSession())
        }
    }

    private func openSession() throws -> PostgresSession {
        if let session {
            guard session.isLost else { return session }
            losses.add(1, ordering: .relaxed)
        }
        session = nil
        let fresh = try open()
        session = fresh
        return fresh
    }

    func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.session = nil
                continuation.resume()
            }
        }
    }
}

/// The limits of a pool of connections.
package struct PostgresLimits: Sendable, Equatable {
    package var maximumConnections: Int
    /// The longest time of a statement, in seconds.
    package var statementSeconds: Double
    /// The longest time to connect where the address has no timeout, in whole seconds for each host.
    package var connectSeconds = 5

    package init(maximumConnections: Int = 16, statementSeconds: Double = 30) {
        (self.maximumConnections, self.statementSeconds) = (maximumConnections, statementSeconds)
    }

    /// The time after the server's own limit at which we stop waiting for it, in seconds.
    static let graceSeconds = 5.0
}
