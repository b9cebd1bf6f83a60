import Foundation
import GRDB

/// Why the counter cannot start or go on: each is one line that says what to do.
package enum CounterError: Error, Sendable, Equatable {
    case configuration(key: String, problem: String)
    case unwritable(path: String, problem: String)
    case alreadyInUse(path: String)
    case locked(path: String)
    /// The store is that of other partitions; of none where another one has taken all of them over.
    case otherPartitions(path: String, own: String?, wanted: String)
    case partitionsInUse(own: String, others: String)
    case diskFull(path: String)
    case otherVersion(path: String)
    case otherLogVersion(path: String)
    case foreign(path: String)
    case damaged(path: String, problem: String)
    /// History has rows of this store that the store has not made: it is an old copy.
    case historyIsNewer(path: String, revision: UInt64)
    case database(path: String, problem: String)

    /// True if the same commit may succeed later with the same configuration. What the database says of the commit itself,
    /// such as that it breaks a constraint, it says again.
    package var isTransient: Bool {
        switch self {
        case .unwritable, .locked, .diskFull: true
        default: false
        }
    }
}

extension CounterError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .configuration(let key, let problem): "counter: '\(key)' \(problem)"
        case .unwritable(let path, let problem):
            "counter: cannot write \(path) (\(problem)): make it writable or choose another --data directory"
        case .alreadyInUse(let path):
            "counter: another counter works on \(path): stop it or choose another --data directory"
        case .locked(let path): "counter: another program has locked \(path): close it"
        case .otherPartitions(let path, nil, _):
            "counter: another counter has taken over all devices of \(path): choose another --data directory"
        case .otherPartitions(let path, let own?, let wanted):
            "counter: \(path) is that of the partitions \(own), not of \(wanted): give --partitions \(own), or change what it"
                + " counts with 'stridebus counter adopt'"
        case .partitionsInUse(let own, let others):
            "counter: another counter is at work on the partitions \(others), and some of these are in \(own): give each"
                + " partition to one counter. If that one is gone for good, clear the retained message of"
                + " service/counter/\(others)/status"
        case .diskFull(let path): "counter: no room on the disk of \(path): free some, counting goes on by itself"
        case .otherVersion(let path):
            "counter: \(path) was written by another stridebus: start that version or choose another --data directory"
        case .otherLogVersion(let path):
            "counter: the log \(path) was written by another stridebus: start that version and stop it in order, which"
                + " empties the log, or choose another --data directory"
        case .foreign(let path): "counter: \(path) is not a counter's store: choose another --data directory"
        case .damaged(let path, let problem):
            "counter: \(path) is damaged (\(problem)): start again, a file that cannot be read is set aside then"
        case .historyIsNewer(let path, let revision):
            "counter: history has rows up to \(revision) of \(path), which has not made them: it is an old copy beside a"
                + " newer history. Restore both from one backup, or move counter.sqlite and counter-*.log away to begin anew"
        case .database(let path, let problem): "counter: \(path): \(problem)"
        }
    }
}

extension CounterError {
    init(code: Int32, path: String) {
        let problem = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT: self = .diskFull(path: path)
        // Of these the program or the folder is the cause: no disk works again.
        case EBADF, EINVAL, EFAULT, EISDIR, ENOTDIR, ENAMETOOLONG, ELOOP, ESPIPE:
            self = .database(path: path, problem: problem)
        default: self = .unwritable(path: path, problem: problem)
        }
    }

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
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: self = .locked(path: path)
        case .SQLITE_FULL: self = .diskFull(path: path)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path, problem: problem)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_NOLFS,
            .SQLITE_NOMEM, .SQLITE_INTERRUPT, .SQLITE_ABORT:
            self = .unwritable(path: path, problem: problem)
        default: self = .database(path: path, problem: problem)
        }
    }
}
