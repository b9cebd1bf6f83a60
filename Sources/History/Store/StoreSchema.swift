/// The tables of both databases.
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
    /// The clause after a table with a key of its own.
    var table = "STRICT"
    /// The clause after a table with a key of several columns.
    var keyed = "STRICT, WITHOUT ROWID"
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
    static let version: Int64 = 23

    /// Makes the tables where there are none.
    /// - Parameter hasTables: Whether there are any, of whatever version.
    /// - Throws: `HistoryError.otherSchema` for tables of another version.
    func make(_ session: any SQLSession, path: String, hasTables: Bool) throws {
        try session.run(script: "CREATE TABLE IF NOT EXISTS schema_version (version \(int) NOT NULL)")
        let version = try Self.version(session)
        guard version != Self.version else { return }
        guard version == 0, !hasTables else { throw HistoryError.otherSchema(path: path) }
        try session.run(script: everything)
        try session.run(script: usersAndPeople)
        try session.run(script: personDays)
        try session.change("INSERT INTO schema_version VALUES ($1)", [.int(Self.version)])
    }

    /// The version of the tables that are there; 0 for none.
    static func version(_ session: any SQLSession) throws -> Int64 {
        try session.number("SELECT max(version) FROM schema_version") ?? 0
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
            first_minute \(int), last_minute \(int), compacted_minute \(int) NOT NULL DEFAULT 0,
            words_end_minute \(int) NOT NULL DEFAULT 0, \(counts),
            revision \(int) NOT NULL DEFAULT 0, published text
        ) \(changing);
        CREATE TABLE minutes (
            device \(int) NOT NULL, minute \(int) NOT NULL, epoch \(int) NOT NULL, revision \(int) NOT NULL, \(sums),
            PRIMARY KEY (device, minute, epoch)
        ) \(minutes);
        CREATE TABLE words (
            device \(int) NOT NULL, is_long \(int) NOT NULL, start_us \(int) NOT NULL, end_us \(int) NOT NULL,
            micro_steps \(int) NOT NULL, um_per_step \(int) NOT NULL, epoch \(int) NOT NULL, revision \(int) NOT NULL,
            PRIMARY KEY (device, is_long, start_us, end_us)
        ) \(keyed);
        CREATE TABLE due_claims (device \(int) NOT NULL, day \(int) NOT NULL, PRIMARY KEY (device, day)) \(keyed);
        CREATE TABLE old_days (
            device \(int) NOT NULL, minute \(int) NOT NULL, \(sums), length \(int) NOT NULL,
            PRIMARY KEY (device, minute)
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
        CREATE TABLE chains (epoch \(int) NOT NULL PRIMARY KEY, revision \(int) NOT NULL, heard_s \(int) NOT NULL)
        \(changing);
        CREATE TABLE erasures (
            id \(identity), root text NOT NULL, device text NOT NULL, from_minute \(int) NOT NULL,
            to_minute \(int) NOT NULL, is_whole \(bool) NOT NULL, is_told \(bool) NOT NULL DEFAULT \(no)
        ) \(table);
        CREATE INDEX erasures_by_device ON erasures (device)
        """
    }

    /// `users` has the roles that operators have given, `people` how people are shown who said so.
    private var usersAndPeople: String {
        """
        CREATE TABLE users (name \(name) NOT NULL PRIMARY KEY, role text NOT NULL, person \(name)) \(keyed);
        CREATE TABLE people (person \(name) NOT NULL PRIMARY KEY, alias \(name), is_shown \(bool) NOT NULL) \(keyed)
        """
    }

    /// What is left of people's minutes; see `PersonDay`.
    private var personDays: String {
        func sums(_ prefix: String) -> String {
            CountSum.columns.map { column in
                let isReal = ["cadence_integral", "cadence_min", "cadence_max"].contains(column)
                return "\(prefix)\(column) \(isReal ? real : int)" + (column.hasPrefix("floors") ? "" : " NOT NULL")
            }.joined(separator: ", ")
        }
        return """
            CREATE TABLE person_days (
                person \(name) NOT NULL, device \(int) NOT NULL, start_minute \(int) NOT NULL,
                end_minute \(int) NOT NULL, \(sums("own_")), \(sums("taken_")),
                PRIMARY KEY (person, start_minute, device)
            ) \(keyed);
            CREATE INDEX person_days_by_device ON person_days (device, start_minute)
            """
    }

    private var isSQLite: Bool { int == "INTEGER" }
    private var no: String { isSQLite ? "0" : "false" }
}
