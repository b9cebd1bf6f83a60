import GRDB
public import Wire

extension SQLiteHistoryStore {
    /// How far each chain is known; see `HistoryStore.cursors`.
    public func cursors() async throws(HistoryError) -> [ChainCursor] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT epoch, revision, heard_s FROM chains").map { row in
                ChainCursor(
                    epoch: UInt64(bitPattern: row[0] as Int64), revision: UInt64(clamping: row[1] as Int64),
                    heardSeconds: row[2])
            }
        }
    }

    /// One device; see `HistoryStore.device`.
    public func device(_ device: DeviceID) async throws(HistoryError) -> DeviceRecord? {
        try await read { db in try Self.row(of: device, db)?.record }
    }

    /// Devices by their ids; see `HistoryStore.devices`.
    public func devices(after device: DeviceID?, limit: Int) async throws(HistoryError) -> [DeviceRecord] {
        try await read { db in
            let statement = try RowStatement(
                "SELECT \(DeviceRecord.columns) FROM devices WHERE name > ? ORDER BY name LIMIT ?", db)
            statement.bind(device?.description ?? "")
            statement.bind(Int64(limit))
            return try statement.read { DeviceRecord.read($0)?.record }.compactMap { $0 }
        }
    }

    /// The days of a device that have data; see `HistoryStore.days`.
    public func days(
        of device: DeviceID, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DayRecord] {
        try await read { db in
            guard let id = try Self.row(of: device, db)?.id else { return [] }
            return try CommitStatements(db).days(id: id, dates: first..<max(first, end))
        }
    }

    /// What devices have come to; see `HistoryStore.standings`.
    public func standings(
        of devices: [DeviceID], from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DeviceStanding] {
        try await read { db in
            let statements = CommitStatements(db)
            return try devices.compactMap { device in
                guard let (id, record) = try statements.device(device) else { return nil }
                var standing = DeviceStanding(record: record)
                standing.days = try statements.days(id: id, dates: first..<max(first, end))
                standing.dayPeak = try statements.peak(id: id)
                standing.totalPeak = try SQLiteTables.totalPeak(id: id, db)
                return standing
            }
        }
    }

    /// One device with its days; see `HistoryStore.device(_:withDaysFrom:to:)`.
    public func device(
        _ device: DeviceID, withDaysFrom first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> (record: DeviceRecord, days: [DayRecord])? {
        try await read { db in
            let statements = CommitStatements(db)
            guard let (id, record) = try statements.device(device) else { return nil }
            return (record, try statements.days(id: id, dates: first..<max(first, end)))
        }
    }

    /// What was counted in ranges of minutes; see `HistoryStore.sums`.
    public func sums(
        of device: DeviceID, in ranges: [Range<Int64>]
    ) async throws(HistoryError) -> [CountSum] {
        try await read { db in
            guard let (id, record) = try Self.row(of: device, db) else { return ranges.map { _ in CountSum() } }
            let minutes = try db.cachedStatement(sql: Self.sum(of: "minutes"))
            let hours = try db.cachedStatement(sql: Self.sum(of: "hours"))
            return try ranges.map { range in
                let arguments: StatementArguments = [id, range.lowerBound, range.upperBound]
                var sum = try Row.fetchOne(minutes, arguments: arguments).map { CountSum($0) } ?? CountSum()
                if range.lowerBound < record.compactedMinute, let row = try Row.fetchOne(hours, arguments: arguments) {
                    sum += CountSum(row)
                }
                return sum
            }
        }
    }

    /// The minutes of a device in a range that have data; see `HistoryStore.minutes`.
    public func minutes(
        of device: DeviceID, in range: Range<Int64>, limit: Int
    ) async throws(HistoryError) -> [MinuteRecord] {
        try await read { db in
            guard let (id, record) = try Self.row(of: device, db) else { return [] }
            guard range.lowerBound < record.compactedMinute else {
                return try Self.minutes(id, range, limit: limit, db)
            }
            let hours = try Self.hours(id, range, limit: limit, db)
            return try hours + Self.minutes(id, range, limit: limit - hours.count, db)
        }
    }

    static func minutes(_ id: Int64, _ range: Range<Int64>, limit: Int, _ db: Database) throws -> [MinuteRecord] {
        let statement = try db.cachedStatement(sql: "\(sum(of: "minutes")) GROUP BY minute ORDER BY minute LIMIT ?")
        return try Row.fetchAll(statement, arguments: [id, range.lowerBound, range.upperBound, limit]).map { row in
            MinuteRecord(minute: row[CountSum.columnCount], sum: CountSum(row))
        }
    }

    /// An hour lasts until the next begins, or sixty minutes.
    private static func hours(
        _ id: Int64, _ range: Range<Int64>, limit: Int, _ db: Database
    ) throws -> [MinuteRecord] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(CountSum.columns), minute FROM hours WHERE device = ? AND minute >= ? AND minute < ?
                ORDER BY minute LIMIT ?
                """)
        var hours = try Row.fetchAll(
            statement, arguments: [id, range.lowerBound, range.upperBound, limit]
        ).map { MinuteRecord(minute: $0[CountSum.columnCount], length: 60, sum: CountSum($0)) }
        for index in hours.indices.dropLast() {
            hours[index].length = min(60, hours[index + 1].minute - hours[index].minute)
        }
        return hours
    }

    static func row(of device: DeviceID, _ db: Database) throws -> (id: Int64, record: DeviceRecord)? {
        try CommitStatements(db).device(device)
    }

    private static func sum(of table: String) -> String {
        """
        SELECT \(sums("steps", "revolutions", "distance_mm", "active_ms", "covered_ms")),
            sum(floors_up), sum(floors_down), coalesce(sum(cadence_integral), 0.0), \(sums("cadence_s")),
            coalesce(min(nullif(cadence_min, 0.0)), 0.0), coalesce(max(cadence_max), 0.0),
            \(sums("unknown_ms", "stationary_ms", "walking_ms", "running_ms", "cycling_ms", "automotive_ms")), minute
        FROM \(table) WHERE device = ? AND minute >= ? AND minute < ?
        """
    }

    private static func sums(_ columns: String...) -> String {
        columns.map { "coalesce(sum(\($0)), 0)" }.joined(separator: ", ")
    }
}
