import GRDB

extension CounterError {
    /// What the database says, as something that can be acted on.
    init(_ error: any Error, path: String) {
        if let error = error as? CounterError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self = .database(path: path, problem: "\(error)")
            return
        }
        let problem = error.message ?? error.resultCode.description
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path)
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, problem: problem)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_IOERR:
            self = .unwritable(path: path, problem: problem)
        default: self = .database(path: path, problem: problem)
        }
    }
}
