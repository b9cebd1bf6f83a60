import Wire

/// The tables of both databases.
///
/// Counts are whole numbers of the smallest unit (milliseconds, millimetres), so that sums are exact in any order.
/// Epochs are 64-bit patterns and may look negative. Minutes and dates count from 1970, UTC. A device or a person is a
/// subject, known by a number within the tables; assignments and erasures name them, because they outlive or precede it.
struct StoreSchema: Sendable {
    /// The SQL words that differ between the databases.
    var int = "INTEGER"
    var real = "REAL"
    var bool = "INTEGER"
    var bytes = "BLOB"
    /// A text that is looked up by order: by its bytes.
    var name = "TEXT"
    var identity = "INTEGER PRIMARY KEY AUTOINCREMENT"
    /// The clause after a table with a key of its own.
    var table = "STRICT"
    /// The clause after a table with a key of several columns.
    var keyed = "STRICT, WITHOUT ROWID"
    /// The clauses after tables whose rows change often, with a key of one column and of several.
    var changing = "STRICT"
    var keyedChanging = "STRICT, WITHOUT ROWID"

    static let sqlite = StoreSchema()

    static let postgres = StoreSchema(
        int: "bigint", real: "double precision", bool: "boolean", bytes: "bytea", name: #"text COLLATE "C""#,
        identity: "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", table: "", keyed: "",
        changing: "WITH (fillfactor = 70)", keyedChanging: "WITH (fillfactor = 70)")

    /// The version of these tables.
    static let version: Int64 = 41

    /// Makes the tables where there are none.
    /// - Parameter hasTables: Whether there are any, of whatever version.
    /// - Throws: `HistoryError.otherSchema` for tables of another version.
    func make(_ session: any SQLSession, path: String, hasTables: Bool) throws {
        try session.run(script: "CREATE TABLE IF NOT EXISTS schema_version (version \(int) NOT NULL)")
        let version = try Self.version(session)
        guard version != Self.version else { return }
        guard version == 0, !hasTables else { throw HistoryError.otherSchema(path: path) }
        try session.run(script: everything)
        try session.change("INSERT INTO schema_version VALUES ($1)", [.int(Self.version)])
    }

    /// The version of the tables that are there; 0 for none.
    static func version(_ session: any SQLSession) throws -> Int64 {
        try session.number("SELECT max(version) FROM schema_version") ?? 0
    }

    private func numbers(_ amounts: [Amount]) -> String {
        amounts.map { "\($0.row.column) \(int)\($0.row.knownBy == nil ? " NOT NULL DEFAULT 0" : "")" }
            .joined(separator: ", ")
    }

    private var counts: String { numbers(Amount.ofDays) }

    private func rates(_ prefixes: String...) -> String { prefixes.map(rate).joined(separator: ", ") }

    private func rate(_ prefix: String) -> String {
        """
        \(prefix)_integral \(real) NOT NULL DEFAULT 0, \(prefix)_s \(int) NOT NULL DEFAULT 0,
        \(prefix)_min \(real) NOT NULL DEFAULT 0, \(prefix)_max \(real) NOT NULL DEFAULT 0
        """
    }

    private var activities: String { numbers(Amount.activities) }

