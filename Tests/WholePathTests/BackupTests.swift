import Foundation
import History
import PrivateBroker
import ServiceKit
import TestBroker
import Testing
import Wire

@testable import Counter
@testable import stridebus

/// A counter's store and a history with one device, and a folder for backups of them.
private final class Stores {
    private let all = TemporaryFolder()
    var folder: String { all.path }
    var data: String { folder + "/data" }
    var backups: String { folder + "/backups" }
    var files: DataFiles { DataFiles(data: data, history: data) }
    let device: DeviceID = "bike-1"
    /// The counter's store; it is locked as long as there is one.
    private(set) var counter: CounterStore
    let history: HistoryStore

    init() async throws {
        let data = all.path + "/data"
        try FileManager.default.createDirectory(atPath: data + "/broker", withIntermediateDirectories: true)
        counter = try CounterStore(directory: data)
        history = try .sqlite(directory: data)
        try Data("retained".utf8).write(to: URL(filePath: folder + "/data/broker/mosquitto.db"))
        try await count(steps: 10, inMinute: 1)
        try await tellHistory()
    }

    func count(steps: Int64, inMinute minute: Int64, through marks: LogMarks? = nil) async throws {
        var increment = MinuteIncrement(device: device, minute: minute)
        increment[.steps] = steps
        var commit = CounterCommit()
        commit.increments = [increment]
        commit.marks = marks
        try await counter.commit(commit, nowMicroseconds: 0)
    }

    /// History takes what the counter has.
    func tellHistory() async throws {
        let batch = try #require(try await counter.counts(after: 0))
        var changes = HistoryChanges()
        changes.rows = batch.rows
        changes.cursors = [ChainCursor(epoch: batch.epoch, revision: batch.lastRevision, lastMessageSeconds: 0)]
        _ = try await history.commit(changes, nowSeconds: 0)
    }

    /// Ends the services: the counter goes on in another folder.
    func close() async throws {
        try counter.close()
        counter = try CounterStore(directory: folder + "/other")
        await history.close()
    }

    @discardableResult
    func backUp(keeping count: Int = 7, atSecond second: Int = 0) async throws -> String {
        try await DataBackup(files: files, folder: backups, keptCount: count).take(nowSeconds: second)
    }

    /// The services' files on another machine.
    func elsewhere(_ name: String = "elsewhere") -> DataFiles {
        DataFiles(data: folder + "/" + name, history: folder + "/" + name)
    }

    func restore(_ backup: String, to files: DataFiles, replacing: Bool = false) async throws {
        _ = try await Restoration(backup: backup, files: files, replaces: replacing).run(nowSeconds: 99)
    }
}

@Suite("Backups", .timeLimit(.minutes(5)))
struct BackupTests {
    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test("A backup beside stores that are open has everything, in one folder that is for its owner alone")
    func everything() async throws {
        let stores = try await Stores()
        let backup = try await stores.backUp()
        #expect(backup.hasSuffix("1970-01-01T00-00-00Z"))
        let manifest = try BackupManifest(of: backup)
        #expect(manifest.history == .sqlite)
        #expect(try Self.names(in: backup) == ["backup.json", "broker", "counter.sqlite", "history.sqlite"])
        let mode = try FileManager.default.attributesOfItem(atPath: backup + "/counter.sqlite")[.posixPermissions]
        #expect((mode as? Int ?? 0o777) & 0o077 == 0)
        try await stores.restore(backup, to: stores.elsewhere())
        let history = try HistoryStore.sqlite(directory: stores.elsewhere().data)
        #expect(try await history.cursors().map(\.revision) == [1])
        let counter = try CounterStore(directory: stores.elsewhere().data)
        #expect(try await counter.counts(after: 0)?.rows.map(\.steps) == [10])
        #expect(counter.epoch == stores.counter.epoch)
        let database = try String(contentsOfFile: stores.elsewhere().data + "/broker/mosquitto.db", encoding: .utf8)
        #expect(database == "retained")
    }

