import GRDB
import History

/// Rows that the database itself makes, straight into a table and some devices to a transaction: they came to be by
/// commits, and here only their number matters. What they hold follows from the seed.
struct TableFill {
    let table: String
    let columns: String
    /// The values of a row, from `id` and `number`; both databases understand it.
    let values: String
    /// Which numbers have a row, as a condition.
    let condition: String
    /// How the names of the devices begin.
    let devices: String
    /// The days or minutes of each device.
    let numbers: Range<Int64>
    /// How many devices are filled in one transaction.
    let devicesATransaction: Int

    /// Days of years: a commit a day makes them.
    static func days(_ load: LoadOptions) -> TableFill {
        let drawn = "(id * 7919 + number * 104729 + \(load.seed % 1_000_000))"
        return TableFill(
            table: "days",
            columns: """
                subject, date, zone, start_minute, end_minute, steps, revolutions, distance_mm, active_ms, covered_ms,
                revision
                """,
            values: """
                id, number, 'UTC', number * 1440, number * 1440 + 1440, \(drawn) % 14000, 0, \(drawn) % 14000 * 750,
                \(drawn) % 9000000, 50400000 + \(drawn) % 7200000, id + number
                """, condition: "true", devices: "device-", numbers: load.dayNumbers, devicesATransaction: 100)
    }

    /// The minutes of each day beyond those that were committed.
    static func minutes(_ load: LoadOptions) -> TableFill {
        let drawn = "((id * 7919 + number * 104729 + \(load.seed % 1_000_000)) % 140)"
        return TableFill(
            table: "minutes",
            columns: """
                subject, minute, epoch, revision, steps, revolutions, distance_mm, active_ms, covered_ms,
                cadence_integral, cadence_s, cadence_min, cadence_max, unknown_ms, stationary_ms, walking_ms, running_ms,
                cycling_ms, automotive_ms
                """,
            values: """
                id, number, 1, number, \(drawn), 0, \(drawn) * 750, \(drawn) * 400, 60000, \(drawn) * 60, 60, 80, 130,
                0, 0, \(drawn) * 400, 0, 0, 0
                """, condition: "(number + \(1440 - LoadOptions.firstMinuteOfDay)) % 1440 < \(load.minutesADay)",
            devices: "minutes-", numbers: load.minuteNumbers, devicesATransaction: 1)
    }

    /// Fills the table of a file; the store may be open.
    func make(inFile path: String) async throws -> LoadOptions.Taken {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        let ids = try await queue.read { [devices] db in
            try Int64.fetchAll(db, sql: "SELECT id FROM subjects WHERE name LIKE '\(devices)%' ORDER BY id")
        }
        return try await take(ids) { [self] first, last in
            try await queue.write { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE numbers (number) AS (
                            SELECT ?1 UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < ?2)
                        INSERT OR IGNORE INTO \(table) (\(columns))
                        SELECT \(values) FROM subjects CROSS JOIN numbers WHERE id BETWEEN ?3 AND ?4 AND \(condition)
                        """, arguments: [numbers.lowerBound, numbers.upperBound, first, last])
                return db.changesCount
            }
        }
    }

    /// Fills the table of a server.
    func make(on pool: PostgresPool) async throws -> LoadOptions.Taken {
        let ids = try await pool.statements { [devices] session in
            try session.query("SELECT id FROM stridebus.subjects WHERE name LIKE '\(devices)%' ORDER BY id").map {
                row in
                var row = row
                return try row.int()
            }
        }
        let taken = try await take(ids) { [self] first, last in
            try await pool.statements { session in
                try session.change(
                    """
                    INSERT INTO stridebus.\(table) (\(columns)) SELECT \(values) FROM stridebus.subjects
                    CROSS JOIN generate_series($1::bigint, $2::bigint - 1) AS numbers (number)
                    WHERE id BETWEEN $3 AND $4 AND \(condition) ON CONFLICT DO NOTHING
                    """, [.int(numbers.lowerBound), .int(numbers.upperBound), .int(first), .int(last)])
            }
        }
        try await pool.statements { [table] in try $0.run(script: "VACUUM ANALYZE stridebus.\(table)") }
        return taken
    }

    private func take(
        _ ids: [Int64], _ make: (_ first: Int64, _ last: Int64) async throws -> Int
    ) async throws -> LoadOptions.Taken {
        var taken = LoadOptions.Taken()
        let start = ContinuousClock.now
        for index in stride(from: 0, to: ids.count, by: devicesATransaction) {
            let end = min(index + devicesATransaction, ids.count)
            taken.rows += try await make(ids[index], ids[end - 1])
        }
        taken.seconds = start.duration(to: .now) / .seconds(1)
        return taken
    }
}
