/// The tables of both databases, and how those of an older stridebus become the present ones.
///
/// Counts are whole numbers of the smallest unit (milliseconds, millimetres), so that sums are exact in any order.
/// Epochs are 64-bit patterns and may look negative. Minutes and dates count from 1970, UTC. Devices are known by a
/// number within the tables; assignments and erasures name them, because they outlive or precede a device.
struct StoreSchema: Sendable {
    /// The SQL words that differ between the databases.
    var int = "INTEGER"
    var real = "REAL"
    var bool = "INTEGER"
    /// A text that is looked up by order: by its bytes.
    var name = "TEXT"
    var identity = "INTEGER PRIMARY KEY"
    /// The clause after a table with a key of its own, and after one with a key of several columns.
    var (table, keyed) = ("STRICT", "STRICT, WITHOUT ROWID")
    /// The clause after a table whose rows change often.
    var changing = "STRICT"
    /// The clause after the table of minutes.
    var minutes = "STRICT, WITHOUT ROWID"

    static let sqlite = StoreSchema()

    /// Minutes are partitioned by the month of UTC, so that a month beyond the retention is cheap to look past.
    static let postgres = StoreSchema(
        int: "bigint", real: "double precision", bool: "boolean", name: #"text COLLATE "C""#,
        identity: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", table: "", keyed: "",
        changing: "WITH (fillfactor = 70)", minutes: "PARTITION BY RANGE (minute)")

    /// The version of these tables.
    static let version: Int64 = 20

    private init(
        int: String, real: String, bool: String, name: String, identity: String, table: String, keyed: String,
        changing: String, minutes: String
    ) {
        (self.int, self.real, self.bool, self.name, self.identity) = (int, real, bool, name, identity)
        (self.table, self.keyed, self.changing, self.minutes) = (table, keyed, changing, minutes)
    }

    private init() {}

    /// Makes the tables, or brings them to the present version.
    /// - Parameters:
    ///   - legacy: The version by the count of the release before the tables were shared, 0 for none.
    ///   - upgradable: The legacy versions that can be brought up to date.
    /// - Throws: `HistoryError.newerSchema`, `HistoryError.olderSchema`.
    func migrate(
        _ session: any SQLSession, path: String, legacy: Int64, upgradable: ClosedRange<Int64>
    ) throws {
        try session.run(script: "CREATE TABLE IF NOT EXISTS schema_version (version \(int) NOT NULL)")
        var row = try session.query("SELECT coalesce(max(version), 0) FROM schema_version").first
        let version = try row?.int() ?? 0
        guard version <= Self.version, legacy <= upgradable.upperBound else {
            throw HistoryError.newerSchema(path: path)
        }
        guard version < Self.version else { return }
        if legacy == 0 {
            try session.run(script: everything)
        } else {
            guard upgradable.contains(legacy) else { throw HistoryError.olderSchema(path: path) }
            try session.run(script: upgrade)
        }
        try session.change("INSERT INTO schema_version VALUES ($1)", [.int(Self.version)])
    }

    /// The version of the tables that are there; 0 for none.
    static func version(_ session: any SQLSession) throws -> Int64 {
        var row = try session.query("SELECT coalesce(max(version), 0) FROM schema_version").first
        return try row?.int() ?? 0
    }

    private var counts: String {
        """
        steps \(int) NOT NULL DEFAULT 0, revolutions \(int) NOT NULL DEFAULT 0,
        distance_mm \(int) NOT NULL DEFAULT 0, active_ms \(int) NOT NULL DEFAULT 0,
        covered_ms \(int) NOT NULL DEFAULT 0, floors_up \(int), floors_down \(int)
        """
    }

    private var sums: String {
        """
        \(counts), cadence_integral \(real) NOT NULL, cadence_s \(int) NOT NULL, cadence_min \(real) NOT NULL,
        cadence_max \(real) NOT NULL, unknown_ms \(int) NOT NULL, stationary_ms \(int) NOT NULL,
        walking_ms \(int) NOT NULL, running_ms \(int) NOT NULL, cycling_ms \(int) NOT NULL,
        automotive_ms \(int) NOT NULL
        """
    }

