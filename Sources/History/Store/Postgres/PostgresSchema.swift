/// The tables on a server, and how older ones become newer ones.
///
/// They are those of the SQLite store, in a schema of their own; minutes are partitioned by the month of UTC, so that a
/// month beyond the retention is cheap to look past. Texts that are looked up by order compare as bytes, as in SQLite.
enum PostgresSchema {
    /// The schema of all tables.
    static let name = "stridebus"
    /// Each step is done once, in order; a step that was published is never changed.
    static let migrations: [(version: Int64, script: String)] = [
        (1, [devices, minutes, hours, days, dayPeaks, chains, leases, assignments].joined(separator: ";\n")),
        (2, identity),
        (3, floors),
        (4, forgettings),
        (5, totalPeaks),
        (6, chainsOfCounters),
    ]
    /// The newest version.
    static var version: Int64 { migrations.map(\.version).max() ?? 0 }

    /// What the locks of transactions are about; they are numbers in one space for each database.
    enum Lock: Int64 {
        /// Migrations.
        case schema = 0x7374_7264_0001
        /// New devices, and what is kept by the name of a device that is not there yet.
        case newcomers = 0x7374_7264_0002
        /// New partitions.
        case partitions = 0x7374_7264_0003
    }

    static let versions = """
        CREATE TABLE IF NOT EXISTS versions (
            version bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
        """

    private static let countColumns = """
        steps bigint NOT NULL DEFAULT 0, revolutions bigint NOT NULL DEFAULT 0,
        distance_mm bigint NOT NULL DEFAULT 0, active_ms bigint NOT NULL DEFAULT 0,
        covered_ms bigint NOT NULL DEFAULT 0
        """

    private static let sumColumns = """
        \(countColumns),
        cadence_integral double precision NOT NULL, cadence_s bigint NOT NULL, cadence_min double precision NOT NULL,
        cadence_max double precision NOT NULL, unknown_ms bigint NOT NULL, stationary_ms bigint NOT NULL,
        walking_ms bigint NOT NULL, running_ms bigint NOT NULL, cycling_ms bigint NOT NULL,
        automotive_ms bigint NOT NULL
        """

    private static let devices = """
        CREATE TABLE devices (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE,
            kind text NOT NULL DEFAULT 'unknown', placement text, zone text, day_start_min bigint NOT NULL DEFAULT 0,
            first_minute bigint, last_minute bigint, \(countColumns), revision bigint NOT NULL DEFAULT 0,
            knows_step_length boolean NOT NULL DEFAULT false, knows_revolution_length boolean NOT NULL DEFAULT false,
            person text COLLATE "C", compacted_minute bigint NOT NULL DEFAULT 0
        ) WITH (fillfactor = 70)
        """

    private static let minutes = """
        CREATE TABLE minutes (
            device bigint NOT NULL, minute bigint NOT NULL, epoch bigint NOT NULL, revision bigint NOT NULL,
            \(sumColumns), PRIMARY KEY (device, minute, epoch)
        ) PARTITION BY RANGE (minute)
        """

    private static let hours = """
        CREATE TABLE hours (
            device bigint NOT NULL, minute bigint NOT NULL, \(sumColumns), PRIMARY KEY (device, minute)
        )
        """

    private static let days = """
        CREATE TABLE days (
            device bigint NOT NULL, date bigint NOT NULL, zone text NOT NULL,
            start_minute bigint NOT NULL, end_minute bigint NOT NULL, \(countColumns), revision bigint NOT NULL,
            PRIMARY KEY (device, date)
        )
        """

    private static let dayPeaks = """
        CREATE TABLE day_peaks (device bigint PRIMARY KEY, date bigint NOT NULL, \(countColumns))
        WITH (fillfactor = 70)
        """

    /// The most that totals ever had, of devices whose totals a correction has once made less.
    private static let totalPeaks = """
        CREATE TABLE total_peaks (device bigint PRIMARY KEY, \(countColumns), floors_up bigint, floors_down bigint)
        """

    private static let chains = """
        CREATE TABLE chains (
            epoch bigint NOT NULL, partition bigint NOT NULL, revision bigint NOT NULL, heard_s bigint NOT NULL,
            PRIMARY KEY (epoch, partition)
        ) WITH (fillfactor = 70)
        """

    /// What was known of the chains of partitions says nothing of these: every counter is asked for all it has.
    private static let chainsOfCounters = """
        DROP TABLE chains;
        CREATE TABLE chains (epoch bigint PRIMARY KEY, revision bigint NOT NULL, heard_s bigint NOT NULL)
        WITH (fillfactor = 70)
        """

    /// By names, because a lease may wait for a device that nobody has heard of yet. `root` is the bus on which its
    /// notices are said: each history says those of its own.
    private static let leases = """
        CREATE TABLE leases (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, root text NOT NULL, device text NOT NULL,
            topic text NOT NULL, correlation bytea, transaction_text text, transaction_number bigint,
            counts text NOT NULL, every bigint NOT NULL, start_minute bigint NOT NULL, counted bigint NOT NULL,
            reached bigint NOT NULL, sent bigint NOT NULL, lease_s bigint NOT NULL, expires_s bigint NOT NULL,
            UNIQUE (device, topic)
        ) WITH (fillfactor = 70);
        CREATE INDEX leases_due ON leases (root) WHERE reached > sent
        """

    /// By names, because a rider may check in on a bike that nobody has heard of yet.
    private static let assignments = """
        CREATE TABLE assignments (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person text COLLATE "C" NOT NULL, device text NOT NULL,
            from_minute bigint NOT NULL, to_minute bigint NOT NULL, origin bigint NOT NULL, priority bigint
        );
        CREATE INDEX assignments_by_person ON assignments (person, from_minute);
        CREATE INDEX assignments_by_device ON assignments (device, from_minute)
        """

    /// NULL where no barometer told its pressure. The partitions of `minutes` have the columns of their table.
    private static let floors = ["minutes", "hours", "days", "day_peaks", "devices"].map { table in
        "ALTER TABLE \(table) ADD COLUMN floors_up bigint, ADD COLUMN floors_down bigint"
    }.joined(separator: ";\n")

    /// By names, because what is forgotten may be gone when the counter is told; `root` is the bus of that counter.
    private static let forgettings = """
        CREATE TABLE forgettings (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, root text NOT NULL, device text NOT NULL,
            from_minute bigint NOT NULL, to_minute bigint NOT NULL, is_whole boolean NOT NULL,
            is_done boolean NOT NULL DEFAULT false
        )
        """

    private static let identity = """
        CREATE TABLE identity (number bigint NOT NULL);
        INSERT INTO identity VALUES (('x' || left(md5(random()::text || clock_timestamp()), 16))::bit(64)::bigint)
        """
}
