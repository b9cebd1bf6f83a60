/// Errors of starting and of storing, one line each, with the remedy.
package enum HistoryError: Error, Equatable, Sendable {
    /// A flag, variable or line of the configuration that cannot be used.
    case configuration(key: String, problem: String)
    /// Another history works on the same file, or on the same database of a server.
    case alreadyInUse(path: String)
    /// Another program holds a lock on the database.
    case databaseLocked(path: String)
    /// The folder or the file cannot be written.
    case notWritable(path: String, problem: String)
    /// No room left on the disk.
    case diskFull(path: String)
    /// Written by a stridebus with other tables.
    case otherSchema(path: String)
    /// The file's content is damaged.
    case damaged(path: String, problem: String)
    /// The database server cannot be reached, or went away.
    case serverAway(problem: String)
    /// The database server is not one that history can work with.
    case wrongServer(server: String, problem: String)
    /// Anything else that a database says.
    case database(path: String, problem: String)
    /// The store was closed, because the service is shutting down.
    case closed
    /// Nobody waits any more for what is read.
    case overtime

    /// True if the same operation may succeed later with the same configuration.
    package var isTransient: Bool {
        switch self {
        case .databaseLocked, .diskFull, .notWritable, .serverAway, .database: true
        case .configuration, .alreadyInUse, .otherSchema, .damaged, .wrongServer, .closed, .overtime: false
        }
    }
}

extension HistoryError {
    /// What work with a database threw.
    init(_ error: any Error, path: String) {
        switch error {
        case let error as HistoryError: self = error
        case is CancellationError: self = .closed
        default: self = .database(path: path, problem: "\(error)")
        }
    }
}

extension HistoryError: CustomStringConvertible {
    /// The problem and its remedy, in one line.
    package var description: String {
        switch self {
        case .configuration(let key, let problem): "history: '\(key)' \(problem)"
        case .alreadyInUse(let path):
            "history: \(path) is in use by another history; stop it, or name another --data or --history-store"
        case .databaseLocked(let path):
            "history: \(path) is locked by another program; close it (a database browser, a backup) and try again"
        case .notWritable(let path, let problem):
            "history: \(path) cannot be written (\(problem)); check its owner and mode, or give another --data folder"
        case .diskFull(let path): "history: no room left on the disk of \(path); free some, counting goes on by itself"
        case .otherSchema(let path):
            "history: \(path) was written by another stridebus, or another program; start that version, or name another --data or"
                + " --history-store"
        case .damaged(let path, let problem):
            "history: \(path) is damaged (\(problem)); restart history, which sets it aside and asks the counter again"
        case .serverAway(let problem): "history: \(problem)"
        case .wrongServer(let server, let problem): "history: PostgreSQL at \(server) \(problem)"
        case .database(let path, let problem): "history: \(path): \(problem)"
        case .closed: "history: the store is closed"
        case .overtime: "history: an answer took too long"
        }
    }
}
