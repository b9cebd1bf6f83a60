import GRDB
public import Wire

extension SQLiteHistoryStore {
    /// How far each chain is known; see `HistoryStore.cursors`.
    public func cursors() async throws(HistoryError) -> [ChainCursor] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT epoch, partition, revision, heard_s FROM chains").compactMap { row in
                guard let partition = try? Partition(number: row[1]) else { return nil }
                let epoch: Int64 = row[0]
                let revision: Int64 = row[2]
                return ChainCursor(
                    epoch: UInt64(bitPattern: epoch), partition: partition, revision: UInt64(clamping: revision),
                    heardSeconds: row[3])
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
            let statement = try db.cachedStatement(
                sql: "SELECT \(DeviceRecord.columns) FROM devices WHERE name > ? ORDER BY name LIMIT ?")
            return try Row.fetchAll(statement, arguments: [device?.description ?? "", limit])
                .compactMap { DeviceRecord.read($0)?.record }
        }
    }

    /// The days of a device that have data; see `HistoryStore.days`.
    public func days(
        of device: DeviceID, from first: LocalDate, to end: LocalDate
    ) async throws(HistoryError) -> [DayRecord] {
        try await read { db in
            guard let id = try Self.row(of: device, db)?.id else { return [] }
            let statement = try db.cachedStatement(
                sql: "SELECT \(DayRecord.columns) FROM days WHERE device = ? AND date >= ? AND date < ? ORDER BY date")
            return try Row.fetchAll(statement, arguments: [id, first.dayNumber, end.dayNumber]).map { DayRecord($0) }
        }
    }

    /// What was counted in ranges of minutes; see `HistoryStore.sums`.
    public func sums(
        of device: DeviceID, in ranges: [Range<Int64>]
    ) async throws(HistoryError) -> [CountSum] {
        try await read { db in
            var sums = ranges.map { _ in CountSum() }
            guard let first = ranges.first, let last = ranges.last, let id = try Self.row(of: device, db)?.id else {
                return sums
            }
            let statement = try db.cachedStatement(sql: Self.minutesInOrder)
            let rows = try Row.fetchCursor(statement, arguments: [id, first.lowerBound, last.upperBound])
            var index = 0
            while let row = try rows.next() {
                let minute: Int64 = row[5]
                while index < ranges.count, ranges[index].upperBound <= minute { index += 1 }
                guard index < ranges.count, ranges[index].contains(minute) else { continue }
                sums[index] += CountSum(row)
            }
            return sums
        }
    }

    private static func row(of device: DeviceID, _ db: Database) throws -> (id: Int64, record: DeviceRecord)? {
        let statement = try db.cachedStatement(sql: "SELECT \(DeviceRecord.columns) FROM devices WHERE name = ?")
        return try Row.fetchOne(statement, arguments: [device.description]).flatMap { DeviceRecord.read($0) }
    }

    private static let minutesInOrder = """
        SELECT \(HistorySchema.counts), minute, cadence_integral, cadence_s, cadence_min, cadence_max,
            unknown_ms, stationary_ms, walking_ms, running_ms, cycling_ms, automotive_ms
        FROM minutes WHERE device = ? AND minute >= ? AND minute < ? ORDER BY minute
        """
}

extension CountSum {
    fileprivate init(_ row: Row) {
        self.init()
        counts = Counts(row, from: 0)
        cadenceIntegral = row[6]
        cadenceSeconds = row[7]
        cadenceMinimum = row[8]
        cadenceMaximum = row[9]
        for index in activityMilliseconds.indices { activityMilliseconds[index] = row[10 + index] }
    }
}
