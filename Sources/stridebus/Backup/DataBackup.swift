import Counter
import Foundation
import History
import Lab
import ServiceKit

/// A backup of the files of the services while they run.
///
/// The order is what makes it right: the broker first, then history, the counter's log with its oldest file first, and
/// the counter's store last. So the counter is never older than history, which would take the rows that it makes next
/// for old ones; the log reaches back to where the store went on when the copying began; and what the broker still has
/// is known to the counter as counted already. Messages that were acknowledged after that are not in it.
struct DataBackup {
    let files: DataFiles
    /// The folder of the backups, each in one of its own that is named after its time.
    let folder: String
    /// The backups that are kept, this one with them.
    let keptCount: Int

    /// Makes one, and removes the oldest beyond `keptCount`.
    ///
    /// - Returns: The new backup's folder.
    func take(nowSeconds: Int) async throws -> String {
        guard files.hasCounter || files.hasHistory else { throw BackupError.noData(files.data) }
        try FileCopy.make(folder: folder)
        let lock: FileLock
        do { lock = try FileLock(path: folder + "/backup.lock") } catch {
            if case .alreadyInUse = error { throw BackupError.alreadyRunning(folder) }
            throw BackupError(error, in: folder)
        }
        defer { withExtendedLifetime(lock) {} }
        do { try FileOwner.give(folder + "/backup.lock", toOwnerOf: files.data) } catch {
            throw BackupError(error, in: files.data)
        }
        try removeUnfinished()
        // Behind the newest, also within its second and after a clock was set back: the first are removed first.
        let seconds = Self.newestSeconds(in: folder).map { max(nowSeconds, $0 + 1) } ?? nowSeconds
        let target = folder + "/" + Self.name(ofSeconds: seconds)
        let unfinished = target + Self.unfinishedSuffix
        try FileCopy.make(folder: unfinished)
        do {
            try copyEverything(to: unfinished)
            try await DataFiles(data: unfinished, history: unfinished).check(named: files.data)
            try BackupManifest(
                takenSeconds: nowSeconds,
                history: files.history == nil ? .postgresql : files.hasHistory ? .sqlite : .none,
                bytes: FileCopy.bytes(in: unfinished)
            ).write(to: unfinished)
            try FileCopy.settle(unfinished, forOwnerOf: files.data)
            try FileCopy.move(unfinished, to: target)
            try FileCopy.sync(folder)
        } catch {
            // What cannot be removed now is removed by the next one.
            try? FileManager.default.removeItem(atPath: unfinished)
            throw error
        }
        removeOldest()
        return target
    }

    private func copyEverything(to target: String) throws {
        func copy(_ names: [String]) throws {
            for name in names { try FileCopy.plain(files.data + "/" + name, to: target + "/" + name) }
        }
        try copy(DataFiles.plainNames(in: files.data))
        if let history = files.history, files.hasHistory {
            try FileCopy.sqlite(SQLiteDatabase.path(in: history), to: SQLiteDatabase.path(in: target))
        }
        guard files.hasCounter else { return }
        try copy(try CounterCopy.logNames(in: files.data))
        try FileCopy.sqlite(files.data + "/" + CounterStore.fileName, to: target + "/" + CounterStore.fileName)
    }
}

// The folder of backups.
extension DataBackup {
    private static let unfinishedSuffix = ".unfinished"

    /// `2026-11-26T14-40-03Z`: in the order of time when sorted.
    static func name(ofSeconds seconds: Int) -> String {
        Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).replacing(":", with: "-")
    }

    /// The time that the newest backup in a folder is named after; `nil` where there is none.
    private static func newestSeconds(in folder: String) -> Int? {
        guard let name = all(in: folder).last?.split(separator: "/").last else { return nil }
        let (date, time) = (name.prefix(10), name.dropFirst(10).replacing("-", with: ":"))
        return (try? Date(String(date + time), strategy: .iso8601)).map { Int($0.timeIntervalSince1970) }
    }

    /// The whole backups in a folder, the oldest first.
    static func all(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ/) != nil }.sorted()
            .map { folder + "/" + $0 }
            .filter { FileManager.default.fileExists(atPath: $0 + "/" + BackupManifest.fileName) }
    }

    /// Those that a process did not finish; nobody works on them, because this one has the lock.
    private func removeUnfinished() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder)
        where name.hasSuffix(Self.unfinishedSuffix) {
            do { try FileManager.default.removeItem(atPath: folder + "/" + name) } catch {
                let reason = error.localizedDescription
                Output.errorLine("backup: the unfinished \(folder)/\(name) cannot be removed: \(reason)")
            }
        }
    }

    /// The new backup is made, whatever becomes of old ones: what cannot be removed is told, and tried again by the next.
    private func removeOldest() {
        for path in Self.all(in: folder).dropLast(keptCount) {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                Output.errorLine("backup: the old \(path) cannot be removed: \(error.localizedDescription)")
            }
        }
    }

    /// The age from which the newest backup is too old, in seconds: one a day, and some hours for its making.
    private static let tooOldSeconds = 30 * 3600

    /// What there is to say about the backups in a folder.
    static func finding(in folder: String, nowSeconds: Int) -> Finding {
        guard let newest = all(in: folder).last, let manifest = try? BackupManifest(of: newest) else {
            return .bad("backups", "there is none in \(folder)", "stridebus backup \(folder), once a day")
        }
        let hours = (nowSeconds - manifest.takenSeconds) / 3600
        let age = "the newest is \(hours) h old: \(newest)"
        guard nowSeconds - manifest.takenSeconds <= tooOldSeconds else {
            return .warning("backups", age, "see why none is made: systemctl status stridebus-backup.timer")
        }
        guard manifest.history != .postgresql else {
            return .warning(
                "backups", age + "; without history, which is on PostgreSQL",
                "back up its database just before: pg_dump --schema stridebus")
        }
        return .good("backups", age)
    }
}
