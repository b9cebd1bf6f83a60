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

    /// The folders, in each place, of what was replaced and of what is being copied.
    static let asidePrefix = "replaced-"
    static let arrivingName = "arriving"

    /// The backup itself, or the newest one in a folder of backups.
    static func newest(in path: String) throws(BackupError) -> String {
        if FileManager.default.fileExists(atPath: path + "/" + BackupManifest.fileName) { return path }
        guard let newest = DataBackup.all(in: path).last else { throw .noBackup(path) }
        return newest
    }

    /// A folder in which files of the services stand, and where a restore puts what: everything of one is on one file
    /// system, so that it takes its place by renaming.
    private struct Place {
        let folder: String
        /// Paths below the backup.
        var files: [BackupManifest.File]

        var arriving: String { folder + "/" + Restoration.arrivingName }
    }

    /// Checks the backup, puts its files whole beside what is there, moves that aside, and renames the new ones into place.
    /// What fails on the way is undone.
    ///
    /// - Parameter historyOnServer: The history that the counter is to go on with, where that is on a server.
    func run(nowSeconds: Int, historyOnServer: HistoryStore? = nil) async throws -> BackupManifest {
        let manifest = try await checked(historyOnServer: historyOnServer)
        try FileCopy.make(folder: files.data)
        if let history = files.history { try FileCopy.make(folder: history) }
        let locks = try locked()
        defer { withExtendedLifetime(locks) {} }
        guard replaces || !(files.hasCounter || files.hasHistory) else { throw BackupError.notEmpty(files.data) }
        let places = places(of: manifest)
        for place in places { try copy(to: place) }
        defer { for place in places { try? FileManager.default.removeItem(atPath: place.arriving) } }
        var done: [(from: String, to: String)] = []
        do {
            for place in places { try moveAside(in: place, nowSeconds: nowSeconds, &done) }
            for place in places { try putInPlace(place, &done) }
        } catch {
            for move in done.reversed() { try? FileCopy.move(move.to, to: move.from) }
            throw error
        }
        return manifest
    }

    /// History last: a restore that ends half way leaves a counter without a history, and never an old counter beside a
    /// newer one.
    private func places(of manifest: BackupManifest) -> [Place] {
        guard let history = files.history, history != files.data else {
            return [Place(folder: files.data, files: manifest.files)]
        }
        let isHistory = { (file: BackupManifest.File) in file.path == SQLiteDatabase.fileName }
        return [
            Place(folder: files.data, files: manifest.files.filter { !isHistory($0) }),
            Place(folder: history, files: manifest.files.filter(isHistory)),
        ]
    }

    private func copy(to place: Place) throws(BackupError) {
        try? FileManager.default.removeItem(atPath: place.arriving)
        try FileCopy.make(folder: place.arriving)
        for file in place.files {
            guard try FileCopy.plain(backup + "/" + file.path, to: place.arriving + "/" + file.path) == file.bytes
            else {
                throw BackupError.damaged(backup + "/" + file.path, "it changed while it was read")
            }
        }
        try FileCopy.give(place.arriving, toOwnerOf: place.folder)
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

    private func moveAside(
        in place: Place, nowSeconds: Int, _ done: inout [(from: String, to: String)]
    ) throws(BackupError) {
        let there = present(in: place)
        guard !there.isEmpty else { return }
        let aside = place.folder + "/" + Self.asidePrefix + DataBackup.name(ofSeconds: nowSeconds)
        try FileCopy.make(folder: aside)
        for name in there {
            try FileCopy.move(place.folder + "/" + name, to: aside + "/" + name)
            done.append((place.folder + "/" + name, aside + "/" + name))
        }
        try FileCopy.give(aside, toOwnerOf: place.folder)
    }

    /// The names in a place that give way: of a folder of history's own its store alone.
    private func present(in place: Place) -> [String] {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? []).sorted()
        guard place.folder == files.data else {
            let store = ["", "-wal", "-shm"].map { SQLiteDatabase.fileName + $0 }
            return names.filter(store.contains)
        }
        return names.filter { name in
            let path = place.folder + "/" + name + "/"
            // The backups may be in the same folder, and so may history's.
            let isOurs = (backup + "/").hasPrefix(path) || files.history.map { ($0 + "/").hasPrefix(path) } ?? false
            return !name.hasPrefix(Self.asidePrefix) && name != Self.arrivingName && !name.hasSuffix(".lock") && !isOurs
        }
    }

    private func putInPlace(_ place: Place, _ done: inout [(from: String, to: String)]) throws(BackupError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.arriving)) ?? []
        let history = names.filter { $0 == SQLiteDatabase.fileName }
        for name in names.filter({ $0 != SQLiteDatabase.fileName }).sorted() + history {
            try FileCopy.move(place.arriving + "/" + name, to: place.folder + "/" + name)
            done.append((place.arriving + "/" + name, place.folder + "/" + name))
        }
        try FileCopy.sync(place.folder)
    }
}
