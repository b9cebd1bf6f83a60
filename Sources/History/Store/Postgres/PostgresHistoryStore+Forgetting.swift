public import Wire

extension PostgresHistoryStore {
    /// Notes what is to be forgotten; see `HistoryStore.begin`.
    public func begin(_ forgettings: [Forgetting], person: String?) async throws(HistoryError) -> [Forgetting] {
        let root = root
        return try await write { session in
            if let person { try Self.forget(person: person, session) }
            return try forgettings.map { forgetting in
                var forgetting = forgetting
                let name = PostgresValue.text(forgetting.device.description)
                if forgetting.isWhole {
                    try session.execute("DELETE FROM forgettings WHERE device = $1 AND root = $2", [name, .text(root)])
                }
                forgetting.id = try session.query(
                    """
                    INSERT INTO forgettings (root, device, from_minute, to_minute, is_whole) VALUES ($1, $2, $3, $4, $5)
                    RETURNING id
                    """,
                    [
                        .text(root), name, .int(forgetting.minutes.lowerBound), .int(forgetting.minutes.upperBound),
                        .bool(forgetting.isWhole),
                    ]
                ).first?.int(0)
                return forgetting
            }
        }
    }

    private static func forget(person: String, _ session: PostgresSession) throws {
        try session.lock(.newcomers)
        _ = try session.query(
            """
            SELECT id FROM devices WHERE person = $1 OR name IN (SELECT device FROM assignments WHERE person = $1)
            ORDER BY name FOR UPDATE
            """, [.text(person)])
        try session.execute("DELETE FROM assignments WHERE person = $1", [.text(person)])
        try session.execute("UPDATE devices SET person = NULL WHERE person = $1", [.text(person)])
    }

    /// What was begun and not ended on this bus; see `HistoryStore.forgettings`.
    public func forgettings(limit: Int) async throws(HistoryError) -> [Forgetting] {
        let root = root
        return try await read { session in
            try session.query(
                "SELECT \(Forgetting.columns) FROM forgettings WHERE root = $1 ORDER BY id LIMIT $2",
                [.text(root), .int(Int64(limit))]
            ).map { row -> Forgetting? in
                guard let device = try? DeviceID(row.text(1)) else { return nil }
                let (first, end) = (try row.int(2), try row.int(3))
                var forgetting = Forgetting(device: device, minutes: first..<max(first, end), isWhole: try row.bool(4))
                forgetting.id = try row.int(0)
                forgetting.isDone = try row.bool(5)
                return forgetting
            }.compactMap { $0 }
        }
    }

    /// Notes that this store has forgotten it; see `HistoryStore.noteDone`.
    public func noteDone(_ forgetting: Forgetting) async throws(HistoryError) {
        try await write { session in
            _ = try session.execute(
                "UPDATE forgettings SET is_done = true WHERE id = $1", [.int(forgetting.id ?? 0)])
        }
    }

    /// Notes that there is nothing left to do; see `HistoryStore.end`.
    public func end(_ forgetting: Forgetting) async throws(HistoryError) {
        try await write { session in
            _ = try session.execute("DELETE FROM forgettings WHERE id = $1", [.int(forgetting.id ?? 0)])
        }
    }

    /// Deletes some of the minutes and hours of a device; see `HistoryStore.deleteSome`.
    public func deleteSome(of device: DeviceID) async throws(HistoryError) -> Int {
        try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(device)
            guard let (id, _) = tables.devices[device] else { return 0 }
            for table in ["minutes", "hours"] {
                let deleted = try session.execute(
                    """
                    DELETE FROM \(table) WHERE device = $1 AND minute <= (SELECT max(minute) FROM
                    (SELECT minute FROM \(table) WHERE device = $1 ORDER BY minute LIMIT $2) AS oldest)
                    """, [.int(id), .int(Int64(Self.rowsATransaction))])
                if deleted > 0 { return deleted }
            }
            return 0
        }
    }

    /// Deletes what is left of a device; see `HistoryStore.deleteRest`.
    public func deleteRest(of device: DeviceID) async throws(HistoryError) {
        try await write { session in
            var tables = PostgresTables(session)
            try tables.lock(device)
            if let (id, _) = tables.devices[device] {
                for table in ["minutes", "hours", "days", "day_peaks", "total_peaks"] {
                    try session.execute("DELETE FROM \(table) WHERE device = $1", [.int(id)])
                }
                try session.execute("DELETE FROM devices WHERE id = $1", [.int(id)])
            }
            for table in ["leases", "assignments"] {
                try session.execute("DELETE FROM \(table) WHERE device = $1", [.text(device.description)])
            }
        }
    }

    /// Empties the first minutes of a range; see `HistoryStore.eraseSome`. Rows stay, with their revisions: when the
    /// counter sends them again they are known.
    public func eraseSome(
        of device: DeviceID, in range: Range<Int64>
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
            for table in ["day_peaks", "total_peaks"] {
                try session.execute("DELETE FROM \(table) WHERE device = $1", [.int(id)])
            }
            return (count, count < Self.rowsATransaction ? range.upperBound : last + 1)
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