    @Test("The newest are kept; one that was not finished is removed by the next, and one in the data is not copied")
    func kept() async throws {
        let stores = try await Stores()
        let inside = stores.data + "/backups"
        try FileManager.default.createDirectory(
            atPath: inside + "/1969-12-31T00-00-00Z.unfinished", withIntermediateDirectories: true)
        for second in 1...5 {
            _ = try await DataBackup(files: stores.files, folder: inside, keptCount: 2).take(nowSeconds: second)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: inside).filter { $0 != "backup.lock" }.sorted()
        #expect(names == ["1970-01-01T00-00-04Z", "1970-01-01T00-00-05Z"])
        #expect(
            try Self.names(in: inside + "/" + names[1]) == [
                "backup.json", "broker", "counter.sqlite", "history.sqlite",
            ])
        #expect(try Restoration.newest(in: inside) == inside + "/" + names[1])
    }

    @Test(
        "The log of a backup goes on where the states of its store end, or reaches back behind it",
        arguments: [10, 11, 12])
    func log(firstRecord: UInt64) async throws {
        let stores = try await Stores()
        try await stores.count(steps: 5, inMinute: 2, through: LogMarks(states: 10, counted: 30, rows: 20))
        let header = LogSegment.header(epoch: stores.counter.epoch, firstPosition: firstRecord)
        try Data(header).write(to: URL(filePath: stores.data + "/counter-0000000000000001.log"))
        if firstRecord <= 11 {
            try await stores.backUp()
        } else {
            await #expect(throws: CounterError.self) { try await stores.backUp() }
            #expect(DataBackup.all(in: stores.backups).isEmpty)
        }
    }

    @Test("One in the second of the last, or after the clock was set back, is the newest", arguments: [5, 2])
    func sameSecond(second: Int) async throws {
        let stores = try await Stores()
        try await stores.backUp(atSecond: 5)
        let made = try await stores.backUp(keeping: 1, atSecond: second)
        #expect(DataBackup.all(in: stores.backups) == [made])
        #expect(made.hasSuffix("1970-01-01T00-00-06Z"))
    }

    /// Folders of which the first is on another file system than the second; nil where this machine has no such two.
    private func twoFileSystems() throws -> (String, String)? {
        let folders = ["/dev/shm", NSTemporaryDirectory(), "/var/tmp"].map { "\($0)/stridebus-\(UUID().uuidString)" }
        for folder in folders {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        let device = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.systemNumber] as? Int
        }
        let other = try folders.dropFirst().first { try device($0) != device(folders[0]) }
        for folder in folders where folder != other && folder != folders[0] {
            try FileManager.default.removeItem(atPath: folder)
        }
        return other.map { (folders[0], $0) }
    }

    private static func revisions(ofHistoryIn folder: String) async throws -> [UInt64] {
        let store = try HistoryStore.sqlite(reading: folder)
        let revisions = try await store.cursors().map { UInt64(clamping: $0.revision) }
        await store.close()
        return revisions
    }

    @Test("A restore puts stores on two file systems in the place of those there", arguments: [false, true])
    func twoDisks(isDataFirst: Bool) async throws {
        guard var (data, history) = try twoFileSystems() else { return }
        defer { for folder in [data, history] { try? FileManager.default.removeItem(atPath: folder) } }
        if !isDataFirst { swap(&data, &history) }
        let stores = try await Stores()
        let old = try await stores.backUp(atSecond: 1)
        try await stores.count(steps: 5, inMinute: 2)
        try await stores.tellHistory()
        let new = try await stores.backUp(atSecond: 2)
        let files = DataFiles(data: data, history: history)
        try await stores.restore(new, to: files)
        await #expect(throws: BackupError.notEmpty(data)) { try await stores.restore(old, to: files) }
        try await stores.restore(old, to: files, replacing: true)
        #expect(try CounterCopy(reading: data).revision == 1)
        #expect(try String(contentsOfFile: data + "/broker/mosquitto.db", encoding: .utf8) == "retained")
        let aside = "/replaced-1970-01-01T00-01-39Z"
        #expect(try CounterCopy(reading: data + aside).revision == 2)
        #expect(try await Self.revisions(ofHistoryIn: history) == [1])
        #expect(try await Self.revisions(ofHistoryIn: history + aside) == [2])
        let left = [data, history].filter { FileManager.default.fileExists(atPath: $0 + "/arriving") }
        #expect(left.isEmpty)
        // What fails at the second is undone at the first.
        let store = history + "/history.sqlite"
        guard Self.protect(store, true) else { return }
        defer { _ = Self.protect(store, false) }
        await #expect(throws: BackupError.self) { try await stores.restore(new, to: files, replacing: true) }
        #expect(try CounterCopy(reading: data).revision == 1)
    }

    @Test("A restore that is killed leaves no old counter beside a newer history, and is made good by another")
    func killed() async throws {
        for count in 0... {
            let stores = try await Stores()
            try await stores.count(steps: 5, inMinute: 2)
            try await stores.tellHistory()
            let new = try await stores.backUp(atSecond: 2)
            let files = DataFiles(data: stores.folder + "/a", history: stores.folder + "/b")
            try await stores.restore(new, to: files)
            let other = try await Stores()
            let old = try await other.backUp(atSecond: 1)
            let restoration = Restoration(backup: old, files: files, replaces: true)
            let moves = try restoration.prepared(nowSeconds: 100)
            for move in moves.prefix(count) { try FileCopy.move(move.from, to: move.to) }
            if files.hasCounter, files.hasHistory {
                let epoch = try CounterCopy(reading: files.data).epoch
                #expect(
                    epoch == (count < moves.count ? stores : other).counter.epoch, "after \(count) of \(moves.count)")
            }
            _ = try await restoration.run(nowSeconds: 100)
            #expect(try CounterCopy(reading: files.data).epoch == other.counter.epoch)
            #expect(try await Self.revisions(ofHistoryIn: files.folders[1]) == [1])
            // Nothing is lost of what was replaced.
            let aside = try Self.names(in: files.data).filter { $0.hasPrefix("replaced-") }
            #expect(
                try aside.contains {
                    try Self.names(in: files.data + "/" + $0).contains("counter.sqlite")
                        && CounterCopy(reading: files.data + "/" + $0).epoch == stores.counter.epoch
                })
            if count == moves.count { break }
        }
    }

    /// Whether a file could be made one that not even root may change or move, or be made usual again.
    private static func protect(_ file: String, _ isProtected: Bool) -> Bool {
        (try? SystemProgram.run("chattr", package: "e2fsprogs", [isProtected ? "+i" : "-i", file])) != nil
    }

    @Test("An old backup that cannot be removed does not take the new one with it")
    func notRemovable() async throws {
        let stores = try await Stores()
        let first = try await stores.backUp(atSecond: 1)
        guard Self.protect(first + "/backup.json", true) else { return }
        defer { _ = Self.protect(first + "/backup.json", false) }
        let second = try await stores.backUp(keeping: 1, atSecond: 2)
        #expect(DataBackup.all(in: stores.backups) == [first, second])
    }

    @Test("Two at a time are refused")
    func together() async throws {
        let stores = try await Stores()
        try await stores.backUp()
        let lock = try FileLock(path: stores.backups + "/backup.lock")
        await #expect(throws: BackupError.alreadyRunning(stores.backups)) { try await stores.backUp(atSecond: 1) }
        withExtendedLifetime(lock) {}
        await #expect(throws: BackupError.noData(stores.folder)) {
            _ = try await DataBackup(
                files: DataFiles(data: stores.folder, history: stores.folder), folder: stores.backups, keptCount: 1
            ).take(nowSeconds: 2)
        }
    }

    @Test("An old counter beside a newer history is refused, in a backup and at a restore")
    func oldCounter() async throws {
        let stores = try await Stores()
        let old = try await stores.backUp(atSecond: 1)
        try await stores.count(steps: 5, inMinute: 2)
        try await stores.tellHistory()
        let new = try await stores.backUp(atSecond: 2)
        // Somebody puts together what does not fit.
        for folder in [stores.elsewhere().data, new] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let target = folder + "/counter.sqlite"
            try? FileManager.default.removeItem(atPath: target)
            try FileManager.default.copyItem(atPath: old + "/counter.sqlite", toPath: target)
        }
        try FileManager.default.copyItem(
            atPath: new + "/history.sqlite", toPath: stores.elsewhere().data + "/history.sqlite")
        let mixed = DataBackup(files: stores.elsewhere(), folder: stores.folder + "/mixed", keptCount: 1)
        await #expect(throws: BackupError.historyIsNewer(stores.elsewhere().data)) {
            _ = try await mixed.take(nowSeconds: 3)
        }
        #expect(DataBackup.all(in: stores.folder + "/mixed").isEmpty)
        await #expect(throws: BackupError.historyIsNewer(new)) {
            try await stores.restore(new, to: stores.elsewhere("third"))
        }
        #expect(!stores.elsewhere("third").hasCounter)
        // A history on a server: another store stands for it here.
        let backup = try await DataBackup(
            files: DataFiles(data: old, history: nil), folder: stores.folder + "/server", keptCount: 1
        ).take(nowSeconds: 4)
        #expect(try BackupManifest(of: backup).history == .postgresql)
        let files = DataFiles(data: stores.folder + "/fourth", history: nil)
        await #expect(throws: BackupError.historyIsNewer(backup)) {
            _ = try await Restoration(backup: backup, files: files, replaces: false)
                .run(nowSeconds: 5, historyOnServer: stores.history)
        }
        await #expect(throws: BackupError.otherPlace(backup, .postgresql)) {
            try await stores.restore(backup, to: stores.elsewhere("fifth"))
        }
    }

    @Test("Services that run are left alone, and stores that are there are moved aside only when told to")
    func occupied() async throws {
        let stores = try await Stores()
        let backup = try await stores.backUp()
        await #expect(throws: BackupError.inUse(stores.data)) {
            try await stores.restore(backup, to: stores.files, replacing: true)
        }
        try await stores.count(steps: 5, inMinute: 2)
        try await stores.close()
        await #expect(throws: BackupError.notEmpty(stores.data)) { try await stores.restore(backup, to: stores.files) }
        try await stores.restore(backup, to: stores.files, replacing: true)
        #expect(try CounterCopy(reading: stores.data).revision == 1)
        #expect(try CounterCopy(reading: stores.data + "/replaced-1970-01-01T00-01-39Z").revision == 2)
        #expect(FileManager.default.fileExists(atPath: stores.data + "/broker/mosquitto.db"))
    }

    @Test(
        "A damaged backup, a shortened one, one that is not whole and one of other stores are refused",
        arguments: [0, 1, 2, 3])
    func damaged(kind: Int) async throws {
        let stores = try await Stores()
        let backup = try await stores.backUp()
        let store = URL(filePath: backup + "/history.sqlite")
        let manifest = backup + "/" + BackupManifest.fileName
        switch kind {
        case 0:
            var bytes = try Data(contentsOf: store)
            for index in 4096..<min(bytes.count, 16_384) { bytes[index] = 0xA5 }
            try bytes.write(to: store)
        case 1: try Data(contentsOf: store).dropLast(4096).write(to: store)
        case 2: try FileManager.default.removeItem(atPath: manifest)
        default:
            let text = try String(contentsOfFile: manifest, encoding: .utf8)
            let other = text.replacing(/"counter":\d+/, with: "\"counter\":999")
            try other.write(toFile: manifest, atomically: true, encoding: .utf8)
        }
        await #expect(throws: BackupError.self) { try await stores.restore(backup, to: stores.elsewhere()) }
        #expect(!stores.elsewhere().hasCounter && !stores.elsewhere().hasHistory)
    }
}
