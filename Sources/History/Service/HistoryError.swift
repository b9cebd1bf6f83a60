package import ServiceKit

/// Errors of starting and of storing, one line each, with the remedy.
package enum HistoryError: Error, Equatable, Sendable {
    /// A file of history, or its database.
    case store(StoreError)
    /// Written by a stridebus with other tables.
    case otherSchema(path: String)
    /// The database server cannot be reached, or went away.
    case serverAway(problem: String)
    /// The database server is not one that history can work with.
    case wrongServer(server: String, problem: String)
    /// The store was closed, because the service is shutting down.
    case closed
    /// Nobody waits any more for what is read.
    case overtime

    /// True if the same operation may succeed later with the same configuration.
    package var isTransient: Bool {
        switch self {
        case .serverAway, .store(.database): true
        case .store(let error): error.isTransient
        case .otherSchema, .wrongServer, .closed, .overtime: false
        }
    }
}

extension HistoryError {
    /// What work with a database threw.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as HistoryError: self = error
        case is CancellationError: self = .closed
        default: self = .store(StoreError(error, path: path))
        }
    }
}

extension HistoryError: CustomStringConvertible {
    /// The problem and its remedy, in one line.
    package var description: String {
        switch self {
        case .store(let error): "history: \(error)"
        case .otherSchema(let path):
            "history: \(path) was written by another stridebus, or another program; start that version, or name another --data or"
                + " --history-store"
        case .serverAway(let problem): "history: \(problem)"
        case .wrongServer(let server, let problem): "history: PostgreSQL at \(server) \(problem)"
        case .closed: "history: the store is closed"
        case .overtime: "history: an answer took too long"
        }
    }
}
