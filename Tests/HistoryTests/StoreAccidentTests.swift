import Foundation
import GRDB
import ServiceKit
import TestBroker
import Testing
import Wire

@testable import History

@Suite("Accidents of the store's file")
struct StoreAccidentTests {
    let folder = StoreFolder()

    @Test("A second history on the same file is refused, and told what to do")
    func second() async throws {
        let first = try folder.store()
        #expect(throws: HistoryError.store(.alreadyInUse(path: first.database.name))) { try folder.store() }
        await first.close()
    }

    @Test(
        "A file of another stridebus is refused untouched",
        arguments: ["INSERT INTO schema_version VALUES (999)", "DROP TABLE schema_version"])
    func otherVersion(change: String) async throws {
        let path = try await closedPath()
        try await DatabaseQueue(path: path).write { db in try db.execute(sql: change) }
        #expect(throws: HistoryError.otherSchema(path: path)) { try folder.store() }
    }

    @Test("A database of another program is refused untouched")
    func foreign() async throws {
        let path = folder.path + "/" + SQLiteDatabase.fileName
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in try db.execute(sql: "CREATE TABLE notes (text)") }
        #expect(throws: HistoryError.otherSchema(path: path)) { try folder.store() }
        #expect(try await queue.read { db in try !db.tableExists("subjects") && !db.tableExists("schema_version") })
    }

    @Test("A file that is no database is set aside and a new one begun")
    func noDatabase() throws {
        let path = folder.path + "/" + SQLiteDatabase.fileName
        try Data(repeating: 0x5a, count: 20_000).write(to: URL(filePath: path))
        let store = try folder.store()
        let note = try #require(store.openingNote)
        #expect(note.contains("set aside"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.contains(".damaged-") })
    }

    @Test("Damage inside a small file is found at the start")
    func damagedInside() async throws {
        let path = try await closedPath()
        let queue = try DatabaseQueue(path: path)
        let size = try await queue.read { db in try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096 }
        try await queue.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try queue.close()
        var bytes = try Data(contentsOf: URL(filePath: path))
        for index in size * 2..<bytes.count - size { bytes[index] = 0xff }
        try bytes.write(to: URL(filePath: path))
        #expect(try folder.store().openingNote != nil)
    }

    @Test("Damage that shows while history works is found again at the next start, and set aside then")
    func damagedAtWork() async throws {
        let first = try folder.store()
        let bike: DeviceID = "bike-07"
        try await first.keep((1...3000).map { MinuteRow(bike, $0, revision: UInt64($0), revolutions: 1) })
        await first.close()
        let second = try folder.store()
        let file = try FileHandle(forUpdating: URL(filePath: second.database.name))
        let size = try file.seekToEnd()
        try #require(size > 32_768)
        try file.seek(toOffset: 16_384)
        try file.write(contentsOf: Data(repeating: 0xff, count: Int(size) - 16_384))
        try file.close()
        await #expect(throws: HistoryError.self) { try await second.sums(of: bike, in: [0..<3000]) }
        await second.close()
        #expect(try folder.store().openingNote != nil)
    }

    @Test("A large file is not read through at the start, but once damage is met in it")
    func large() async throws {
        let path = try await closedPath()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { db in
            try db.execute(
                sql: "CREATE TABLE filling AS SELECT zeroblob(\(StoreDatabase.maximumCheckedBytes)) AS bytes")
        }
        try await queue.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try queue.close()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        // The end of the file: pages of the filling, and of its list.
        try file.seek(toOffset: try file.seekToEnd() - 8_192)
        try file.write(contentsOf: Data(repeating: 0xff, count: 8_192))
        try file.close()
        let store = try folder.store()
        #expect(store.openingNote == nil)
        await store.close()
        #expect(FileManager.default.createFile(atPath: path + "-damage", contents: nil))
        #expect(try folder.store().openingNote != nil)
        #expect(!FileManager.default.fileExists(atPath: path + "-damage"))
    }

    @Test("A folder that cannot be made is one line with what to do")
    func notWritable() {
        let error = #expect(throws: HistoryError.self) {
            try HistoryStore.sqlite(directory: "/proc/stridebus")
        }
        #expect(error?.description.contains("--data") == true)
    }

    @Test("A database that another program has locked is told as such")
    func locked() async throws {
        let path = try await closedPath()
        let other = try DatabaseQueue(path: path)
        try await other.writeWithoutTransaction { [folder] db in
            try db.execute(sql: "BEGIN EXCLUSIVE")
            #expect(throws: HistoryError.store(.locked(path: path))) {
                try HistoryStore.sqlite(directory: folder.path, busyTimeoutSeconds: 0.05)
            }
            try db.execute(sql: "ROLLBACK")
        }
    }

    private func closedPath() async throws -> String {
        let store = try folder.store()
        await store.close()
        return store.database.name
    }
}
