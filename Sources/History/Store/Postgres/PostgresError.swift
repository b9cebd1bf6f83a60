/// Errors of the database, one line each, with the remedy. None contains a password.
package enum PostgresError: Error, Equatable, Sendable {
    /// The URL cannot be used.
    case address(problem: String)
    /// There is no connection: the server does not answer, or refuses it.
    case unreachable(server: String, problem: String)
    /// The connection broke while it was used.
    case connectionLost(server: String, problem: String)
    /// A statement took longer than `PostgresLimits.statementSeconds`.
    case statementTimeout(server: String, seconds: Double)
    /// The server refused a statement; its state is one of PostgreSQL 15, appendix A, "PostgreSQL Error Codes".
    case statement(server: String, state: String, problem: String)
    /// A result has other columns or types than the caller expects.
    case unexpectedResult(problem: String)
    /// The pool was closed.
    case closed

    /// The server's own code of the error, if it comes from the server.
    package var state: String? {
        if case .statement(_, let state, _) = self { state } else { nil }
    }

    /// True if the transaction may succeed when it is begun anew at once: two that cannot both have been first, or that wait
    /// for each other.
    var isConflict: Bool { ["40001", "40P01"].contains(state) }

    /// The states after which the connection is of no more use: the server ends it, or has become a standby, so that the next
    /// connection looks for the primary.
    static let endOfConnection: Set = ["57P01", "57P02", "57P03", "57P05", "25006"]
    /// A statement that took longer than its time-out, or was cancelled.
    static let cancelled = "57014"
    /// No room left on the server's disk.
    package static let diskFull = "53100"
}

extension PostgresError: CustomStringConvertible {
    /// The problem and its remedy, in one line.
    package var description: String {
        switch self {
        case .address(let problem): "the PostgreSQL address \(problem)"
        case .unreachable(let server, let problem):
            "PostgreSQL at \(server) cannot be reached (\(problem)); start it, or check address, user and password"
        case .connectionLost(let server, let problem): "PostgreSQL at \(server) went away (\(problem))"
        case .statementTimeout(let server, let seconds):
            "PostgreSQL at \(server) did not answer within \(seconds) s; see what it is busy with"
        case .statement(let server, let state, let problem):
            "PostgreSQL at \(server): \(problem) (SQLSTATE \(state))"
        case .unexpectedResult(let problem): "PostgreSQL: \(problem)"
        case .closed: "PostgreSQL: the connections are closed"
        }
    }
}

extension HistoryError {
    /// The error of history for an error of PostgreSQL.
    init(postgres error: any Error, server: String) {
        switch error {
        case let error as HistoryError: self = error
        case let error as PostgresError:
            switch error {
            case .address(let problem): self = .configuration(key: "history-store", problem: problem)
            case .unreachable, .connectionLost, .statementTimeout:
                self = .serverAway(problem: "\(error)")
            case .statement(_, PostgresError.diskFull, _): self = .diskFull(path: server)
            case .statement(_, let state, let problem):
                self = .database(path: server, problem: "\(problem) (SQLSTATE \(state))")
            case .unexpectedResult(let problem): self = .database(path: server, problem: problem)
            case .closed: self = .closed
            }
        case is CancellationError: self = .closed
        default: self = .database(path: server, problem: "\(error)")
        }
    }
}
