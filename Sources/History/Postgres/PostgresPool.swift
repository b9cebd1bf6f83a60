import Dispatch
import Synchronization

/// A few connections to a PostgreSQL server, each with a thread of its own, so that waiting for the server takes none
/// of the threads that Swift's tasks share.
///
/// Connections are opened when they are needed and again after the server was away; whoever asks meanwhile gets an
/// error and may ask again.
public final class PostgresPool: Sendable {
    private typealias Waiter = (number: UInt64, continuation: CheckedContinuation<PooledConnection, any Error>)

    private struct State {
        var free: [PooledConnection]
        var inUse = 0
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// Where the database is, without a password.
    public let server: String
    /// The limits.
    public let limits: PostgresLimits
    private let state: Mutex<State>

    /// A pool that connects when it is first used.
    /// - Parameters:
    ///   - address: Where the database is.
    ///   - applicationName: What the server lists the connections as, where the address does not say.
    ///   - limits: How many connections, and how long to wait for what.
    ///   - prepare: Done with every new connection.
    public init(
        _ address: PostgresAddress, applicationName: String, limits: PostgresLimits = PostgresLimits(),
        prepare: @escaping @Sendable (PostgresSession) throws -> Void = { _ in }
    ) {
        server = address.description
        self.limits = limits
        let open: @Sendable () throws -> PostgresSession = {
            let link = try PostgresLink(address, applicationName: applicationName, limits: limits)
            let session = PostgresSession(link, limits: limits)
            try session.run("SET statement_timeout = \(Int(limits.statementSeconds * 1000))")
            try prepare(session)
            return session
        }
        let connections = (0..<max(1, limits.maximumConnections)).map { PooledConnection(number: $0, open: open) }
        state = Mutex(State(free: connections))
    }

    /// Does something with a connection, each statement a transaction of its own. It may be done twice, when its
    /// connection turns out to be dead.
    /// - Throws: `PostgresError`, or what the body throws.
    public func statements<Result: Sendable>(
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
    public func transaction<Result: Sendable>(
        _ kind: PostgresTransaction, _ body: @escaping @Sendable (PostgresSession) throws -> Result
    ) async throws -> Result {
        try await statements { session in try session.transaction(kind, body) }
    }

    /// Ends all connections when the work that has them is done. Later calls throw `PostgresError.closed`.
    public func close() async {
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
