import Postgres
public import Wire

extension PostgresHistoryStore {
    /// Deletes everything about a device; see `HistoryStore.forget(_:)`.
    public func forget(_ device: DeviceID) async throws(HistoryError) -> Int {
        var rows = 0
        for table in ["minutes", "hours"] {
            while case let deleted = try await deleteSome(of: device, table), deleted > 0 { rows += deleted }
        }
        try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(device)
            if let (id, _) = tables.devices[device] {
                for table in ["minutes", "hours", "days", "day_peaks"] {
                    try session.execute("DELETE FROM \(table) WHERE device = $1", [.int(id)])
                }
                try session.execute("DELETE FROM devices WHERE id = $1", [.int(id)])
            }
            for table in ["leases", "assignments"] {
                try session.execute("DELETE FROM \(table) WHERE device = $1", [.text(device.description)])
            }
        }
        return rows
    }

    private func deleteSome(of device: DeviceID, _ table: String) async throws(HistoryError) -> Int {
        try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(device)
            guard let (id, _) = tables.devices[device] else { return 0 }
            return try session.execute(
                """
                DELETE FROM \(table) WHERE device = $1 AND minute <= (SELECT max(minute) FROM
                (SELECT minute FROM \(table) WHERE device = $1 ORDER BY minute LIMIT $2) AS oldest)
                """, [.int(id), .int(Int64(Self.rowsATransaction))])
        }
    }

    /// Deletes what a device counted in a range; see `HistoryStore.erase`.
    public func erase(_ device: DeviceID, in range: Range<Int64>) async throws(HistoryError) -> Int {
        var erased = 0
        var rest = range
        while !rest.isEmpty {
            let (count, next) = try await eraseSome(device, rest)
            erased += count
            rest = next..<max(next, range.upperBound)
        }
        return erased
    }

    /// Rows are emptied and stay, with their revisions: when the counter sends them again they are known.
    private func eraseSome(
        _ device: DeviceID, _ range: Range<Int64>
    ) async throws(HistoryError) -> (count: Int, next: Int64) {
        let defaultZone = defaultZone
        return try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(device)
            guard let (id, record) = tables.devices[device] else { return (0, range.upperBound) }
            try tables.loadPeaks()
            var commit = HistoryCommit(tables: tables, defaultZone: defaultZone, nowMinute: range.lowerBound)
            if range.lowerBound < record.compactedMinute { try commit.eraseHours(device, id, range) }
            let (count, last) = try commit.eraseMinutes(device, id, range, limit: Self.rowsATransaction)
            _ = try commit.finish()
            try commit.tables.flush()
            try session.execute("DELETE FROM day_peaks WHERE device = $1", [.int(id)])
            return (count, count < Self.rowsATransaction ? range.upperBound : last + 1)
        }
    }

    /// Forgets who had which devices; see `HistoryStore.forget(person:)`.
    public func forget(person: String) async throws(HistoryError) {
        try await write { session in
            try session.lock(.newcomers)
            _ = try session.query(
                """
                SELECT id FROM devices WHERE person = $1 OR name IN (SELECT device FROM assignments WHERE person = $1)
                ORDER BY name FOR UPDATE
                """, [.text(person)])
            try session.execute("DELETE FROM assignments WHERE person = $1", [.text(person)])
            try session.execute("UPDATE devices SET person = NULL WHERE person = $1", [.text(person)])
        }
    }
}

extension HistoryCommit<PostgresTables> {
    /// Takes the first rows of a range off their days and their device, and empties them. All rows of a minute are
    /// taken together.
    mutating func eraseMinutes(
        _ device: DeviceID, _ id: Int64, _ range: Range<Int64>, limit: Int
    ) throws -> (count: Int, last: Int64) {
        let rows = try tables.session.query(
            """
            SELECT \(Counts.columns), revision, minute FROM minutes WHERE device = $1 AND minute >= $2
            AND minute <= (SELECT max(minute) FROM (SELECT minute FROM minutes
                WHERE device = $1 AND minute >= $2 AND minute < $3 ORDER BY minute LIMIT $4) AS oldest)
            """, [.int(id), .int(range.lowerBound), .int(range.upperBound), .int(Int64(limit))]
        ).map { row in
            let next = Counts.columnCount
            return (
                minute: try row.int(next + 1), revision: try row.int(next), counts: try Counts(row, from: 0)
            )
        }
        var last = range.lowerBound
        for row in rows {
            last = max(last, row.minute)
            try takeOff(row.counts, from: row.minute, revision: row.revision, of: device)
        }
        try tables.session.execute(
            """
            UPDATE minutes SET steps = 0, revolutions = 0, distance_mm = 0, active_ms = 0, covered_ms = 0,
            floors_up = NULL, floors_down = NULL, cadence_integral = 0, cadence_s = 0, cadence_min = 0, cadence_max = 0, unknown_ms = 0,
            stationary_ms = 0, walking_ms = 0, running_ms = 0, cycling_ms = 0, automotive_ms = 0
            WHERE device = $1 AND minute >= $2 AND minute <= $3
            """, [.int(id), .int(range.lowerBound), .int(rows.isEmpty ? range.lowerBound - 1 : last)])
        return (rows.count, last)
    }

    /// Takes the hours that begin in a range off their days and their device, and deletes them.
    mutating func eraseHours(_ device: DeviceID, _ id: Int64, _ range: Range<Int64>) throws {
        let rows = try tables.session.query(
            """
            DELETE FROM hours WHERE device = $1 AND minute >= $2 AND minute < $3
            RETURNING \(Counts.columns), minute
            """, [.int(id), .int(range.lowerBound), .int(range.upperBound)]
        ).map { (minute: try $0.int(Counts.columnCount), counts: try Counts($0, from: 0)) }
        for row in rows { try takeOff(row.counts, from: row.minute, revision: 0, of: device) }
    }
}
