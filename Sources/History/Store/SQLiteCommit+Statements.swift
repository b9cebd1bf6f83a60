import GRDB
import Wire

extension SQLiteCommit {
    func storedDevice(_ device: DeviceID) throws -> (Int64, DeviceRecord)? {
        let statement = try db.cachedStatement(sql: "SELECT \(DeviceRecord.columns) FROM devices WHERE name = ?")
        return try Row.fetchOne(statement, arguments: [device.description]).flatMap { DeviceRecord.read($0) }
    }

    /// The number of a new device; nil if there are too many already.
    func insertDevice(_ device: DeviceID) throws -> Int64? {
        let count = try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM devices")) ?? 0
        guard count < maximumDevices else { return nil }
        try db.cachedStatement(sql: "INSERT INTO devices (name) VALUES (?)").execute(arguments: [device.description])
        return db.lastInsertedRowID
    }

    func storeSettings(_ ledger: DeviceLedger) throws {
        let settings = ledger.record.settings
        try db.cachedStatement(
            sql: """
                UPDATE devices SET kind = ?, placement = ?, zone = ?, day_start_min = ?, knows_step_length = ?,
                knows_revolution_length = ?, person = ? WHERE id = ?
                """
        ).execute(arguments: [
            settings.kind, settings.placement, settings.zone, settings.dayStartMinutes, settings.knowsStepLength,
            settings.knowsRevolutionLength, settings.person, ledger.id,
        ])
    }

    func storeTotals(_ ledger: DeviceLedger) throws {
        let record = ledger.record
        try db.cachedStatement(
            sql: """
                UPDATE devices SET first_minute = ?, last_minute = ?, steps = ?, revolutions = ?, distance_mm = ?,
                active_ms = ?, covered_ms = ?, revision = ? WHERE id = ?
                """
        ).execute(
            arguments: StatementArguments([record.firstMinute, record.lastMinute]) + record.counts.arguments
                + [record.revision, ledger.id])
    }

    func storedMinute(_ row: MinuteTotals, id: Int64) throws -> (revision: Int64, counts: Counts)? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(HistorySchema.counts), revision FROM minutes WHERE device = ? AND minute = ? AND epoch = ?
                """)
        let found = try Row.fetchOne(statement, arguments: [id, row.minute, Int64(bitPattern: row.epoch)])
        return found.map { ($0[5], Counts($0, from: 0)) }
    }

    func storedMinutes(id: Int64, from minute: Int64) throws -> [(minute: Int64, counts: Counts, revision: Int64)] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(HistorySchema.counts), revision, minute FROM minutes WHERE device = ? AND minute >= ?
                ORDER BY minute, epoch
                """)
        return try Row.fetchAll(statement, arguments: [id, minute]).map { ($0[6], Counts($0, from: 0), $0[5]) }
    }

    func store(_ row: MinuteTotals, id: Int64) throws {
        let key: StatementArguments = [id, row.minute, Int64(bitPattern: row.epoch), Int64(clamping: row.revision)]
        let cadence: StatementArguments = [
            Double(row.cadenceIntegral), Int64(row.cadenceSeconds), Double(row.cadenceMinimum),
            Double(row.cadenceMaximum),
        ]
        let activities = ActivityKind.allCases.map { kind in
            let index = Int(kind.rawValue)
            return row.activityMilliseconds.indices.contains(index) ? Int64(row.activityMilliseconds[index]) : 0
        }
        try db.cachedStatement(sql: Self.upsertMinute).execute(
            arguments: key + Counts(row).arguments + cadence + StatementArguments(activities))
    }

    func storedDays(id: Int64, dates: Range<LocalDate>) throws -> [DayRecord] {
        let statement = try db.cachedStatement(
            sql: "SELECT \(DayRecord.columns) FROM days WHERE device = ? AND date >= ? AND date < ? ORDER BY date")
        return try Row.fetchAll(
            statement, arguments: [id, dates.lowerBound.dayNumber, dates.upperBound.dayNumber]
        ).map { DayRecord($0) }
    }

    func store(_ day: DayRecord, id: Int64) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO days VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(
            arguments: [id, day.date.dayNumber, day.zone, day.minutes.lowerBound, day.minutes.upperBound]
                + day.counts.arguments + [day.revision])
    }

    /// Remembers the most that a date had. A later date takes its place, an earlier one changes nothing.
    func raisePeak(to day: DayRecord, id: Int64) throws {
        let found = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT \(HistorySchema.counts), date FROM day_peaks WHERE device = ?"),
            arguments: [id])
        var counts = day.counts
        if let found {
            let date = LocalDate(dayNumber: found[5])
            guard day.date >= date else { return }
            let peak = Counts(found, from: 0)
            if day.date == date { counts = counts.raised(to: peak) }
            guard day.date > date || counts != peak else { return }
        }
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO day_peaks VALUES (?, ?, ?, ?, ?, ?, ?)")
            .execute(arguments: [id, day.date.dayNumber] + counts.arguments)
    }

    /// Removes the days that are not over, and says where they began and how often they had changed.
    func removeOpenDays(id: Int64, nowMinute: Int64) throws -> (start: Int64?, revisions: Int64) {
        let statement = try db.cachedStatement(
            sql: "SELECT min(start_minute), max(revision) FROM days WHERE device = ? AND end_minute > ?")
        guard let row = try Row.fetchOne(statement, arguments: [id, nowMinute]), let start: Int64 = row[0] else {
            return (nil, 0)
        }
        try db.cachedStatement(sql: "DELETE FROM days WHERE device = ? AND end_minute > ?")
            .execute(arguments: [id, nowMinute])
        return (start, row[1])
    }

    private static let upsertMinute = """
        INSERT INTO minutes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (device, minute, epoch) DO UPDATE SET
            revision = excluded.revision, steps = excluded.steps, revolutions = excluded.revolutions,
            distance_mm = excluded.distance_mm, active_ms = excluded.active_ms, covered_ms = excluded.covered_ms,
            cadence_integral = excluded.cadence_integral, cadence_s = excluded.cadence_s,
            cadence_min = excluded.cadence_min, cadence_max = excluded.cadence_max,
            unknown_ms = excluded.unknown_ms, stationary_ms = excluded.stationary_ms,
            walking_ms = excluded.walking_ms, running_ms = excluded.running_ms,
            cycling_ms = excluded.cycling_ms, automotive_ms = excluded.automotive_ms
        WHERE excluded.revision > minutes.revision
        """
}
