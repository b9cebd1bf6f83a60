import Foundation

/// Why the files of a store cannot be used; the service's own error says what to do about it.
package enum StoreFileError: Error, Sendable, Equatable {
    case alreadyInUse(path: String)
    /// The file cannot be made, locked or renamed.
    case unwritable(path: String, problem: String)
}

/// An advisory lock on a file, held as long as this object lives: one process at a time works on a store.
///
/// The kernel releases it however the process ends (flock(2)).
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Makes the file where it is missing, and takes the lock.
    ///
    /// - Throws: ``StoreFileError`` at once when another process has it.
    package init(path: String) throws(StoreFileError) {
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
    package static func give(_ path: String, toOwnerOf folder: String? = nil) throws(StoreFileError) {
        guard geteuid() == 0 else { return }
        let folder = folder ?? URL(fileURLWithPath: path).deletingLastPathComponent().path
        var status = stat()
        guard stat(folder, &status) == 0 else { throw failure(folder) }
        let inside = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for path in [path] + inside.map({ path + "/" + $0 }) where lchown(path, status.st_uid, status.st_gid) != 0 {
            throw failure(path)
        }
    }

    private static func failure(_ path: String) -> StoreFileError {
        .unwritable(path: path, problem: String(cString: strerror(errno)))
    }
}

/// A file that cannot be read any more is renamed, never deleted: someone may still get something out of it.
package enum DamagedFile {
    /// The files that SQLite keeps beside a database.
    package static let sqliteSuffixes = ["-wal", "-shm"]

    /// Renames a file to `{path}.damaged-{mark}`, and the files beside it alike.
    ///
    /// - Parameters:
    ///   - path: The file; it is no error when it is missing.
    ///   - mark: A suffix that no other occasion has, such as a time or a random number.
    ///   - suffixes: The ends of the names of the files that belong to it.
    /// - Returns: The new path.
    package static func setAside(
        _ path: String, mark: some CustomStringConvertible, with suffixes: [String] = []
    ) throws(StoreFileError) -> String {
        let aside = "\(path).damaged-\(mark)"
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
