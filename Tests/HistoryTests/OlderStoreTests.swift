import GRDB
import History
import PrivatePostgres
import Testing
import Wire

@Suite("Tables of an older stridebus", .timeLimit(.minutes(5)))
struct OlderStoreTests {
    let bike: DeviceID
    let folder: TemporaryFolder
    static let day: Int64 = 20_777
    static let minute = day * 1440 + 600

    init() throws {
        bike = try DeviceID("bike-07")
        folder = try TemporaryFolder()
    }

    @Test("They are brought up to date: totals, days, what was published, and erasures not told yet stay")
    func sqlite() async throws {
        try await make(version: 10)
        let store = try folder.store()
        try await check(store)
        #expect(
            try await store.unsentErasures().map(\.command) == [
                CountsForget(device: bike, minutes: 5..<9, isWhole: false)
            ])
        await store.close()
        // Once is enough.
        let again = try folder.store()
        #expect(again.openingNote == nil)
        try await check(again)
        await again.close()
    }

    @Test(
        "So are those on a server", .enabled(if: PrivatePostgres.isInstalled, "\(PrivatePostgres.missing)"))
    func postgres() async throws {
        let pool = PostgresPool(try await folder.address(), applicationName: "tests", limits: .few)
        try await pool.statements { session in
            try session.run(
                script: """
                    CREATE SCHEMA stridebus; SET search_path = stridebus;
                    CREATE TABLE versions (version bigint PRIMARY KEY);
                    INSERT INTO versions VALUES (1), (2), (3), (4), (5);
                    \(Self.tables(int: "bigint", real: "double precision", bool: "boolean", root: "root text NOT NULL,"))
                    PARTITION BY RANGE (minute);
                    CREATE TABLE minutes_2026_11 PARTITION OF minutes FOR VALUES FROM (29908800) TO (29952000);
                    \(Self.rows(isFalse: "false", root: "'stride', "))
                    """)
        }
        await pool.close()
        let store = try await folder.store(.postgres)
        try await check(store)
        #expect(try await store.unsentErasures().map(\.minutes) == [5..<9])
        await store.close()
    }

    @Test("Those of a version that cannot be brought up to date are refused with a line that says what to do")
    func tooOld() async throws {
        try await make(version: 7)
        let path = SQLiteDatabase.path(in: folder.path)
        let error = #expect(throws: HistoryError.olderSchema(path: path)) { try folder.store() }
        #expect(error?.description.contains("too old") == true)
    }

    private func check(_ store: HistoryStore) async throws {
        let snapshot = try #require(try await store.snapshot(of: bike))
        #expect(snapshot.record.counts.revolutions == 40)
        #expect(snapshot.record.published?.revolutions == 50)
        #expect(snapshot.days.map(\.counts.revolutions) == [40])
        #expect(snapshot.days.first?.published?.revolutions == 45)
        #expect(try await store.sums(of: bike, in: [0..<Self.minute + 1]).map(\.counts.revolutions) == [40])
        // The counters are asked for everything that they have.
        #expect(try await store.cursors().isEmpty)
        var row = MinuteTotals(device: bike, minute: Self.minute, epoch: 1, revision: 2)
        row.revolutions = 40
        #expect(try await store.keep([row]).appliedRows <= 1)
        #expect(try await store.device(bike)?.counts.revolutions == 40)
    }

    private func make(version: Int) async throws {
        let queue = try DatabaseQueue(path: SQLiteDatabase.path(in: folder.path))
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    CREATE TABLE state (id INTEGER PRIMARY KEY, is_open INTEGER NOT NULL, identity INTEGER NOT NULL);
                    INSERT INTO state VALUES (0, 0, 77);
                    \(Self.tables(int: "INTEGER", real: "REAL", bool: "INTEGER", root: ""));
                    \(Self.rows(isFalse: "0", root: ""))
                    """)
            for number in 1...version {
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: ["\(number)"])
            }
        }
        try queue.close()
    }

    /// The tables of the last release that had a schema a database; that of minutes is the last, unended.
    private static func tables(int: String, real: String, bool: String, root: String) -> String {
        let counts = """
            steps \(int) NOT NULL DEFAULT 0, revolutions \(int) NOT NULL DEFAULT 0, distance_mm \(int) NOT NULL DEFAULT 0,
            active_ms \(int) NOT NULL DEFAULT 0, covered_ms \(int) NOT NULL DEFAULT 0, floors_up \(int), floors_down \(int)
            """
        let sums = """
            \(counts), cadence_integral \(real) NOT NULL DEFAULT 0, cadence_s \(int) NOT NULL DEFAULT 0,
            cadence_min \(real) NOT NULL DEFAULT 0, cadence_max \(real) NOT NULL DEFAULT 0,
            unknown_ms \(int) NOT NULL DEFAULT 0, stationary_ms \(int) NOT NULL DEFAULT 0,
            walking_ms \(int) NOT NULL DEFAULT 0, running_ms \(int) NOT NULL DEFAULT 0,
            cycling_ms \(int) NOT NULL DEFAULT 0, automotive_ms \(int) NOT NULL DEFAULT 0
            """
        return """
            CREATE TABLE devices (
                id \(int) PRIMARY KEY, name text NOT NULL UNIQUE, kind text NOT NULL DEFAULT 'unknown', placement text,
                zone text, day_start_min \(int) NOT NULL DEFAULT 0, first_minute \(int), last_minute \(int), \(counts),
                revision \(int) NOT NULL DEFAULT 0, knows_step_length \(bool) NOT NULL, knows_revolution_length \(bool)
                NOT NULL, person text, compacted_minute \(int) NOT NULL DEFAULT 0);
            CREATE TABLE hours (device \(int) NOT NULL, minute \(int) NOT NULL, \(sums), PRIMARY KEY (device, minute));
            CREATE TABLE days (
                device \(int) NOT NULL, date \(int) NOT NULL, zone text NOT NULL, start_minute \(int) NOT NULL,
                end_minute \(int) NOT NULL, \(counts), revision \(int) NOT NULL, PRIMARY KEY (device, date));
            CREATE TABLE day_peaks (device \(int) PRIMARY KEY, date \(int) NOT NULL, \(counts));
            CREATE TABLE total_peaks (device \(int) PRIMARY KEY, \(counts));
            CREATE TABLE chains (epoch \(int), partition \(int), revision \(int), heard_s \(int));
            INSERT INTO chains VALUES (1, 3, 9, 9);
            CREATE TABLE leases (id \(int) PRIMARY KEY);
            CREATE TABLE assignments (
                id \(int) PRIMARY KEY, person text NOT NULL, device text NOT NULL, from_minute \(int) NOT NULL,
                to_minute \(int) NOT NULL, origin \(int) NOT NULL, priority \(int));
            CREATE TABLE forgettings (
                id \(int) PRIMARY KEY, \(root) device text NOT NULL, from_minute \(int) NOT NULL,
                to_minute \(int) NOT NULL, is_whole \(bool) NOT NULL, is_done \(bool) NOT NULL);
            CREATE TABLE minutes (
                device \(int) NOT NULL, minute \(int) NOT NULL, epoch \(int) NOT NULL, revision \(int) NOT NULL, \(sums),
                PRIMARY KEY (device, minute, epoch))
            """
    }

    private static func rows(isFalse: String, root: String) -> String {
        """
        INSERT INTO devices (id, name, first_minute, last_minute, revolutions, knows_step_length, knows_revolution_length)
        VALUES (1, 'bike-07', \(minute), \(minute), 40, \(isFalse), \(isFalse));
        INSERT INTO minutes (device, minute, epoch, revision, revolutions) VALUES (1, \(minute), 1, 1, 40);
        INSERT INTO days (device, date, zone, start_minute, end_minute, revolutions, revision)
        VALUES (1, \(day), 'UTC', \(day * 1440), \(day * 1440 + 1440), 40, 1);
        INSERT INTO day_peaks (device, date, revolutions) VALUES (1, \(day), 45);
        INSERT INTO total_peaks (device, revolutions) VALUES (1, 50);
        INSERT INTO forgettings VALUES (1, \(root)'bike-07', 5, 9, \(isFalse), \(isFalse))
        """
    }
}
