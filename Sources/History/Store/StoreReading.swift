package import Wire

extension HistoryStore {
    /// A device with its days from one date up to another, which is not included; `nil` if nothing was ever kept of it.
    package func snapshot(
        of device: DeviceID, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> DeviceSnapshot? {
        try await snapshots(of: [device], from: first, to: end).first
    }

    /// Devices with their days from `first` up to, but not including, `end`. Unknown devices are left out.
    package func snapshots(
        of devices: [DeviceID], from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DeviceSnapshot] {
        let dates: [SQLValue] = [.int(Int64(first.dayNumber)), .int(Int64(end.dayNumber))]
        return try await database.read(isSnapshot: false) { session in
            let results = try session.execute(
                devices.flatMap { device in
                    [
                        SQLStatement(DeviceRecord.byName, [.text("\(device)")]),
                        SQLStatement(Self.days, [.text("\(device)")] + dates),
                    ]
                })
            return try stride(from: 0, to: results.count, by: 2).compactMap { index in
                guard let row = results[index].rows.first, let (_, record) = try DeviceRecord.read(row) else {
                    return nil
                }
                return DeviceSnapshot(record: record, days: try results[index + 1].rows.read { try DayRecord(&$0) })
            }
        }
    }

    /// One device; `nil` if nothing was ever kept of it.
    package func device(_ device: DeviceID) async throws(HistoryError) -> DeviceRecord? {
        try await database.read(isSnapshot: false) { session in try Self.find(device, session)?.record }
    }

    /// Devices by their ids, beginning after one of them.
    package func devices(after device: DeviceID?, limit: Int) async throws(HistoryError) -> [DeviceRecord] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                """
                SELECT \(DeviceRecord.columns.joined(separator: ", ")) FROM devices WHERE name > $1
                ORDER BY name LIMIT $2
                """, [.text(device?.description ?? ""), .int(Int64(limit))]
            ).compactMap { try DeviceRecord.read($0)?.record }
        }
    }

    /// The names of all devices, or only of those that had minutes before a horizon.
    func deviceNames(before horizon: Int64? = nil) async throws(HistoryError) -> [DeviceID] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                "SELECT name FROM devices WHERE $1 IS NULL OR first_minute < $1 ORDER BY name", [.int(horizon)]
            ).read { try? DeviceID($0.text()) }
        }
    }

    /// The days of a device from one date up to another, which is not included; only those that have data.
    package func days(
        of device: DeviceID, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DayRecord] {
        try await snapshot(of: device, from: first, to: end)?.days ?? []
    }

    /// The counts of each of some ranges of minutes, which must be in order and not overlap. Where there are no minutes
    /// any more, a day counts to the range that it begins in.
    /// - Parameter isOver: Whether nobody waits any more; it is asked for each month of minutes.
    /// - Throws: `HistoryError.overtime` where nobody does.
    package func sums(
        of device: DeviceID, in ranges: [Range<Int64>], unless isOver: @Sendable @escaping () -> Bool = { false }
    ) async throws(HistoryError) -> [CountSum] {
        try await database.read(isSnapshot: true) { session in
            guard let (id, record) = try Self.find(device, session),
                let known = record.firstMinute.map({ $0..<(record.lastMinute ?? $0) + 1 })
            else { return ranges.map { _ in CountSum() } }
            var sums = ranges.map { _ in CountSum() }
            for part in Self.parts(of: ranges.map { $0.clamped(to: known) }) {
                guard !isOver() else { throw HistoryError.overtime }
                let isOld = part.first.map { $0.range.lowerBound < record.compactedMinute } ?? false
                for table in isOld ? ["minutes", "old_days"] : ["minutes"] {
                    let found = try session.aggregate(
                        CountSum.aggregates, of: table, device: id, in: part.map(\.range)
                    ).read { try CountSum(aggregates: &$0) }
                    for (place, sum) in zip(part, found) { sums[place.index] += sum }
                }
            }
            return sums
        }
    }

    /// The minutes that are summed up between two looks at the clock.
    private static let minutesALook: Int64 = 31 * 1440

    /// Ranges in groups of at most `minutesALook`, each piece with the index of its range.
    private static func parts(of ranges: [Range<Int64>]) -> [[(index: Int, range: Range<Int64>)]] {
        var parts: [[(index: Int, range: Range<Int64>)]] = []
        var room: Int64 = 0
        for (index, range) in ranges.enumerated() {
            var rest = range
            while !rest.isEmpty {
                if room == 0 {
                    parts.append([])
                    room = minutesALook
                }
                let end = min(rest.upperBound, rest.lowerBound + room)
                parts[parts.count - 1].append((index, rest.lowerBound..<end))
                room -= end - rest.lowerBound
                rest = end..<rest.upperBound
            }
        }
        return parts
    }

    /// The minutes of a device in a range that have data, in order and at most `limit`.
    package func minutes(
        of device: DeviceID, in range: Range<Int64>, limit: Int
    ) async throws(HistoryError) -> [MinuteRecord] {
        try await database.read(isSnapshot: true) { session in
            guard let id = try Self.find(device, session)?.id else { return [] }
            return try Self.minutes(of: id, in: range, limit: limit, session)
        }
    }

    static func find(_ device: DeviceID, _ session: any SQLSession) throws -> (id: Int64, record: DeviceRecord)? {
        try session.query(DeviceRecord.byName, [.text("\(device)")]).first.flatMap { try DeviceRecord.read($0) }
    }

    static func minutes(
        of id: Int64, in range: Range<Int64>, limit: Int, _ session: any SQLSession
    ) throws -> [MinuteRecord] {
        try session.query(
            """
            SELECT minute, \(CountSum.aggregates) FROM minutes WHERE device = $1 AND minute >= $2 AND minute < $3
            GROUP BY minute ORDER BY minute LIMIT $4
            """, [.int(id), .int(range.lowerBound), .int(range.upperBound), .int(Int64(limit))]
        ).read { row in
            MinuteRecord(minute: try row.int(), sum: try CountSum(aggregates: &row))
        }
    }

    private static let days = """
        SELECT \(DayRecord.columns) FROM days WHERE device = (SELECT id FROM devices WHERE name = $1)
        AND date >= $2 AND date < $3 ORDER BY date
        """
}
