public import Wire

extension PostgresHistoryStore {
    /// Makes hours of the oldest day of a device; see `HistoryStore.compact`.
    public func compact(_ device: DeviceID, before horizon: Int64) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(device)
            guard let (id, record) = tables.devices[device],
                let oldest = try session.query("SELECT min(minute) FROM minutes WHERE device = $1", [.int(id)])
                    .first?.optionalInt(0), oldest < horizon
            else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            let day = calendar.minutes(of: calendar.date(ofMinute: oldest))
            guard day.upperBound <= horizon else { return 0 }
            let minutes = try Self.minutes(id, oldest..<day.upperBound, limit: day.count, session)
            try Self.add(calendar.hours(of: minutes, on: day), id: id, session)
            try session.execute(
                "DELETE FROM minutes WHERE device = $1 AND minute >= $2 AND minute < $3",
                [.int(id), .int(oldest), .int(day.upperBound)])
            try session.execute(
                "UPDATE devices SET compacted_minute = greatest(compacted_minute, $2) WHERE id = $1",
                [.int(id), .int(day.upperBound)])
            return minutes.count
        }
    }

    /// How many minutes `compact` would make hours of; see `HistoryStore.compactableMinutes`.
    public func compactableMinutes(
        of device: DeviceID, before horizon: Int64
    ) async throws(HistoryError) -> Int {
        let defaultZone = defaultZone
        return try await snapshot { session in
            guard let (id, record) = try Self.row(of: device, session) else { return 0 }
            let calendar = DayCalendar(record.settings, defaultZone: defaultZone)
            let count = try session.query(
                "SELECT count(DISTINCT minute) FROM minutes WHERE device = $1 AND minute < $2",
                [.int(id), .int(calendar.startOfDay(containing: horizon))]
            ).first?.int(0)
            return Int(clamping: count ?? 0)
        }
    }

    /// After a change of zone an hour may begin where one began before.
    private static func add(_ hours: [Int64: CountSum], id: Int64, _ session: PostgresSession) throws {
        var hours = hours
        let found = try session.query(
            "SELECT \(CountSum.columns), minute FROM hours WHERE device = $1 AND minute = ANY($2)",
            [.int(id), .ints(Array(hours.keys))]
        ).map { (try $0.int(CountSum.columnCount), try CountSum($0)) }
        for (minute, sum) in found { hours[minute, default: CountSum()] += sum }
        let rows = Array(hours)
        try session.execute(
            """
            INSERT INTO hours (device, minute, \(CountSum.columns))
            SELECT $1, * FROM unnest($2::bigint[], \(PostgresTables.sumArrays(from: 3)))
            ON CONFLICT (device, minute) DO UPDATE
            SET \(PostgresTables.assignments(CountSum.columns, from: "excluded"))
            """, [.int(id), .ints(rows.map(\.key))] + CountSum.parameters(of: rows.map(\.value)))
    }
}
