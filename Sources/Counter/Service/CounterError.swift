import Foundation
package import ServiceKit

/// Why the counter cannot start or go on: each is one line that says what to do.
package enum CounterError: Error, Sendable, Equatable {
    /// A file of the counter, or its store.
    case store(StoreError)
    /// The store is that of other partitions; of none where another one has taken all of them over.
    case otherPartitions(path: String, own: String?, wanted: String)
    case partitionsInUse(own: String, others: String)
    case otherVersion(path: String)
    case otherLogVersion(path: String)
    case foreign(path: String)
    /// History has rows of this store that the store has not made: it is an old copy.
    case historyIsNewer(path: String, revision: UInt64)

    /// True if the same commit may succeed later with the same configuration. What the database says of the commit itself,
    /// such as that it breaks a constraint, it says again.
    package var isTransient: Bool {
        if case .store(let error) = self { error.isTransient } else { false }
    }
}

extension CounterError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .store(let error): "counter: \(error)"
        case .otherPartitions(let path, nil, _):
            "counter: another counter has taken over all devices of \(path): choose another --data directory"
        case .otherPartitions(let path, let own?, let wanted):
            "counter: \(path) is that of the partitions \(own), not of \(wanted): give --partitions \(own), or change what it"
                + " counts with 'stridebus counter adopt'"
        case .partitionsInUse(let own, let others):
            "counter: another counter is at work on the partitions \(others), and some of these are in \(own): give each"
                + " partition to one counter. If that one is gone for good, clear the retained message of"
                + " service/counter/\(others)/status"
        case .otherVersion(let path):
            "counter: \(path) was written by another stridebus: start that version or choose another --data directory"
        case .otherLogVersion(let path):
            "counter: the log \(path) was written by another stridebus: start that version and stop it in order, which"
                + " empties the log, or choose another --data directory"
        case .foreign(let path): "counter: \(path) is not a counter's store: choose another --data directory"
        case .historyIsNewer(let path, let revision):
            "counter: history has rows up to \(revision) of \(path), which has not made them: it is an old copy beside a"
                + " newer history. Restore both from one backup, or move counter.sqlite and counter-*.log away to begin anew"
        }
    }
}

extension CounterError {
    init(code: Int32, path: String) {
        let problem = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT: self = .store(.diskFull(path: path))
        // Of these the program or the folder is the cause: no disk works again.
        case EBADF, EINVAL, EFAULT, EISDIR, ENOTDIR, ENAMETOOLONG, ELOOP, ESPIPE:
            self = .store(.database(path: path, problem: problem))
        default: self = .store(.unwritable(path: path, problem: problem))
        }
    }

    init(_ error: any Error, path: String) { self = error as? CounterError ?? .store(StoreError(error, path: path)) }
}