    /// A person's rows are merged from those of the devices that `assignments` give to the person. `due` has the stretches of
    /// which the minutes are to be made anew: a person's merged, a device's claimed by its words. Of days whose
    /// minutes are gone `minutes` has what they come to, as a few rows. `users` has the roles that
    /// operators have given, `profiles` what people said of themselves. `workout_marks` are the edges of workouts that somebody
    /// has set, `workout_notes` their titles, the seconds by which they were told, and the end that was. `gone` are subjects that
    /// are no more, and of whom the broker may still retain something. `classes` are what they were to be, `class_results` what
    /// riders did in those whose seconds may be gone.
    private var everything: String {
        """
        CREATE TABLE subjects (
            id \(identity), is_person \(bool) NOT NULL, name \(name) NOT NULL, kind text NOT NULL DEFAULT 'unknown',
            placement text, zone text, day_start_min \(int) NOT NULL DEFAULT 0,
            knows_step_length \(bool) NOT NULL DEFAULT \(no), knows_revolution_length \(bool) NOT NULL DEFAULT \(no),
            person \(name), first_minute \(int), last_minute \(int),
            compacted_minute \(int) NOT NULL DEFAULT 0, traces_minute \(int) NOT NULL DEFAULT 0,
            words_end_minute \(int) NOT NULL DEFAULT 0, \(counts), revision \(int) NOT NULL DEFAULT 0,
            published text, UNIQUE (is_person, name)
        ) \(changing);
        CREATE TABLE minutes (
            subject \(int) NOT NULL, minute \(int) NOT NULL, epoch \(int) NOT NULL, revision \(int) NOT NULL, \(counts),
            \(rates("cadence", "heart", "power")), \(activities), trace \(bytes), PRIMARY KEY (subject, minute, epoch)
        ) \(keyedChanging);
        CREATE TABLE words (
            device \(int) NOT NULL, is_long \(int) NOT NULL, start_us \(int) NOT NULL, end_us \(int) NOT NULL,
            micro_steps \(int) NOT NULL, um_per_step \(int) NOT NULL, epoch \(int) NOT NULL, revision \(int) NOT NULL,
            PRIMARY KEY (device, is_long, start_us, end_us)
        ) \(keyed);
        CREATE TABLE days (
            subject \(int) NOT NULL, date \(int) NOT NULL, zone text NOT NULL, start_minute \(int) NOT NULL,
            end_minute \(int) NOT NULL, \(counts), revision \(int) NOT NULL, published text, PRIMARY KEY (subject, date)
        ) \(keyedChanging);
        CREATE TABLE assignments (
            id \(identity), person \(name) NOT NULL, device \(name) NOT NULL, from_minute \(int) NOT NULL,
            to_minute \(int) NOT NULL, origin \(int) NOT NULL, team text
        ) \(table);
        CREATE INDEX assignments_by_person ON assignments (person, to_minute);
        CREATE INDEX assignments_by_device ON assignments (device, to_minute);
        CREATE TABLE due (
            id \(identity), is_person \(bool) NOT NULL, name \(name) NOT NULL, from_minute \(int) NOT NULL,
            to_minute \(int) NOT NULL, UNIQUE (is_person, name, from_minute, to_minute)
        ) \(table);
        CREATE TABLE chains (epoch \(int) NOT NULL PRIMARY KEY, revision \(int) NOT NULL, heard_s \(int) NOT NULL)
        \(changing);
        CREATE TABLE erasures (
            id \(identity), device text NOT NULL, from_minute \(int) NOT NULL, to_minute \(int) NOT NULL,
            is_whole \(bool) NOT NULL, is_told \(bool) NOT NULL DEFAULT \(no)
        ) \(table);
        CREATE INDEX erasures_by_device ON erasures (device);
        CREATE INDEX erasures_untold ON erasures (id) WHERE NOT is_told;
        CREATE TABLE users (name \(name) NOT NULL PRIMARY KEY, role text NOT NULL, person \(name)) \(keyed);
        CREATE TABLE gone (is_person \(bool) NOT NULL, name \(name) NOT NULL, PRIMARY KEY (is_person, name)) \(keyed);
        CREATE TABLE profiles (
            person \(name) NOT NULL PRIMARY KEY, alias \(name), weight_g \(int), born \(int), sex text,
            steps_per_day \(int), active_min_per_week \(int), rides_per_week \(int), week_starts text
        ) \(keyed);
        CREATE TABLE workout_marks (
            is_person \(bool) NOT NULL, name \(name) NOT NULL, second \(int) NOT NULL, kind text NOT NULL,
            PRIMARY KEY (is_person, name, second, kind)
        ) \(keyed);
        CREATE TABLE workout_notes (
            is_person \(bool) NOT NULL, name \(name) NOT NULL, second \(int) NOT NULL, title text, kind text,
            deleted \(int), said_s \(int), ended_s \(int), PRIMARY KEY (is_person, name, second)
        ) \(keyed);
        CREATE TABLE classes (
            id \(identity), start_s \(int) NOT NULL, end_s \(int) NOT NULL, plan text NOT NULL,
            devices text, is_settled \(bool) NOT NULL DEFAULT \(no)
        ) \(table);
        CREATE INDEX classes_by_start ON classes (start_s);
        CREATE TABLE class_results (
            class \(int) NOT NULL, device \(name) NOT NULL, from_s \(int) NOT NULL, person \(name), team text,
            revolutions \(int) NOT NULL, target_s \(int) NOT NULL, distance_mm \(int) NOT NULL, work_j \(int),
            PRIMARY KEY (class, device, from_s)
        ) \(keyed)
        """
    }

    private var no: String { int == "INTEGER" ? "0" : "false" }
}
