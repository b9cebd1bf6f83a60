import Counter
import Foundation
import History
import ServiceKit

/// The files of the services, where they run.
struct DataFiles {
    /// The folder of `--data`.
    let data: String
    /// The folder of `history.sqlite`; `nil` where history is on a server.
    let history: String?

    static let versions = StoreVersions(
        counter: CounterCopy.storeVersion, history: HistoryStore.storeVersion, log: CounterCopy.logVersion)

    var hasCounter: Bool { FileManager.default.fileExists(atPath: data + "/" + CounterStore.fileName) }
    var hasHistory: Bool {
        history.map { FileManager.default.fileExists(atPath: $0 + "/" + SQLiteDatabase.fileName) } ?? false
    }

    /// The folders that they are in: one, or one each.
    var folders: [String] { [data] + [history].compactMap(\.self).filter { $0 != data } }

    /// Folders of the data that are copied as they are: the private broker's database, its users and certificates, and
    /// what was set aside.
    private static let plainFolders = ["broker", "network", "set-aside"]

    /// The names in a folder of what is neither store nor log.
    static func plainNames(in folder: String) -> [String] {
        names(in: folder).filter { plainFolders.contains($0) || $0.hasSuffix(".at") }
    }

    /// The names in a folder that are files of the services.
    static func names(in folder: String) -> [String] {
        let stores = [CounterStore.fileName, SQLiteDatabase.fileName].flatMap { store in
            ([""] + DamagedFile.sqliteSuffixes).map { store + $0 }
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter {
            (plainFolders + stores).contains($0) || $0.hasSuffix(".at")
                || $0.hasPrefix("counter-") && $0.hasSuffix(".log")
        }
    }

    /// Reads stores through, and refuses those that do not fit together.
    ///
    /// - Parameter path: What they are called in an error.
    func check(named path: String) async throws {
        if let history, hasHistory { try FileCopy.check(sqlite: SQLiteDatabase.path(in: history)) }
        guard hasCounter else { return }
        try FileCopy.check(sqlite: data + "/" + CounterStore.fileName)
        let counter = try CounterCopy(reading: data)
        guard let history, hasHistory else { return }
        let store = try HistoryStore.sqlite(reading: history)
        let cursors = try await store.cursors()
        await store.close()
        try Self.check(counter, beside: cursors, named: path)
    }

    /// Refuses an old counter beside a newer history, whose positions in the counter's revisions are given.
    static func check(_ counter: CounterCopy, beside history: [ChainCursor], named path: String) throws(BackupError) {
        let isNewer = history.contains { $0.epoch == counter.epoch && $0.revision > counter.revision }
        if isNewer { throw .historyIsNewer(path) }
    }
}

/// Copies of files that others write meanwhile.
enum FileCopy {
    /// Copies a file, or what is in a folder, as it is; what has gone meanwhile is left out, and so are locks and logs of
    /// programs.
    ///
    /// A file that is replaced by renaming, as Mosquitto's database is, is copied whole; of one that is appended to, what
    /// was there.
    static func plain(_ path: String, to target: String) throws(BackupError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return }
        do {
            guard isFolder.boolValue else { return try FileManager.default.copyItem(atPath: path, toPath: target) }
            try make(folder: target)
            for name in try FileManager.default.contentsOfDirectory(atPath: path)
            where ![".lock", ".log", ".new"].contains(where: name.hasSuffix) && !name.contains(".damaged") {
                try plain(path + "/" + name, to: target + "/" + name)
            }
        } catch {
            guard FileManager.default.fileExists(atPath: path) else { return }
            throw error as? BackupError ?? .unwritable(target, error.localizedDescription)
        }
    }

    /// Copies a SQLite database as of one instant, beside the process that writes it, into one file without a log.
    static func sqlite(_ path: String, to target: String) throws(BackupError) {
        do { try StoreDatabase(reading: path).copy(to: target) } catch {
            if case StoreError.damaged(_, let problem) = error { throw .damaged(path, problem) }
            throw .unwritable(target, "\(error)")
        }
    }

    /// Reads every page of a database.
    static func check(sqlite path: String) throws(BackupError) {
        do { try StoreDatabase(reading: path).readThrough() } catch {
            if case StoreError.damaged(_, let problem) = error { throw .damaged(path, problem) }
            throw .damaged(path, "\(error)")
        }
    }

    static func make(folder: String) throws(BackupError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(folder, error.localizedDescription)
        }
    }

    /// The bytes of the files of a backup, without its manifest.
    static func bytes(in folder: String) -> Int {
        var bytes = 0
        for path in paths(in: folder) where path != BackupManifest.fileName {
            var status = stat()
            guard lstat(folder + "/" + path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            bytes += Int(status.st_size)
        }
        return bytes
    }

    private static func paths(in folder: String) -> [String] {
        FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    }

    /// Gives a folder, with all that is in it, to the user of the services, who has to read and remove it, for that one
    /// alone; returns when it is on the disk.
    static func settle(_ folder: String, forOwnerOf data: String) throws(BackupError) {
        for path in [folder] + paths(in: folder).map({ folder + "/" + $0 }) {
            var status = stat()
            guard lstat(path, &status) == 0, chmod(path, status.st_mode & 0o700) == 0 else { throw failure(path) }
            try sync(path)
        }
        do { try FileOwner.give(folder, toOwnerOf: data) } catch { throw BackupError(error, in: data) }
    }

    /// Returns when a file, or the names in a folder, are on the disk.
    static func sync(_ path: String) throws(BackupError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    static func move(_ path: String, to target: String) throws(BackupError) {
        guard rename(path, target) == 0 else { throw failure(target) }
    }

    private static func failure(_ path: String) -> BackupError {
        .unwritable(path, String(cString: strerror(errno)))
    }
}
