import GRDB
import History
import Postgres

/// Makes the days of years in the database itself, straight into its table and some devices to a transaction: days come
/// to be by commits, one a device and day, and here only their number matters. What they hold follows from the seed.
struct DayMaker {
    let load: LoadOptions

    /// How many devices are filled in one transaction.
    static let devicesATransaction = 100

    private static let columns = """
        device, date, zone, start_minute, end_minute, steps, revolutions, distance_mm, active_ms, covered_ms, revision
        """

    /// The values of a row, from `id` and `date`; both databases understand it.
    private var values: String {
        let number = "(id * 7919 + date * 104729 + \(load.seed % 1_000_000))"
        return """
            id, date, 'UTC', date * 1440, date * 1440 + 1440, \(number) % 14000, 0, \(number) % 14000 * 750,
            \(number) % 9000000, 50400000 + \(number) % 7200000, id + date
            """
    }

    /// Fills the table of a file; the store may be open.
    func make(inFile path: String) async throws -> LoadOptions.Taken {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        let (values, dates) = (values, load.dayNumbers)
        let ids = try await queue.read { db in
            try Int64.fetchAll(db, sql: "SELECT id FROM devices WHERE name LIKE 'device-%' ORDER BY id")
        }
        return try await take(ids) { first, last in
            try await queue.write { db in
                try db.execute(
                    sql: """
                        WITH RECURSIVE dates (date) AS (
                            SELECT ?1 UNION ALL SELECT date + 1 FROM dates WHERE date + 1 < ?2)
                        INSERT OR IGNORE INTO days (\(Self.columns))
                        SELECT \(values) FROM devices CROSS JOIN dates WHERE id BETWEEN ?3 AND ?4
                        """, arguments: [dates.lowerBound, dates.upperBound, first, last])
                return db.changesCount
            }
        }
    }

    /// Fills the table of a server.
    func make(on pool: PostgresPool) async throws -> LoadOptions.Taken {
        let (values, dates) = (values, load.dayNumbers)
        let ids = try await pool.statements { session in
            try session.query("SELECT id FROM stridebus.devices WHERE name LIKE 'device-%' ORDER BY id").map {
                try $0.int(0)
            }
        }
        let taken = try await take(ids) { first, last in
            try await pool.statements { session in
                try session.execute(
                    """
                    INSERT INTO stridebus.days (\(Self.columns))
                    SELECT \(values) FROM stridebus.devices CROSS JOIN generate_series($1::bigint, $2::bigint - 1) AS dates (date)
                    WHERE id BETWEEN $3 AND $4 ON CONFLICT DO NOTHING
                    """, [.int(dates.lowerBound), .int(dates.upperBound), .int(first), .int(last)])
            }
        }
        try await pool.statements { try $0.run("VACUUM ANALYZE stridebus.days") }
        return taken
    }

    private func take(
        _ ids: [Int64], _ make: (_ first: Int64, _ last: Int64) async throws -> Int
    ) async throws -> LoadOptions.Taken {
        var taken = LoadOptions.Taken()
        let start = ContinuousClock.now
        for index in stride(from: 0, to: ids.count, by: Self.devicesATransaction) {
            let end = min(index + Self.devicesATransaction, ids.count)
            taken.rows += try await make(ids[index], ids[end - 1])
        }
        taken.seconds = Stopwatch.seconds(since: start)
        return taken
    }
}
