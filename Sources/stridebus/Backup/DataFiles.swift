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
