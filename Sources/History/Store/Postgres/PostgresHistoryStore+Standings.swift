public import Wire

extension PostgresHistoryStore {
    /// What devices have come to; see `HistoryStore.standings`.
    public func standings(
        of devices: [DeviceID], from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DeviceStanding] {
        let names = PostgresValue.texts(devices.map(\.description))
        return try await read { session in
            let rows = try session.queries([
                PostgresStatement("SELECT \(DeviceRecord.columns) FROM devices WHERE name = ANY($1)", [names]),
                PostgresStatement(
                    """
                    SELECT \(DayRecord.columns), device FROM days WHERE device IN (\(Self.ids))
                    AND date >= $2 AND date < $3 ORDER BY device, date
                    """, [names, .int(Int64(first.dayNumber)), .int(Int64(end.dayNumber))]),
                PostgresStatement(
                    "SELECT \(Counts.columns), date, device FROM day_peaks WHERE device IN (\(Self.ids))", [names]),
                PostgresStatement(
                    "SELECT \(Counts.columns), device FROM total_peaks WHERE device IN (\(Self.ids))", [names]),
            ])
            return try Self.standings(rows[0], days: rows[1], dayPeaks: rows[2], totalPeaks: rows[3])
        }
    }

    private static let ids = "SELECT id FROM devices WHERE name = ANY($1)"

    private static func standings(
        _ devices: PostgresRows, days: PostgresRows, dayPeaks: PostgresRows, totalPeaks: PostgresRows
    ) throws -> [DeviceStanding] {
        var standings: [Int64: DeviceStanding] = [:]
        for found in try devices.map({ try DeviceRecord.read($0) }) {
            if let found { standings[found.id] = DeviceStanding(record: found.record) }
        }
        for (id, day) in try days.map({ (try $0.int(DayRecord.columnCount), try DayRecord($0)) }) {
            standings[id]?.days.append(day)
        }
        for (id, peak) in try dayPeaks.map({ (try $0.int(Counts.columnCount + 1), try DayPeak($0)) }) {
            standings[id]?.dayPeak = peak
        }
        for (id, peak) in try totalPeaks.map({ (try $0.int(Counts.columnCount), try Counts($0, from: 0)) }) {
            standings[id]?.totalPeak = peak
        }
        return Array(standings.values)
    }
}
