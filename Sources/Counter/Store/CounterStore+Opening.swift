import GRDB
import ServiceKit

extension CounterStore {
    /// Files up to this size are read through when they are opened, in bytes: damage must not hide in a page that is
    /// read days later. Larger ones would hold up a restart.
    static let maximumCheckedBytes: UInt64 = 67_108_864
    /// How long another program that reads the file may hold up a commit, in seconds.
    static let busySeconds = 5.0

    static func openOrSetAside(
        _ path: String, _ synchronous: Synchronous, _ newEpoch: UInt64
    ) throws(CounterError) -> (DatabaseQueue, String?) {
        do throws(CounterError) {
            return (try open(path, synchronous, newEpoch), nil)
        } catch .damaged(_, let problem) {
            let aside = try setAside(path, mark: String(newEpoch, radix: 16))
            let note = "\(path) is damaged (\(problem)) and was set aside as \(aside): counting starts afresh"
            return (try open(path, synchronous, newEpoch), note)
        }
    }

    private static func open(
        _ path: String, _ synchronous: Synchronous, _ newEpoch: UInt64
    ) throws(CounterError) -> DatabaseQueue {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration(synchronous))
            try queue.write { try identify($0, path: path, newEpoch: newEpoch) }
            try queue.writeWithoutTransaction { db in
                // After the log mode is set: GRDB relaxes `synchronous` when it switches to the write-ahead log.
                try db.execute(sql: "PRAGMA synchronous = \(synchronous.rawValue)")
            }
            return queue
        } catch {
            throw CounterError(error, path: path)
        }
    }

    private static func configuration(_ synchronous: Synchronous) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.label = "counter"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(busySeconds)
        return configuration
    }

    /// Takes an empty file over, and refuses one that is not ours to read.
    private static func identify(_ db: Database, path: String, newEpoch: UInt64) throws {
        let application = try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let tables = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if application == 0, tables == 0 { return try CounterSchema.create(db, epoch: newEpoch) }
        guard application == CounterSchema.applicationID else { throw CounterError.foreign(path: path) }
        guard version <= CounterSchema.version else { throw CounterError.newerVersion(path: path) }
        try CounterSchema.complete(db, version: version)
        let pages = try UInt64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        let pageSize = try UInt64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
        guard pages.multipliedReportingOverflow(by: pageSize).partialValue <= maximumCheckedBytes else { return }
        let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard verdict == "ok" else { throw CounterError.damaged(path: path, problem: verdict) }
    }

    private static func setAside(_ path: String, mark: String) throws(CounterError) -> String {
        do {
            return try DamagedFile.setAside(path, mark: mark, with: DamagedFile.sqliteSuffixes)
        } catch {
            throw .unwritable(path: path, problem: "it is damaged and cannot be renamed")
        }
    }
}
