import Counter
import Foundation
import History
import ServiceKit

/// Puts a backup where services are to start from it.
///
/// Its files are put whole beside those that are there, on the same file system. Then everything is renaming: what is there
/// moves aside, then the new files take their places. What fails is undone; a restore that was killed is begun again.
struct Restoration {
    /// The backup's own folder.
    let backup: String
    let files: DataFiles
    /// Whether stores that are there already are moved aside.
    let replaces: Bool

    /// The folders, in each place, of what was replaced and of what is being copied.
    static let asidePrefix = "replaced-"
    static let arrivingName = "arriving"

    /// The backup itself, or the newest one in a folder of backups.
    static func newest(in path: String) throws(BackupError) -> String {
        if FileManager.default.fileExists(atPath: path + "/" + BackupManifest.fileName) { return path }
        guard let newest = DataBackup.all(in: path).last else { throw .noBackup(path) }
        return newest
    }

    /// Checks the backup and puts it in place.
    ///
    /// - Parameter historyOnServer: The history that the counter is to go on with, where that is on a server.
    func run(nowSeconds: Int, historyOnServer: HistoryStore? = nil) async throws -> BackupManifest {
        let manifest = try await checked(historyOnServer: historyOnServer)
        for folder in files.folders { try FileCopy.make(folder: folder) }
        let locks = try locked()
        defer { withExtendedLifetime(locks) {} }
        guard replaces || !(files.hasCounter || files.hasHistory) else { throw BackupError.notEmpty(files.data) }
        defer { for folder in files.folders { try? FileManager.default.removeItem(atPath: arriving(in: folder)) } }
        let moves = try prepared(nowSeconds: nowSeconds)
        for (count, move) in moves.enumerated() {
            do { try FileCopy.move(move.from, to: move.to) } catch {
                for move in moves[..<count].reversed() { try? FileCopy.move(move.to, to: move.from) }
                throw error
            }
        }
        for folder in files.folders { try FileCopy.sync(folder) }
        return manifest
    }

    /// Everything is read through before anything is changed.
    private func checked(historyOnServer: HistoryStore?) async throws -> BackupManifest {
        let manifest = try BackupManifest(of: backup)
        guard manifest.versions == DataFiles.versions else { throw BackupError.otherVersion(backup, manifest) }
        guard manifest.history == .none || (manifest.history == .postgresql) == (files.history == nil) else {
            throw BackupError.otherPlace(backup, manifest.history)
        }
        guard FileCopy.bytes(in: backup) == manifest.bytes else {
            throw BackupError.damaged(backup, "it has not as many bytes as when it was made")
        }
        let copy = DataFiles(data: backup, history: backup)
        try await copy.check(named: backup)
        if let historyOnServer, copy.hasCounter {
            try DataFiles.check(CounterCopy(reading: backup), beside: await historyOnServer.cursors(), named: backup)
        }
        return manifest
    }

    /// The locks of the services, so that none of them starts meanwhile.
    private func locked() throws(BackupError) -> [FileLock] {
        var locks: [FileLock] = []
        let history = files.history.map { SQLiteDatabase.path(in: $0) + ".lock" }
        for path in [files.data + "/counter.lock"] + [history].compactMap(\.self) {
            do { locks.append(try FileLock(path: path)) } catch { throw BackupError(error, in: files.data) }
        }
        return locks
    }

    private func arriving(in folder: String) -> String { folder + "/" + Self.arrivingName }

    /// Copies the backup beside what is there, and says what is to be renamed then. All old files go before a new one comes,
    /// history's store last, so that an old counter never stands beside a newer history.
    func prepared(nowSeconds: Int) throws(BackupError) -> [(from: String, to: String)] {
        var (old, new): ([(from: String, to: String)], [(from: String, to: String)]) = ([], [])
        let history = SQLiteDatabase.fileName
        let aside = Self.asidePrefix + DataBackup.name(ofSeconds: freeSeconds(nowSeconds))
        for folder in files.folders {
            let arriving = arriving(in: folder)
            try? FileManager.default.removeItem(atPath: arriving)
            try FileCopy.make(folder: arriving)
            for name in DataFiles.names(in: backup) where folder == (name == history ? files.history : files.data) {
                try FileCopy.plain(backup + "/" + name, to: arriving + "/" + name)
                new.append((arriving + "/" + name, folder + "/" + name))
            }
            try FileCopy.settle(arriving, forOwnerOf: folder)
            let present = DataFiles.names(in: folder).filter { folder == files.data || $0.hasPrefix(history) }
            guard !present.isEmpty else { continue }
            try FileCopy.make(folder: folder + "/" + aside)
            try FileCopy.settle(folder + "/" + aside, forOwnerOf: folder)
            old += present.map { (folder + "/" + $0, folder + "/" + aside + "/" + $0) }
        }
        return old + new.filter { !$0.to.hasSuffix("/" + history) } + new.filter { $0.to.hasSuffix("/" + history) }
    }

    /// A second after which nothing that was replaced is named yet.
    private func freeSeconds(_ nowSeconds: Int) -> Int {
        (nowSeconds...).first { second in
            let name = Self.asidePrefix + DataBackup.name(ofSeconds: second)
            return files.folders.allSatisfy { !FileManager.default.fileExists(atPath: $0 + "/" + name) }
        } ?? nowSeconds
    }
}
