import GRDB
public import Wire

extension SQLiteHistoryStore {
    /// Makes hours of the oldest day of a device; see `HistoryStore.compact`.
    public func compact(_ device: DeviceID, before horizon: Int64) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await write { db in
            guard let (id, record) = try Self.row(of: device, db),
                let oldest = try Int64.fetchOne(
                    db, sql: "SELECT min(minute) FROM minutes WHERE device = ?", arguments: [id]), oldest < horizon
            else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            let day = calendar.minutes(of: calendar.date(ofMinute: oldest))
            guard day.upperBound <= horizon else { return 0 }
            let minutes = try Self.minutes(id, oldest..<day.upperBound, limit: day.count, db)
            for (start, sum) in calendar.hours(of: minutes, on: day) { try Self.add(sum, toHour: start, id: id, db) }
            try db.execute(
                sql: "DELETE FROM minutes WHERE device = ? AND minute < ?", arguments: [id, day.upperBound])
            try db.execute(
                sql: "UPDATE devices SET compacted_minute = max(compacted_minute, ?) WHERE id = ?",
                arguments: [day.upperBound, id])
            return minutes.count
        }
    }

    /// How many minutes `compact` would make hours of; see `HistoryStore.compactableMinutes`.
    public func compactableMinutes(
        of device: DeviceID, before horizon: Int64
    ) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await read { db in
            guard let (id, record) = try Self.row(of: device, db) else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            return try Int.fetchOne(
                db, sql: "SELECT count(DISTINCT minute) FROM minutes WHERE device = ? AND minute < ?",
                arguments: [id, calendar.startOfDay(containing: horizon)]) ?? 0
        }
    }

    /// After a change of zone an hour may begin where one began before.
    private static func add(_ sum: CountSum, toHour start: Int64, id: Int64, _ db: Database) throws {
        var sum = sum
        let found = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT \(CountSum.columns) FROM hours WHERE device = ? AND minute = ?"),
            arguments: [id, start])
        if let found { sum += CountSum(found) }
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO hours (device, minute, \(CountSum.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [id, start] + sum.arguments)
    }
}
