import Foundation

/// Why a store cannot be used.
package enum StoreError: Error, Sendable, Equatable {
    case alreadyInUse(path: String)
    /// Another program has locked the file for a while.
    case locked(path: String)
    case diskFull(path: String)
    /// The file cannot be made, written, locked or renamed.
    case unwritable(path: String, problem: String)
    case damaged(path: String, problem: String)
    /// A statement that the database refuses: it refuses the same statement again.
    case database(path: String, problem: String)

    /// True if the same work may succeed later with the same configuration.
    package var isTransient: Bool {
        switch self {
        case .locked, .diskFull, .unwritable: true
        case .alreadyInUse, .damaged, .database: false
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// The problem and its remedy, in one line.
    package var description: String {
        switch self {
        case .alreadyInUse(let path): "another process works on \(path): stop it, or name another place"
        case .locked(let path): "\(path) is locked by another program (a database browser, a backup): close it"
        case .diskFull(let path): "no room left on the disk of \(path): free some, counting goes on by itself"
        case .unwritable(let path, let problem):
            "\(path) cannot be written (\(problem)): check its owner and mode, or give another --data"
        case .damaged(let path, let problem):
            "\(path) is damaged (\(problem)): start again, a file that cannot be read is set aside then"
        case .database(let path, let problem): "\(path): \(problem)"
        }
    }
}

/// An advisory lock on a file, held as long as this object lives: one process at a time works on a store.
///
/// The kernel releases it however the process ends (flock(2)).
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Makes the file where it is missing, and takes the lock.
    ///
    /// - Throws: ``StoreError`` at once when another process has it.
    package init(path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(path: path, problem: String(cString: strerror(errno))) }
        // Where it fails the service says that it cannot open the file.
        try? FileOwner.give(path)
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            guard code == EWOULDBLOCK else { throw .unwritable(path: path, problem: String(cString: strerror(code))) }
            throw .alreadyInUse(path: path)
        }
        self.descriptor = descriptor
    }

    deinit {
        // A child process that is being started has a copy of the descriptor, and with it of the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// The owner of what root makes in the folder of a service that runs as another user.
package enum FileOwner {
    /// Gives what root has made, with all that is in it, to the owner of a folder, who has to read and remove it.
    /// Others than root can only make what is theirs.
    ///
    /// - Parameter folder: The folder that the path is in, unless another is named.
    package static func give(_ path: String, toOwnerOf folder: String? = nil) throws(StoreError) {
        guard geteuid() == 0 else { return }
        let folder = folder ?? URL(fileURLWithPath: path).deletingLastPathComponent().path
        var status = stat()
        guard stat(folder, &status) == 0 else { throw failure(folder) }
        let inside = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for path in [path] + inside.map({ path + "/" + $0 }) where lchown(path, status.st_uid, status.st_gid) != 0 {
            throw failure(path)
        }
    }

    private static func failure(_ path: String) -> StoreError {
        .unwritable(path: path, problem: String(cString: strerror(errno)))
    }
}

/// A file that cannot be read any more is renamed, never deleted: someone may still get something out of it.
package enum DamagedFile {
    /// The files that SQLite keeps beside a database.
    package static let sqliteSuffixes = ["-wal", "-shm"]

    /// Renames a file to `{path}.damaged-` and a random number, and the files beside it alike.
    ///
    /// - Parameters:
    ///   - path: The file; it is no error when it is missing.
    ///   - suffixes: The ends of the names of the files that belong to it.
    /// - Returns: The new path.
    package static func setAside(
        _ path: String, with suffixes: [String] = []
    ) throws(StoreError) -> String {
        let aside = "\(path).damaged-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        for suffix in [""] + suffixes where FileManager.default.fileExists(atPath: path + suffix) {
            do {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
            } catch {
                throw .unwritable(path: path, problem: "it is damaged and cannot be renamed")
            }
        }
        return aside
    }
}

/// A directory for the files of a run.
package enum DataDirectory {
    /// The default of `data`.
    package static let usualPath = "stridebus-data"

    /// Makes a directory, with its parents, and checks that it can be written.
    package static func make(_ path: String) throws(SettingError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw unwritable(path)
        }
        guard FileManager.default.isWritableFile(atPath: path) else { throw unwritable(path) }
    }

    private static func unwritable(_ path: String) -> SettingError {
        SettingError(
            key: "data",
            problem: "is '\(path)', which cannot be written: check its owner and rights, or give another --data")
    }
}
