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
    /// The most files beside the stores, such as those of the broker, that one backup takes.
    private static let maximumOtherFiles = 10_000

    var counterPath: String { data + "/" + CounterStore.fileName }
    var historyPath: String? { history.map { SQLiteDatabase.path(in: $0) } }

    var hasCounter: Bool { FileManager.default.fileExists(atPath: counterPath) }
    var hasHistory: Bool { historyPath.map { FileManager.default.fileExists(atPath: $0) } ?? false }

    /// Paths below `data` of everything but stores, locks, logs and what was set aside: the private broker's database,
    /// its users and certificates.
    ///
    /// - Parameter excluded: A folder to leave out: that of the backups, which may be inside.
    func others(excluding excluded: String) throws(BackupError) -> [String] {
        let excluded = Self.resolved(excluded)
        guard let files = FileManager.default.enumerator(atPath: data) else { return [] }
        var paths: [String] = []
        for case let path as String in files {
            let type = files.fileAttributes?[.type] as? FileAttributeType
            if type == .typeDirectory {
                let name = URL(filePath: path).lastPathComponent
                let isOurs = name.hasPrefix(Restoration.asidePrefix) || name == Restoration.arrivingName
                if isOurs || Self.resolved(data + "/" + path) == excluded { files.skipDescendants() }
            } else if type == .typeRegular, Self.isOther(path), !isOfHistory(data + "/" + path) {
                paths.append(path)
            }
            guard paths.count <= Self.maximumOtherFiles else {
                throw .unwritable(data, "it has more than \(Self.maximumOtherFiles) files that are not stridebus's")
            }
        }
        return paths.sorted()
    }

    /// True for the store of a history that is in a folder below `data`.
    private func isOfHistory(_ path: String) -> Bool { historyPath.map { path.hasPrefix($0) } ?? false }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    private static func isOther(_ path: String) -> Bool {
        let stores = [CounterStore.fileName, SQLiteDatabase.fileName]
        let isStore = stores.contains { path == $0 || path.hasPrefix($0 + "-") || path.hasPrefix($0 + ".") }
        return !isStore && path != BackupManifest.fileName && !path.hasPrefix("counter-")
            && ![".lock", ".log", ".new"].contains { path.hasSuffix($0) }
            && !path.contains(".damaged")
    }

    /// Refuses files that do not fit together: an old counter beside a newer history.
    static func check(_ counter: CounterCopy, beside history: HistoryStore, named path: String) async throws {
        let cursors = try await history.cursors()
        let isNewer = cursors.contains { $0.epoch == counter.epoch && $0.revision > counter.revision }
        if isNewer { throw BackupError.historyIsNewer(path) }
    }

    /// The same for a history that is kept in a folder.
    static func check(_ counter: CounterCopy, besideHistoryIn folder: String, named path: String) async throws {
        let history = try HistoryStore.sqlite(reading: folder)
        let result: Result<Void, any Error>
        do { result = .success(try await check(counter, beside: history, named: path)) } catch {
            result = .failure(error)
        }
        await history.close()
        try result.get()
    }
}
