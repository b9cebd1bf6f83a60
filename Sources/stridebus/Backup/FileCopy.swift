import Foundation
import GRDB
import ServiceKit

/// Copies of files that others write meanwhile. Each is on the disk when it is made, and for its owner alone.
enum FileCopy {
    /// Copies a file as it is; `nil` where it has gone.
    ///
    /// A file that is replaced by renaming, as Mosquitto's database is, is copied whole; of one that is appended to, what
    /// was there.
    static func plain(_ path: String, to target: String) throws(BackupError) -> Int? {
        guard let source = FileHandle(forReadingAtPath: path) else {
            guard FileManager.default.fileExists(atPath: path) else { return nil }
            throw .unwritable(target, "\(path) cannot be read")
        }
        defer { try? source.close() }
        try make(folder: URL(filePath: target).deletingLastPathComponent().path)
        let descriptor = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(target) }
        let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var count = 0
        do {
            while let bytes = try source.read(upToCount: 1 << 20), !bytes.isEmpty {
                try output.write(contentsOf: bytes)
                count += bytes.count
            }
            try output.synchronize()
            try output.close()
        } catch {
            throw .unwritable(target, error.localizedDescription)
        }
        return count
    }

    /// Copies a SQLite database as of one instant, by SQLite's own backup, beside the process that writes it.
    static func sqlite(_ path: String, to target: String) throws(BackupError) -> Int {
        do {
            var reading = Configuration()
            reading.readonly = true
            let source = try DatabaseQueue(path: path, configuration: reading)
            let copy = try DatabaseQueue(path: target)
            try source.backup(to: copy)
            // One file, which can also be read from where nothing can be written; a service makes its log beside it again.
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            try source.close()
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
        {
            throw .damaged(path, error.message ?? "\(error.resultCode)")
        } catch {
            throw .unwritable(target, "\(error)")
        }
        guard chmod(target, 0o600) == 0 else { throw failure(target) }
        try sync(target)
        return try size(target)
    }

    /// Reads every page of a database.
    static func check(sqlite path: String) throws(BackupError) {
        let verdict: String
        do {
            var reading = Configuration()
            reading.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: reading)
            verdict = try queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check(1)") } ?? "no answer"
            try queue.close()
        } catch {
            throw .damaged(path, (error as? DatabaseError)?.message ?? "\(error)")
        }
        guard verdict == "ok" else { throw .damaged(path, verdict) }
    }

    static func size(_ path: String) throws(BackupError) -> Int {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int else {
            throw .damaged(path, "it has gone")
        }
        return size
    }

    static func make(folder: String) throws(BackupError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(folder, error.localizedDescription)
        }
    }

    /// Moves a file or a folder by renaming; what lies on another file system, or is a place where one is mounted, is copied
    /// and then removed.
    static func move(_ path: String, to target: String) throws(BackupError) {
        guard rename(path, target) != 0 else { return }
        guard [EXDEV, EBUSY, ENOTEMPTY, EEXIST].contains(errno) else { throw failure(target) }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure(path) }
        if status.st_mode & S_IFMT == S_IFDIR {
            try make(folder: target)
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { throw failure(path) }
            for name in names.sorted() { try move(path + "/" + name, to: target + "/" + name) }
            // Where something is mounted the folder stays, empty.
            rmdir(path)
        } else {
            _ = try plain(path, to: target)
            try give(target, toOwnerOf: URL(filePath: target).deletingLastPathComponent().path)
            guard unlink(path) == 0 else { throw failure(path) }
        }
    }

    /// What root has made belongs to the user of the services, who has to read and remove it.
    static func give(_ path: String, toOwnerOf folder: String) throws(BackupError) {
        do { try FileOwner.give(path, toOwnerOf: folder) } catch { throw BackupError(error, in: folder) }
    }

    /// Returns when a file, or the names in a folder, are on the disk.
    static func sync(_ path: String) throws(BackupError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    private static func failure(_ path: String) -> BackupError {
        .unwritable(path, String(cString: strerror(errno)))
    }
}
