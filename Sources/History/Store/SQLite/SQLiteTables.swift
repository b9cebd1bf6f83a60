import GRDB
import Wire

/// What a commit reads and writes, statement by statement.
struct SQLiteTables: CommitTables {
    let db: Database
    let maximumDevices: Int

    func device(_ device: DeviceID) throws -> (id: Int64, record: DeviceRecord)? {
        let statement = try db.cachedStatement(sql: "SELECT \(DeviceRecord.columns) FROM devices WHERE name = ?")
        return try Row.fetchOne(statement, arguments: [device.description]).flatMap { DeviceRecord.read($0) }
    }

    func insertDevice(_ device: DeviceID) throws -> Int64? {
        let count = try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM devices")) ?? 0
        guard count < maximumDevices else { return nil }
        try db.cachedStatement(sql: "INSERT INTO devices (name) VALUES (?)").execute(arguments: [device.description])
        return db.lastInsertedRowID
    }

    func storeSettings(_ settings: DeviceSettings, id: Int64) throws {
        try db.cachedStatement(
            sql: """
                UPDATE devices SET kind = ?, placement = ?, zone = ?, day_start_min = ?, knows_step_length = ?,
                knows_revolution_length = ?, person = ? WHERE id = ?
                """
        ).execute(arguments: [
            settings.kind, settings.placement, settings.zone, settings.dayStartMinutes, settings.knowsStepLength,
            settings.knowsRevolutionLength, settings.person, id,
        ])
    }

    func storeTotals(_ record: DeviceRecord, id: Int64) throws {
        try db.cachedStatement(
            sql: """
                UPDATE devices SET first_minute = ?, last_minute = ?, steps = ?, revolutions = ?, distance_mm = ?,
                active_ms = ?, covered_ms = ?, floors_up = ?, floors_down = ?, revision = ? WHERE id = ?
                """
        ).execute(
            arguments: StatementArguments([record.firstMinute, record.lastMinute]) + record.counts.arguments
                + [record.revision, id])
    }

    func minute(_ row: MinuteTotals, id: Int64) throws -> StoredMinute? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Counts.columns), revision FROM minutes WHERE device = ? AND minute = ? AND epoch = ?
                """)
        let found = try Row.fetchOne(statement, arguments: [id, row.minute, Int64(bitPattern: row.epoch)])
        return found.map { StoredMinute(revision: $0[Counts.columnCount], counts: Counts($0, from: 0)) }
    }

    func minutes(id: Int64, from minute: Int64) throws -> [(minute: Int64, row: StoredMinute)] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Counts.columns), revision, minute FROM minutes WHERE device = ? AND minute >= ?
                ORDER BY minute, epoch
                """)
        return try Row.fetchAll(statement, arguments: [id, minute]).map { row in
            let next = Counts.columnCount
            return (row[next + 1], StoredMinute(revision: row[next], counts: Counts(row, from: 0)))
        }
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

    func days(id: Int64, dates: Range<LocalDate>) throws -> [DayRecord] {
        let statement = try db.cachedStatement(
            sql: "SELECT \(DayRecord.columns) FROM days WHERE device = ? AND date >= ? AND date < ? ORDER BY date")
        return try Row.fetchAll(
            statement, arguments: [id, dates.lowerBound.dayNumber, dates.upperBound.dayNumber]
        ).map { DayRecord($0) }
    }

    func store(_ day: DayRecord, id: Int64) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO days (device, date, zone, start_minute, end_minute, \(Counts.columns), revision)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [id, day.date.dayNumber, day.zone, day.minutes.lowerBound, day.minutes.upperBound]
                + day.counts.arguments + [day.revision])
    }

    func peak(id: Int64) throws -> DayPeak? {
        let statement = try db.cachedStatement(
            sql: "SELECT \(Counts.columns), date FROM day_peaks WHERE device = ?")
        return try Row.fetchOne(statement, arguments: [id]).map { row in
            DayPeak(date: LocalDate(dayNumber: row[Counts.columnCount]), counts: Counts(row, from: 0))
        }
    }

    func store(_ peak: DayPeak, id: Int64) throws {
        try db.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO day_peaks (device, date, \(Counts.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [id, peak.date.dayNumber] + peak.counts.arguments)
    }

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

    func leases(of device: DeviceID) throws -> [LiveLease] { try LiveLease.all(of: device, db) }

    func store(_ lease: LiveLease) throws { try lease.store(db) }

    func assignments(of device: DeviceID) throws -> [Assignment] { try Assignment.all(of: device, db) }

    func replaceAssignments(of device: DeviceID, with assignments: [Assignment]) throws {
        try Assignment.replace(device, with: assignments, db)
    }

    func store(_ cursor: ChainCursor) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO chains VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
                revision = max(revision, excluded.revision), heard_s = max(heard_s, excluded.heard_s)
                """
        ).execute(arguments: [
            Int64(bitPattern: cursor.epoch), cursor.partition.number, Int64(clamping: cursor.revision),
            cursor.heardSeconds,
        ])
    }

    private static let upsertMinute = """
        INSERT INTO minutes (device, minute, epoch, revision, \(CountSum.columns))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (device, minute, epoch) DO UPDATE SET
            revision = excluded.revision, steps = excluded.steps, revolutions = excluded.revolutions,
            distance_mm = excluded.distance_mm, active_ms = excluded.active_ms, covered_ms = excluded.covered_ms,
            floors_up = excluded.floors_up, floors_down = excluded.floors_down,
            cadence_integral = excluded.cadence_integral, cadence_s = excluded.cadence_s,
            cadence_min = excluded.cadence_min, cadence_max = excluded.cadence_max,
            unknown_ms = excluded.unknown_ms, stationary_ms = excluded.stationary_ms,
            walking_ms = excluded.walking_ms, running_ms = excluded.running_ms,
            cycling_ms = excluded.cycling_ms, automotive_ms = excluded.automotive_ms
        WHERE excluded.revision > minutes.revision
        """
}
