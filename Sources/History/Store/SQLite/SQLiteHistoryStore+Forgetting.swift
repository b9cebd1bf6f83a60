import GRDB
public import Wire

extension SQLiteHistoryStore {
    /// How many rows are deleted in one transaction.
    static let rowsATransaction = 2_000

    /// Notes what is to be forgotten; see `HistoryStore.begin`.
    public func begin(_ forgettings: [Forgetting], person: String?) async throws(HistoryError) -> [Forgetting] {
        try await write { db in
            if let person {
                try db.execute(sql: "DELETE FROM assignments WHERE person = ?", arguments: [person])
                try db.execute(sql: "UPDATE devices SET person = NULL WHERE person = ?", arguments: [person])
            }
            return try forgettings.map { forgetting in
                var forgetting = forgetting
                let name = forgetting.device.description
                if forgetting.isWhole {
                    try db.execute(sql: "DELETE FROM forgettings WHERE device = ?", arguments: [name])
                }
                try db.execute(
                    sql: "INSERT INTO forgettings (device, from_minute, to_minute, is_whole) VALUES (?, ?, ?, ?)",
                    arguments: [name, forgetting.minutes.lowerBound, forgetting.minutes.upperBound, forgetting.isWhole])
                forgetting.id = db.lastInsertedRowID
                return forgetting
            }
        }
    }

    /// What was begun and not ended; see `HistoryStore.forgettings`.
    public func forgettings(limit: Int) async throws(HistoryError) -> [Forgetting] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT \(Forgetting.columns) FROM forgettings ORDER BY id LIMIT ?", arguments: [limit]
            ).compactMap { row in
                guard let device = try? DeviceID(row[1] as String) else { return nil }
                let (first, end): (Int64, Int64) = (row[2], row[3])
                var forgetting = Forgetting(device: device, minutes: first..<max(first, end), isWhole: row[4])
                forgetting.id = row[0]
                forgetting.isDone = row[5]
                return forgetting
            }
        }
    }

    /// Notes that this store has forgotten it; see `HistoryStore.noteDone`.
    public func noteDone(_ forgetting: Forgetting) async throws(HistoryError) {
        try await write { db in
            try db.execute(sql: "UPDATE forgettings SET is_done = 1 WHERE id = ?", arguments: [forgetting.id])
        }
    }

    /// Notes that there is nothing left to do; see `HistoryStore.end`.
    public func end(_ forgetting: Forgetting) async throws(HistoryError) {
        try await write { db in
            try db.execute(sql: "DELETE FROM forgettings WHERE id = ?", arguments: [forgetting.id])
        }
    }

    /// Deletes some of the minutes and hours of a device; see `HistoryStore.deleteSome`.
    public func deleteSome(of device: DeviceID) async throws(HistoryError) -> Int {
        try await write { db in
            guard let id = try Self.row(of: device, db)?.id else { return 0 }
            for table in ["minutes", "hours"] {
                try db.execute(
                    sql: """
                        DELETE FROM \(table) WHERE device = ?1 AND minute <= (SELECT max(minute) FROM
                        (SELECT minute FROM \(table) WHERE device = ?1 ORDER BY minute LIMIT ?2))
                        """, arguments: [id, Self.rowsATransaction])
                if db.changesCount > 0 { return db.changesCount }
            }
            return 0
        }
    }

    /// Deletes what is left of a device; see `HistoryStore.deleteRest`.
    public func deleteRest(of device: DeviceID) async throws(HistoryError) {
        try await write { db in
            let id = try Self.row(of: device, db)?.id
            for table in ["minutes", "hours", "days", "day_peaks", "total_peaks"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE device = ?", arguments: [id])
            }
            for table in ["leases", "assignments"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE device = ?", arguments: [device.description])
            }
            try db.execute(sql: "DELETE FROM devices WHERE id = ?", arguments: [id])
        }
    }

    /// Empties the first minutes of a range; see `HistoryStore.eraseSome`. Rows stay, with their revisions: when the
    /// counter sends them again they are known.
    public func eraseSome(
        of device: DeviceID, in range: Range<Int64>
    ) async throws(HistoryError) -> (count: Int, next: Int64) {
        let (defaultZone, maximumDevices) = (defaultZone, maximumDevices)
        return try await write { db in
            guard let (id, record) = try Self.row(of: device, db) else { return (0, range.upperBound) }
            let tables = try SQLiteTables(db: db, maximumDevices: maximumDevices)
            var commit = HistoryCommit(tables: tables, defaultZone: defaultZone, nowMinute: range.lowerBound)
            if range.lowerBound < record.compactedMinute { try commit.eraseHours(device, id, range) }
            let (count, last) = try commit.eraseMinutes(device, id, range, limit: Self.rowsATransaction)
            _ = try commit.finish()
            for table in ["day_peaks", "total_peaks"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE device = ?", arguments: [id])
            }
            return (count, count < Self.rowsATransaction ? range.upperBound : last + 1)
        }
    }
}

extension HistoryCommit<SQLiteTables> {
    /// Takes the first rows of a range off their days and their device, and empties them. All rows of a minute are
    /// taken together.
    mutating func eraseMinutes(
        _ device: DeviceID, _ id: Int64, _ range: Range<Int64>, limit: Int
    ) throws -> (count: Int, last: Int64) {
        let rows = try Row.fetchAll(
            tables.db,
            sql: """
                SELECT \(Counts.columns), revision, minute FROM minutes WHERE device = ?1 AND minute >= ?2
                AND minute <= (SELECT max(minute) FROM (SELECT minute FROM minutes
                    WHERE device = ?1 AND minute >= ?2 AND minute < ?3 ORDER BY minute LIMIT ?4))
                """, arguments: [id, range.lowerBound, range.upperBound, limit])
        let next = Counts.columnCount
        var last = range.lowerBound
        for row in rows {
            last = max(last, row[next + 1])
            try takeOff(Counts(row, from: 0), from: row[next + 1], revision: row[next], of: device)
        }
        try tables.db.execute(
            sql: """
                UPDATE minutes SET steps = 0, revolutions = 0, distance_mm = 0, active_ms = 0, covered_ms = 0,
                floors_up = NULL, floors_down = NULL, cadence_integral = 0, cadence_s = 0, cadence_min = 0, cadence_max = 0, unknown_ms = 0,
                stationary_ms = 0, walking_ms = 0, running_ms = 0, cycling_ms = 0, automotive_ms = 0
                WHERE device = ? AND minute >= ? AND minute <= ?
                """, arguments: [id, range.lowerBound, rows.isEmpty ? range.lowerBound - 1 : last])
        return (rows.count, last)
    }

    /// Takes the hours that begin in a range off their days and their device, and deletes them.
    mutating func eraseHours(_ device: DeviceID, _ id: Int64, _ range: Range<Int64>) throws {
        let rows = try Row.fetchAll(
            tables.db,
            sql: "SELECT \(Counts.columns), minute FROM hours WHERE device = ? AND minute >= ? AND minute < ?",
            arguments: [id, range.lowerBound, range.upperBound])
        for row in rows {
            try takeOff(Counts(row, from: 0), from: row[Counts.columnCount], revision: 0, of: device)
        }
        try tables.db.execute(
            sql: "DELETE FROM hours WHERE device = ? AND minute >= ? AND minute < ?",
            arguments: [id, range.lowerBound, range.upperBound])
    }
}
