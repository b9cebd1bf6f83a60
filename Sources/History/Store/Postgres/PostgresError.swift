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
    /// More than `PostgresLimits.maximumWaiting` wait for a connection.
    case poolFull(server: String, waiting: Int)
    /// The server refused a statement.
    case statement(server: String, state: SQLState, problem: String)
    /// A result has other columns or types than the caller expects.
    case unexpectedResult(problem: String)
    /// The pool was closed.
    case closed

    /// The server's own code of the error, if it comes from the server.
    package var state: SQLState? {
        if case .statement(_, let state, _) = self { state } else { nil }
    }

    /// True if the transaction may succeed when it is begun anew at once.
    var isSerializationConflict: Bool {
        state == .serializationFailure || state == .deadlockDetected
    }
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
        case .poolFull(let server, let waiting):
            "\(waiting) wait already for a connection to PostgreSQL at \(server); try again later"
        case .statement(let server, let state, let problem):
            "PostgreSQL at \(server): \(problem) (SQLSTATE \(state.rawValue))"
        case .unexpectedResult(let problem): "PostgreSQL: \(problem)"
        case .closed: "PostgreSQL: the connections are closed"
        }
    }
}

/// The kind of a server's error: PostgreSQL 15, appendix A, "PostgreSQL Error Codes".
package struct SQLState: RawRepresentable, Hashable, Sendable {
    /// Five letters or digits.
    package let rawValue: String

    /// A state by its five letters or digits.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Two transactions that cannot both have been first.
    static let serializationFailure = SQLState(rawValue: "40001")
    /// Two transactions that wait for each other.
    static let deadlockDetected = SQLState(rawValue: "40P01")
    /// A lock that could not be had within `lock_timeout`.
    static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// A failed check, such as a row without a partition.
    static let checkViolation = SQLState(rawValue: "23514")
    /// No room left on the server's disk.
    package static let diskFull = SQLState(rawValue: "53100")
    /// A write on a server that is a standby.
    static let readOnlyTransaction = SQLState(rawValue: "25006")
    /// The statement was cancelled: by its timeout, or by an operator.
    static let queryCanceled = SQLState(rawValue: "57014")

    /// True if the connection is of no more use: the server ends it (class 57P, operator intervention), or has become a
    /// standby, so that the next connection looks for the primary.
    var endsConnection: Bool {
        ["57P01", "57P02", "57P03", "57P05"].contains(rawValue) || self == .readOnlyTransaction
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
            case .unreachable, .connectionLost, .statementTimeout, .poolFull:
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