    private var everything: String {
        """
        CREATE TABLE devices (
            id \(identity), name \(name) NOT NULL UNIQUE, kind text NOT NULL DEFAULT 'unknown', placement text, zone text,
            day_start_min \(int) NOT NULL DEFAULT 0, knows_step_length \(bool) NOT NULL DEFAULT \(no),
            knows_revolution_length \(bool) NOT NULL DEFAULT \(no), person \(name),
            first_minute \(int), last_minute \(int), compacted_minute \(int) NOT NULL DEFAULT 0, \(counts),
            revision \(int) NOT NULL DEFAULT 0, published text
        ) \(changing);
        CREATE TABLE minutes (
            device \(int) NOT NULL, minute \(int) NOT NULL, epoch \(int) NOT NULL, revision \(int) NOT NULL, \(sums),
            PRIMARY KEY (device, minute, epoch)
        ) \(minutes);
        CREATE TABLE hours (
            device \(int) NOT NULL, minute \(int) NOT NULL, \(sums), PRIMARY KEY (device, minute)
        ) \(keyed);
        CREATE TABLE days (
            device \(int) NOT NULL, date \(int) NOT NULL, zone text NOT NULL, start_minute \(int) NOT NULL,
            end_minute \(int) NOT NULL, \(counts), revision \(int) NOT NULL, published text, PRIMARY KEY (device, date)
        ) \(keyed);
        CREATE TABLE assignments (
            id \(identity), person \(name) NOT NULL, device text NOT NULL, from_minute \(int) NOT NULL,
            to_minute \(int) NOT NULL, origin \(int) NOT NULL, priority \(int)
        ) \(table);
        CREATE INDEX assignments_by_person ON assignments (person, from_minute);
        CREATE INDEX assignments_by_device ON assignments (device, from_minute);
        \(chainsAndErasures)
        """
    }

    private var chainsAndErasures: String {
        """
        CREATE TABLE chains (epoch \(int) NOT NULL PRIMARY KEY, revision \(int) NOT NULL, heard_s \(int) NOT NULL)
        \(changing);
        CREATE TABLE erasures (
            id \(identity), root text NOT NULL, device text NOT NULL, from_minute \(int) NOT NULL,
            to_minute \(int) NOT NULL, is_whole \(bool) NOT NULL, is_told \(bool) NOT NULL DEFAULT \(no)
        ) \(table);
        CREATE INDEX erasures_by_device ON erasures (device)
        """
    }

    /// From tables that had a chain a partition, leases, and the greatest totals in tables of their own.
    private var upgrade: String {
        """
        ALTER TABLE days ADD COLUMN published text;
        ALTER TABLE devices ADD COLUMN published text;
        UPDATE days SET published = (SELECT \(Self.published) FROM day_peaks
            WHERE day_peaks.device = days.device AND day_peaks.date = days.date);
        UPDATE devices SET published = (SELECT \(Self.published) FROM total_peaks WHERE total_peaks.device = devices.id);
        DROP TABLE day_peaks; DROP TABLE total_peaks; DROP TABLE leases; DROP TABLE chains;
        ALTER TABLE forgettings RENAME TO old_erasures;
        \(chainsAndErasures);
        INSERT INTO erasures (root, device, from_minute, to_minute, is_whole)
        SELECT \(isSQLite ? "''" : "root"), device, from_minute, to_minute, is_whole FROM old_erasures ORDER BY id;
        DROP TABLE old_erasures
        """
    }

    private var isSQLite: Bool { int == "INTEGER" }
    private var no: String { isSQLite ? "0" : "false" }

    /// The text of `Counts.text`.
    private static let published = """
        steps || ' ' || revolutions || ' ' || distance_mm || ' ' || active_ms || ' ' || covered_ms || ' ' ||
        coalesce(CAST(floors_up AS text), '-') || ' ' || coalesce(CAST(floors_down AS text), '-')
        """
}
