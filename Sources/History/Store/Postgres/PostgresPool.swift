import Dispatch
import Synchronization

/// A few connections to a PostgreSQL server, each with a thread of its own, so that waiting for the server takes none
/// of the threads that Swift's tasks share.
///
/// Connections are opened when they are needed and again after the server was away; work that comes meanwhile gets
/// an error and may be tried again.
package final class PostgresPool: Sendable {
    private typealias Waiter = (number: UInt64, continuation: CheckedContinuation<PooledConnection, any Error>)

    private struct State {
        var free: [PooledConnection]
        var inUse = 0
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The address of the database, without a password.
    package let server: String
    package let limits: PostgresLimits
    private let state: Mutex<State>

    /// A pool that connects when it is first used.
    /// - Parameters:
    ///   - address: Where the database is.
    ///   - applicationName: What the server lists the connections as, where the address does not say.
    ///   - limits: The number of connections, and the timeouts.
    ///   - prepare: Done with every new connection.
    package init(
        _ address: PostgresAddress, applicationName: String, limits: PostgresLimits = PostgresLimits(),
        prepare: @escaping @Sendable (PostgresSession) throws -> Void = { _ in }
    ) {
        server = address.description
        self.limits = limits
        let open: @Sendable () throws -> PostgresSession = {
            let connection = try PostgresConnection(address, applicationName: applicationName, limits: limits)
            let session = PostgresSession(connection, limits: limits)
            try session.run(script: "SET statement_timeout = \(Int(limits.statementSeconds * 1000))")
            try prepare(session)
            return session
        }
        let connections = (0..<max(1, limits.maximumConnections)).map { PooledConnection(number: $0, open: open) }
        state = Mutex(State(free: connections))
    }

    /// Does something with a connection, each statement a transaction of its own. It may be done twice, when its
    /// connection turns out to be dead.
    /// - Throws: `PostgresError`, or what the body throws.
    package func statements<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Result
    ) async throws -> Result {
        let connection = try await take()
        defer { giveBack(connection) }
        return try await connection.run(body)
    }

    /// Does something in a transaction. The body is run again when other transactions are in its way, so it must have
    /// no other effects.
    /// - Throws: `PostgresError`, or what the body throws; then nothing has happened, unless the connection was lost
    ///   during the commit.
    package func transaction<Result: Sendable>(
        _ kind: PostgresTransaction, _ body: @escaping @Sendable (PostgresSession) throws -> Result
    ) async throws -> Result {
        try await statements { session in try session.transaction(kind, body) }
    }

    /// Ends all connections when the work that has them is done. Later calls throw `PostgresError.closed`.
    package func close() async {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(throwing: PostgresError.closed) }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.inUse > 0 { state.closers.append(continuation) }
                return state.inUse == 0
            }
            if isIdle { continuation.resume() }
        }
        for connection in state.withLock({ $0.free }) { await connection.close() }
    }

    private enum Turn {
        case now(PooledConnection)
        case later(UInt64)
        case never(PostgresError)
    }

    private func take() async throws -> PooledConnection {
        try await withCheckedThrowingContinuation { continuation in
            switch state.withLock({ turn(&$0, continuation) }) {
            case .now(let connection): continuation.resume(returning: connection)
            case .never(let error): continuation.resume(throwing: error)
            case .later(let number):
                DispatchQueue.global().asyncAfter(deadline: .now() + limits.waitSeconds) { [weak self] in
                    self?.giveUp(number)
                }
            }
        }
    }

    private func turn(
        _ state: inout State, _ continuation: CheckedContinuation<PooledConnection, any Error>
    ) -> Turn {
        if state.isClosed { return .never(.closed) }
        // The last one given back is the likeliest to be open.
        if let connection = state.free.popLast() {
            state.inUse += 1
            return .now(connection)
        }
        guard state.waiters.count < limits.maximumWaiting else {
            return .never(.poolFull(server: server, waiting: state.waiters.count))
        }
        state.nextWaiter += 1
        state.waiters.append((state.nextWaiter, continuation))
        return .later(state.nextWaiter)
    }

    private func giveBack(_ connection: PooledConnection) {
        let (waiter, closers) = state.withLock { state -> (Waiter?, [CheckedContinuation<Void, Never>]) in
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), []) }
            state.free.append(connection)
            state.inUse -= 1
            guard state.inUse == 0 else { return (nil, []) }
            defer { state.closers = [] }
            return (nil, state.closers)
        }
        waiter?.continuation.resume(returning: connection)
        for closer in closers { closer.resume() }
    }

    private func giveUp(_ number: UInt64) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(
            throwing: PostgresError.poolTimeout(
                server: server, connections: limits.maximumConnections, seconds: limits.waitSeconds))
    }
}

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

/// The limits of a pool of connections.
package struct PostgresLimits: Sendable, Equatable {
    package var maximumConnections: Int
    /// The longest wait for a free connection, in seconds.
    package var waitSeconds: Double
    /// The most that wait for one at the same time.
    package var maximumWaiting: Int
    /// The longest time of a statement, in seconds.
    package var statementSeconds: Double
    /// The longest time to connect where the address says none, in whole seconds for each host.
    package var connectSeconds = 5
    /// The most tries of a transaction that others are in the way of.
    package var maximumTransactionTries = 20
    /// The most statements that a connection keeps prepared; with one more they are all prepared anew.
    package var maximumPreparedStatements = 200

    package init(
        maximumConnections: Int = 8, waitSeconds: Double = 10, maximumWaiting: Int = 1_000,
        statementSeconds: Double = 30
    ) {
        self.maximumConnections = maximumConnections
        self.waitSeconds = waitSeconds
        self.maximumWaiting = maximumWaiting
        self.statementSeconds = statementSeconds
    }

    /// The time after the server's own limit at which we stop waiting for it, in seconds.
    static let graceSeconds = 5.0
}
