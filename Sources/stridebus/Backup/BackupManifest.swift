import Foundation
import ServiceKit

/// What a backup holds: a line in `backup.json`, which is written last, so that a folder without it is no backup.
struct BackupManifest: Codable, Equatable {
    static let fileName = "backup.json"

    enum History: String, Codable {
        /// In the backup.
        case sqlite
        /// On a server, which has backups of its own.
        case postgresql
        /// There was none in the folder: it is kept on another machine, or has never run.
        case none
    }

    var program = ProgramVersion.text
    /// When the first file was copied, in seconds since 1970: what came later may be missing.
    var takenSeconds: Int
    /// The layouts of the stores; another program may read others.
    var versions = DataFiles.versions
    var history: History
    /// The bytes of all other files of the backup.
    var bytes: Int
}

extension BackupManifest {
    init(of folder: String) throws(BackupError) {
        guard let data = FileManager.default.contents(atPath: folder + "/" + Self.fileName) else {
            throw .noBackup(folder)
        }
        do { self = try JSONDecoder().decode(Self.self, from: data) } catch {
            throw .damaged(folder, "\(Self.fileName) cannot be read")
        }
    }

    /// Writes the line, which the package's scripts read with `sed`.
    func write(to folder: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(filePath: folder + "/" + Self.fileName))
    }
}

/// The layouts of the stores that a program writes.
struct StoreVersions: Codable, Equatable {
    var counter: Int
    var history: Int
    var log: Int
}

/// Why a backup or a restore is not done; each is one line that says what to do.
enum BackupError: Error, Equatable, CustomStringConvertible {
    case noData(String)
    case noBackup(String)
    case unwritable(String, String)
    case damaged(String, String)
    case historyIsNewer(String)
    case alreadyRunning(String)
    case inUse(String)
    case notEmpty(String)
    case otherPlace(String, BackupManifest.History)
    case otherVersion(String, BackupManifest)

    /// What went wrong with a file in the folder of the services.
    init(_ error: StoreError, in folder: String) {
        switch error {
        case .alreadyInUse: self = .inUse(folder)
        case .damaged(let path, let problem): self = .damaged(path, problem)
        case .unwritable(let path, let problem), .database(let path, let problem): self = .unwritable(path, problem)
        case .locked(let path): self = .unwritable(path, "another program has locked it")
        case .diskFull(let path): self = .unwritable(path, "no room left on the disk")
        }
    }

    var description: String {
        switch self {
        case .noData(let path):
            "there is neither counter.sqlite nor history.sqlite in \(path): name the folder of the services with --data"
        case .noBackup(let path):
            "\(path) is no whole backup (it has no \(BackupManifest.fileName)): name a folder that 'stridebus backup' made"
        case .unwritable(let path, let problem): "cannot write \(path): \(problem)"
        case .damaged(let path, let problem): "\(path) is damaged: \(problem); take another backup"
        case .historyIsNewer(let path):
            "history has rows that the counter in \(path) has not made yet: an old counter beside a newer history would "
                + "count wrongly without a word. Restore both from one backup"
        case .alreadyRunning(let path): "another backup to \(path) is under way: wait for it"
        case .inUse(let path): "a service works on \(path): stop it first (systemctl stop stridebus)"
        case .notEmpty(let path):
            "\(path) has stores already: give --replace to move them aside, or another folder with --data"
        case .otherPlace(let path, let history):
            history == .postgresql
                ? "history was on PostgreSQL when \(path) was made: name that database with --history-store"
                : "\(path) has a history, which --history-store keeps on a server: give a folder there"
        case .otherVersion(let path, let manifest):
            "\(path) was made by stridebus \(manifest.program), whose stores this version cannot read: install that "
                + "version, or take a backup of this one"
        }
    }
}
