import GRDB
import Wire

/// What a commit reads and writes, row by row, with statements that are prepared once.
struct SQLiteTables: CommitTables {
    let db: Database
    let maximumDevices: Int
    private let statements: CommitStatements
    /// Most commits find no lease at all, which is asked once.
    private let hasLeases: Bool

    init(db: Database, maximumDevices: Int) throws {
        self.db = db
        self.maximumDevices = maximumDevices
        statements = CommitStatements(db)
        hasLeases = try Bool.fetchOne(db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM leases)")) ?? true
    }

    func device(_ device: DeviceID) throws -> (id: Int64, record: DeviceRecord)? {
        try statements.device(device)
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
        let statement = try statements[.storeTotals]
        statement.bind(record.firstMinute)
        statement.bind(record.lastMinute)
        statement.bind(record.counts)
        statement.bind(record.revision)
        statement.bind(id)
        try statement.execute()
    }

    func minute(_ row: MinuteTotals, id: Int64) throws -> StoredMinute? {
        let statement = try statements[.minute]
        statement.bind(id)
        statement.bind(row.minute)
        statement.bind(Int64(bitPattern: row.epoch))
        return try statement.readOne {
            StoredMinute(revision: $0.int(RowStatement.countsEnd), counts: $0.counts(from: 0))
        }
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
        let statement = try statements[.storeMinute]
        statement.bind(id)
        statement.bind(row.minute)
        statement.bind(Int64(bitPattern: row.epoch))
        statement.bind(Int64(clamping: row.revision))
        statement.bind(Counts(row))
        statement.bind(Double(row.cadenceIntegral))
        statement.bind(Int64(row.cadenceSeconds))
        statement.bind(Double(row.cadenceMinimum))
        statement.bind(Double(row.cadenceMaximum))
        for kind in 0..<ActivityKind.allCases.count {
            let isThere = row.activityMilliseconds.indices.contains(kind)
            statement.bind(isThere ? Int64(row.activityMilliseconds[kind]) : 0)
        }
        try statement.execute()
    }

    func days(id: Int64, dates: Range<LocalDate>) throws -> [DayRecord] {
        try statements.days(id: id, dates: dates)
    }

    func store(_ day: DayRecord, id: Int64) throws {
        let statement = try statements[.storeDay]
        statement.bind(id)
        statement.bind(Int64(day.date.dayNumber))
        statement.bind(day.zone)
        statement.bind(day.minutes.lowerBound)
        statement.bind(day.minutes.upperBound)
        statement.bind(day.counts)
        statement.bind(day.revision)
        try statement.execute()
    }

    func peak(id: Int64) throws -> DayPeak? {
        try statements.peak(id: id)
    }

    func store(_ peak: DayPeak, id: Int64) throws {
        let statement = try statements[.storePeak]
        statement.bind(id)
        statement.bind(Int64(peak.date.dayNumber))
        statement.bind(peak.counts)
        try statement.execute()
    }

    func raiseTotalPeak(to counts: Counts, id: Int64) throws {
        let peak = try Self.totalPeak(id: id, db)?.raised(to: counts) ?? counts
        try db.execute(
            sql: "INSERT OR REPLACE INTO total_peaks (device, \(Counts.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [id] + peak.arguments)
    }

    func forgetTotalPeak(id: Int64) throws {
        try db.execute(sql: "DELETE FROM total_peaks WHERE device = ?", arguments: [id])
    }

    static func totalPeak(id: Int64, _ db: Database) throws -> Counts? {
        let statement = try db.cachedStatement(sql: "SELECT \(Counts.columns) FROM total_peaks WHERE device = ?")
        return try Row.fetchOne(statement, arguments: [id]).map { Counts($0, from: 0) }
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

    func leases(of device: DeviceID) throws -> [LiveLease] {
        hasLeases ? try LiveLease.all(of: device, db) : []
    }

    func store(_ lease: LiveLease) throws { try lease.store(db) }

    func assignments(of device: DeviceID) throws -> [Assignment] { try Assignment.all(of: device, db) }

    func replaceAssignments(of device: DeviceID, with assignments: [Assignment]) throws {
        try Assignment.replace(device, with: assignments, db)
    }

    func store(_ cursor: ChainCursor) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO chains VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
                revision = max(revision, excluded.revision), heard_s = max(heard_s, excluded.heard_s)
                """
        ).execute(arguments: [
            Int64(bitPattern: cursor.epoch), Int64(clamping: cursor.revision), cursor.heardSeconds,
        ])
    }
}
