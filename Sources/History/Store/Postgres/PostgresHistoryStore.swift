import Synchronization
import Wire

/// History on a PostgreSQL server, 15 or later: for buses whose histories share one.
///
/// Several histories may write at once. Whatever changes what is kept of a device locks the device's row first, so
/// that differences are taken from what is there at that moment, and each is added to its day once.
public final class PostgresHistoryStore: HistoryStore {
    let pool: PostgresPool
    /// The connection that holds the lock on the root, from the opening of the store to its end.
    let holder: PostgresPool?
    let root: String
    let defaultZone: DayCalendar
    let maximumDevices: Int
    /// The months whose partitions are known to be there.
    let knownMonths = Mutex<Set<LocalDate>>([])

    /// How many rows are written with one statement at most.
    static let rowsAStatement = 5_000
    /// How many rows are deleted in one transaction.
    static let rowsATransaction = 2_000

    /// Where the database is, without a password.
    public var server: String { pool.server }

    init(pool: PostgresPool, holder: PostgresPool?, root: String, defaultZone: DayCalendar, maximumDevices: Int) {
        self.pool = pool
        self.holder = holder
        self.root = root
        self.defaultZone = defaultZone
        self.maximumDevices = maximumDevices
    }

    /// Ends all connections.
    public func close() async {
        await pool.close()
        await holder?.close()
    }

    /// Whether other histories may write to the same database.
    public var isShared: Bool { true }

    func write<Result: Sendable>(
        _ work: @Sendable @escaping (PostgresSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        do { return try await pool.transaction(.readWrite, work) } catch { throw HistoryError(error, server: server) }
    }

    /// Several statements that see the same.
    func snapshot<Result: Sendable>(
        _ work: @Sendable @escaping (PostgresSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        do { return try await pool.transaction(.snapshot, work) } catch { throw HistoryError(error, server: server) }
    }

    /// One statement, which needs no transaction around it and may be repeated.
    func read<Result: Sendable>(
        _ work: @Sendable @escaping (PostgresSession) throws -> Result
    ) async throws(HistoryError) -> Result {
        do { return try await pool.statements(work) } catch { throw HistoryError(error, server: server) }
    }
}

extension HistoryError {
    /// What PostgreSQL said, as something to do.
    init(_ error: any Error, server: String) {
        switch error {
        case let error as HistoryError: self = error
        case let error as PostgresError:
            switch error {
            case .address(let problem): self = .configuration(key: "history-store", problem: problem)
            case .unreachable, .connectionLost, .statementTimeout, .poolTimeout, .poolFull:
                self = .serverAway(problem: "\(error)")
            case .statement(_, .diskFull, _): self = .diskFull(path: server)
            case .statement(_, let state, let problem):
                self = .database(path: server, problem: "\(problem) (SQLSTATE \(state.rawValue))")
            case .unexpectedResult(let problem): self = .database(path: server, problem: problem)
            case .closed: self = .closed
            }
        case is CancellationError: self = .closed
        default: self = .database(path: server, problem: "\(error)")
        }
    }
}
