public import Wire

extension PostgresHistoryStore {
    /// How far each chain is known; see `HistoryStore.cursors`.
    public func cursors() async throws(HistoryError) -> [ChainCursor] {
        try await read { session in
            try session.query("SELECT epoch, revision, heard_s FROM chains").map { row in
                ChainCursor(
                    epoch: UInt64(bitPattern: try row.int(0)), revision: UInt64(clamping: try row.int(1)),
                    heardSeconds: try row.int(2))
            }
        }
    }

    /// One device; see `HistoryStore.device`.
    public func device(_ device: DeviceID) async throws(HistoryError) -> DeviceRecord? {
        try await read { session in try Self.row(of: device, session)?.record }
    }

    /// Devices by their ids; see `HistoryStore.devices`.
    public func devices(after device: DeviceID?, limit: Int) async throws(HistoryError) -> [DeviceRecord] {
        try await read { session in
            try session.query(
                "SELECT \(DeviceRecord.columns) FROM devices WHERE name > $1 ORDER BY name LIMIT $2",
                [.text(device?.description ?? ""), .int(Int64(limit))]
            ).map { try DeviceRecord.read($0)?.record }.compactMap { $0 }
        }
    }

    /// The days of a device that have data; see `HistoryStore.days`.
    public func days(
        of device: DeviceID, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DayRecord] {
        try await read { session in
            try session.query(Self.days(of: device, from: first, to: end)).map { try DayRecord($0) }
        }
    }

    /// One device with its days; see `HistoryStore.device(_:withDaysFrom:to:)`.
    public func device(
        _ device: DeviceID, withDaysFrom first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> (record: DeviceRecord, days: [DayRecord])? {
        try await read { session in
            let rows = try session.queries([Self.row(of: device), Self.days(of: device, from: first, to: end)])
            guard let record = try rows[0].first.flatMap({ try DeviceRecord.read($0) })?.record else { return nil }
            return (record, try rows[1].map { try DayRecord($0) })
        }
    }

    /// What was counted in ranges of minutes; see `HistoryStore.sums`.
    public func sums(
        of device: DeviceID, in ranges: [Range<Int64>]
    ) async throws(HistoryError) -> [CountSum] {
        try await snapshot { session in
            guard let first = ranges.first, let (id, record) = try Self.row(of: device, session) else {
                return ranges.map { _ in CountSum() }
            }
            var sums = try Self.sums(ranges, id: id, "minutes", session)
            if first.lowerBound < record.compactedMinute {
                for (index, sum) in try Self.sums(ranges, id: id, "hours", session).enumerated() { sums[index] += sum }
            }
            return sums
        }
    }

    private static func sums(
        _ ranges: [Range<Int64>], id: Int64, _ table: String, _ session: PostgresSession
    ) throws -> [CountSum] {
        let found = try session.query(
            """
            SELECT sums.* FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS range (lower, upper, number)
            CROSS JOIN LATERAL (
                SELECT \(sumColumns) FROM \(table) WHERE device = $1 AND minute >= range.lower AND minute < range.upper
                AND minute >= $4 AND minute < $5
            ) AS sums ORDER BY range.number
            """,
            [
                .int(id), .ints(ranges.map(\.lowerBound)), .ints(ranges.map(\.upperBound)),
                .int(ranges.map(\.lowerBound).min() ?? 0), .int(ranges.map(\.upperBound).max() ?? 0),
            ]
        ).map { try CountSum($0) }
        guard found.count == ranges.count else {
            throw PostgresError.unexpectedResult(problem: "\(found.count) sums for \(ranges.count) ranges")
        }
        return found
    }

    /// The minutes of a device in a range that have data; see `HistoryStore.minutes`.
    public func minutes(
        of device: DeviceID, in range: Range<Int64>, limit: Int
    ) async throws(HistoryError) -> [MinuteRecord] {
        try await snapshot { session in
            guard let (id, record) = try Self.row(of: device, session) else { return [] }
            guard range.lowerBound < record.compactedMinute else {
                return try Self.minutes(id, range, limit: limit, session)
            }
            let hours = try Self.hours(id, range, limit: limit, session)
            return try hours + Self.minutes(id, range, limit: limit - hours.count, session)
        }
    }

    static func minutes(
        _ id: Int64, _ range: Range<Int64>, limit: Int, _ session: PostgresSession
    ) throws -> [MinuteRecord] {
        try session.query(
            """
            SELECT \(sumColumns), minute FROM minutes WHERE device = $1 AND minute >= $2 AND minute < $3
            GROUP BY minute ORDER BY minute LIMIT $4
            """, [.int(id), .int(range.lowerBound), .int(range.upperBound), .int(Int64(limit))]
        ).map { MinuteRecord(minute: try $0.int(CountSum.columnCount), sum: try CountSum($0)) }
    }

    /// An hour lasts until the next begins, or sixty minutes.
    private static func hours(
        _ id: Int64, _ range: Range<Int64>, limit: Int, _ session: PostgresSession
    ) throws -> [MinuteRecord] {
        var hours = try session.query(
            """
            SELECT \(CountSum.columns), minute FROM hours WHERE device = $1 AND minute >= $2 AND minute < $3
            ORDER BY minute LIMIT $4
            """, [.int(id), .int(range.lowerBound), .int(range.upperBound), .int(Int64(limit))]
        ).map { MinuteRecord(minute: try $0.int(CountSum.columnCount), length: 60, sum: try CountSum($0)) }
        for index in hours.indices.dropLast() {
            hours[index].length = min(60, hours[index + 1].minute - hours[index].minute)
        }
        return hours
    }

    static func row(of device: DeviceID, _ session: PostgresSession) throws -> (id: Int64, record: DeviceRecord)? {
        try session.query(row(of: device)).first.flatMap { try DeviceRecord.read($0) }
    }

    private static func row(of device: DeviceID) -> PostgresStatement {
        PostgresStatement("SELECT \(DeviceRecord.columns) FROM devices WHERE name = $1", [.text(device.description)])
    }

    private static func days(of device: DeviceID, from first: LocalDate, to end: LocalDate) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT \(DayRecord.columns) FROM days WHERE device = (SELECT id FROM devices WHERE name = $1)
            AND date >= $2 AND date < $3 ORDER BY date
            """, [.text(device.description), .int(Int64(first.dayNumber)), .int(Int64(end.dayNumber))])
    }

    /// `CountSum.columns` of several rows; a sum of `bigint`s is a `numeric`.
    private static let sumColumns = """
        \(sums("steps", "revolutions", "distance_mm", "active_ms", "covered_ms")),
        sum(floors_up)::bigint, sum(floors_down)::bigint, coalesce(sum(cadence_integral), 0), \(sums("cadence_s")),
        coalesce(min(nullif(cadence_min, 0)), 0), coalesce(max(cadence_max), 0),
        \(sums("unknown_ms", "stationary_ms", "walking_ms", "running_ms", "cycling_ms", "automotive_ms"))
        """

    private static func sums(_ columns: String...) -> String {
        columns.map { "coalesce(sum(\($0)), 0)::bigint" }.joined(separator: ", ")
    }
}
