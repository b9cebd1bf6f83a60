import Counter
import Foundation
import History
import ServiceKit

/// Puts a backup where services are to start from it.
struct Restoration {
    /// The backup's own folder.
    let backup: String
    let files: DataFiles
    /// Whether stores that are there already are moved aside.
    let replaces: Bool

    /// The folders in `data` of what was replaced, and of what is being copied.
    static let asidePrefix = "replaced-"
    static let arrivingName = "arriving"

    /// The backup itself, or the newest one in a folder of backups.
    static func newest(in path: String) throws(BackupError) -> String {
        if FileManager.default.fileExists(atPath: path + "/" + BackupManifest.fileName) { return path }
        guard let newest = DataBackup.all(in: path).last else { throw .noBackup(path) }
        return newest
    }

    /// Checks the backup, moves aside what is there, and puts the backup's files in its place.
    ///
    /// - Parameter historyOnServer: The history that the counter is to go on with, where that is on a server.
    func run(nowSeconds: Int, historyOnServer: HistoryStore? = nil) async throws -> BackupManifest {
        let manifest = try await checked(historyOnServer: historyOnServer)
        try FileCopy.make(folder: files.data)
        if let history = files.history { try FileCopy.make(folder: history) }
        let locks = try locked()
        defer { withExtendedLifetime(locks) {} }
        guard replaces || !(files.hasCounter || files.hasHistory) else { throw BackupError.notEmpty(files.data) }
        let arriving = files.data + "/" + Self.arrivingName
        try? FileManager.default.removeItem(atPath: arriving)
        for file in manifest.files {
            guard try FileCopy.plain(backup + "/" + file.path, to: arriving + "/" + file.path) == file.bytes else {
                throw BackupError.damaged(backup + "/" + file.path, "it changed while it was read")
            }
        }
        try FileCopy.give(arriving, toOwnerOf: files.data)
        try moveAside(nowSeconds: nowSeconds)
        try putInPlace(from: arriving, manifest)
        return manifest
    }

    /// Everything is read through before anything is changed.
    private func checked(historyOnServer: HistoryStore?) async throws -> BackupManifest {
        let manifest = try BackupManifest(of: backup)
        let versions = StoreVersions(
            counter: manifest.counterStoreVersion, history: manifest.historyStoreVersion, log: manifest.logVersion)
        guard versions == DataFiles.versions else { throw BackupError.otherVersion(backup, manifest) }
        guard manifest.history == .none || (manifest.history == .postgresql) == (files.history == nil) else {
            throw BackupError.otherPlace(backup, manifest.history)
        }
        for file in manifest.files {
            let isInside = !file.path.hasPrefix("/") && !file.path.split(separator: "/").contains("..")
            guard isInside, try FileCopy.size(backup + "/" + file.path) == file.bytes else {
                throw BackupError.damaged(backup + "/" + file.path, "it has another size than when it was made")
            }
            if file.path == CounterStore.fileName || file.path == SQLiteDatabase.fileName {
                try FileCopy.check(sqlite: backup + "/" + file.path)
            }
        }
        guard manifest.hasCounter else { return manifest }
        let counter = try CounterCopy(reading: backup)
        if let historyOnServer {
            try await DataFiles.check(counter, beside: historyOnServer, named: backup)
        }
        if manifest.history == .sqlite {
            try await DataFiles.check(counter, besideHistoryIn: backup, named: backup)
        }
        return manifest
    }

    /// The locks of the services, so that none of them starts meanwhile.
    private func locked() throws(BackupError) -> [FileLock] {
        var locks: [FileLock] = []
        let paths = [files.data + "/counter.lock"] + (files.historyPath.map { [$0 + ".lock"] } ?? [])
        for path in paths {
            do { locks.append(try FileLock(path: path)) } catch { throw BackupError(error, in: files.data) }
        }
        return locks
    }

    private func moveAside(nowSeconds: Int) throws(BackupError) {
        let aside = files.data + "/" + Self.asidePrefix + DataBackup.name(ofSeconds: nowSeconds)
        var there = ((try? FileManager.default.contentsOfDirectory(atPath: files.data)) ?? [])
            .filter { !$0.hasPrefix(Self.asidePrefix) && $0 != Self.arrivingName && !$0.hasSuffix(".lock") }
            .map { files.data + "/" + $0 }
            // The backups may be in the same folder.
            .filter { !(backup + "/").hasPrefix($0 + "/") }
        if let history = files.historyPath, files.history != files.data {
            there += ["", "-wal", "-shm"].map { history + $0 }.filter { FileManager.default.fileExists(atPath: $0) }
        }
        guard !there.isEmpty else { return }
        try FileCopy.make(folder: aside)
        for path in there.sorted() { try FileCopy.move(path, to: aside + "/" + URL(filePath: path).lastPathComponent) }
        try FileCopy.give(aside, toOwnerOf: files.data)
    }

    /// History last: a restore that ends half way leaves a counter without a history, and never an old counter beside a
    /// newer one.
    private func putInPlace(from arriving: String, _ manifest: BackupManifest) throws(BackupError) {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: arriving)) ?? [])
        for name in names.sorted() where name != SQLiteDatabase.fileName {
            try FileCopy.move(arriving + "/" + name, to: files.data + "/" + name)
        }
        try FileCopy.sync(files.data)
        if let history = files.history, let path = files.historyPath, names.contains(SQLiteDatabase.fileName) {
            // Another file system takes no renamed file.
            if rename(arriving + "/" + SQLiteDatabase.fileName, path) != 0 {
                _ = try FileCopy.plain(arriving + "/" + SQLiteDatabase.fileName, to: path)
                try FileCopy.give(path, toOwnerOf: files.data)
            }
            try FileCopy.sync(history)
        }
        try? FileManager.default.removeItem(atPath: arriving)
    }
}
