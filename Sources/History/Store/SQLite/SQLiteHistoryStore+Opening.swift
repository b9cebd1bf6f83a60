import Foundation
import GRDB

extension SQLiteHistoryStore {
    static func makeDirectory(_ directory: String) throws(HistoryError) {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw .notWritable(path: directory, problem: "the folder cannot be made")
        }
    }

    static func openOrSetAside(
        _ path: String, synchronous: Synchronous, busyTimeoutSeconds: Double, nowSeconds: Int64
    ) throws(HistoryError) -> (DatabasePool, String?) {
        do throws(HistoryError) {
            return (try openPool(path, synchronous, busyTimeoutSeconds), nil)
        } catch .damaged(_, let problem) {
            let aside = try setAside(path, nowSeconds: nowSeconds)
            let note =
                "\(path) was damaged (\(problem)): set aside as \(aside); the counter is asked for its rows again"
            return (try openPool(path, synchronous, busyTimeoutSeconds), note)
        }
    }

    private static func openPool(
        _ path: String, _ synchronous: Synchronous, _ busyTimeoutSeconds: Double
    ) throws(HistoryError) -> DatabasePool {
        do {
            let pool = try DatabasePool(path: path, configuration: poolConfiguration(busyTimeoutSeconds))
            try pool.writeWithoutTransaction { db in
                // After opening, because GRDB chooses NORMAL for itself when it switches to the write-ahead log.
                try db.execute(sql: "PRAGMA synchronous = \(synchronous == .full ? "FULL" : "NORMAL")")
                try db.execute(sql: "PRAGMA cache_size = -\(writerCacheKibibytes)")
            }
            try migrate(pool, path: path)
            try checkUnlessClosedCleanly(pool, path: path)
            return pool
        } catch let error as HistoryError {
            throw error
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// A pool of readers only. The tables must be those of this program, because nothing may be changed.
    static func openToRead(_ path: String) throws(HistoryError) -> DatabasePool {
        do {
            var configuration = poolConfiguration(readerBusySeconds)
            configuration.readonly = true
            let pool = try DatabasePool(path: path, configuration: configuration)
            let migrator = SQLiteSchema.migrator
            if try pool.read(migrator.hasBeenSuperseded) { throw HistoryError.newerSchema(path: path) }
            guard try pool.read(migrator.hasCompletedMigrations) else {
                throw HistoryError.database(
                    path: path, problem: "was written by an older stridebus; start history once with this one")
            }
            return pool
        } catch let error as HistoryError {
            throw error
        } catch {
            throw HistoryError(error, path: path)
        }
    }

    /// How long who only reads waits for one that has the file locked, in seconds.
    private static let readerBusySeconds = 5.0

    /// How much of the file the writer keeps in memory, in KiB: the pages that most commits change.
    private static let writerCacheKibibytes = 65_536

    private static func poolConfiguration(_ busyTimeoutSeconds: Double) -> Configuration {
        var configuration = Configuration()
        configuration.label = "history"
        configuration.maximumReaderCount = maximumReaders
        configuration.busyMode = .timeout(busyTimeoutSeconds)
        return configuration
    }

    private static func migrate(_ pool: DatabasePool, path: String) throws {
        let migrator = SQLiteSchema.migrator
        if try pool.read(migrator.hasBeenSuperseded) { throw HistoryError.newerSchema(path: path) }
        try migrator.migrate(pool)
    }

    /// Damage in the middle of a file shows only when that page is read, so a file that was not closed (a crash, a
    /// loss of power, an error) is read through before it is trusted.
    private static func checkUnlessClosedCleanly(_ pool: DatabasePool, path: String) throws {
        try pool.write { db in
            if try Bool.fetchOne(db, sql: "SELECT is_open FROM state") ?? true {
                let verdict = try String.fetchOne(db, sql: "PRAGMA quick_check(1)") ?? "no answer"
                guard verdict == "ok" else { throw HistoryError.damaged(path: path, problem: verdict) }
            }
            try setOpenMark(true, db)
        }
    }

    static func setOpenMark(_ isOpen: Bool, _ db: Database) throws {
        try db.execute(sql: "UPDATE state SET is_open = ?", arguments: [isOpen])
    }

    private static func setAside(_ path: String, nowSeconds: Int64) throws(HistoryError) -> String {
        let aside = "\(path).damaged-\(nowSeconds)"
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            do {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
            } catch {
                throw .notWritable(path: path, problem: "damaged, and cannot be renamed")
            }
        }
        return aside
    }
}
