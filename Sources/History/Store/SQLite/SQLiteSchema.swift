import GRDB

/// The tables, and how an older file becomes a newer one.
///
/// Counts are integers in the smallest unit (milliseconds, millimetres), so that sums are exact in any order. Epochs
/// are 64-bit patterns and may look negative.
enum SQLiteSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 devices, minutes, days, chains") { db in
            try db.execute(sql: devices)
            try db.execute(sql: minutes)
            try db.execute(sql: days)
            try db.execute(sql: chains)
            try db.execute(sql: state)
        }
        migrator.registerMigration("2 lengths and persons of devices") { db in
            try db.execute(sql: deviceSettings)
        }
        migrator.registerMigration("3 leases") { db in try db.execute(sql: leases) }
        migrator.registerMigration("4 assignments") { db in try db.execute(sql: assignments) }
        migrator.registerMigration("5 peaks of days") { db in try db.execute(sql: dayPeaks) }
        migrator.registerMigration("6 hours") { db in try db.execute(sql: hours) }
        migrator.registerMigration("7 identity") { db in try db.execute(sql: identity) }
        migrator.registerMigration("8 floors") { db in try db.execute(sql: floors) }
        migrator.registerMigration("9 forgettings") { db in try db.execute(sql: forgettings) }
        migrator.registerMigration("10 peaks of totals") { db in try db.execute(sql: totalPeaks) }
        migrator.registerMigration("11 one chain a counter") { db in try db.execute(sql: chainsOfCounters) }
        return migrator
    }

    private static let countColumns = """
        steps INTEGER NOT NULL DEFAULT 0, revolutions INTEGER NOT NULL DEFAULT 0,
        distance_mm INTEGER NOT NULL DEFAULT 0, active_ms INTEGER NOT NULL DEFAULT 0,
        covered_ms INTEGER NOT NULL DEFAULT 0
        """

    private static let devices = """
        CREATE TABLE devices (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
            kind TEXT NOT NULL DEFAULT 'unknown', placement TEXT, zone TEXT, day_start_min INTEGER NOT NULL DEFAULT 0,
            first_minute INTEGER, last_minute INTEGER, \(countColumns), revision INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """

    /// A device's retained config comes again at the next subscription, and with it these.
    private static let deviceSettings = """
        ALTER TABLE devices ADD COLUMN knows_step_length INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE devices ADD COLUMN knows_revolution_length INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE devices ADD COLUMN person TEXT
        """

    private static let minutes = """
        CREATE TABLE minutes (
            device INTEGER NOT NULL, minute INTEGER NOT NULL, epoch INTEGER NOT NULL, revision INTEGER NOT NULL,
            \(countColumns),
            cadence_integral REAL NOT NULL, cadence_s INTEGER NOT NULL, cadence_min REAL NOT NULL,
            cadence_max REAL NOT NULL,
            unknown_ms INTEGER NOT NULL, stationary_ms INTEGER NOT NULL, walking_ms INTEGER NOT NULL,
            running_ms INTEGER NOT NULL, cycling_ms INTEGER NOT NULL, automotive_ms INTEGER NOT NULL,
            PRIMARY KEY (device, minute, epoch)
        ) STRICT, WITHOUT ROWID
        """

    /// What is left of minutes beyond their retention: `minute` is the first of a local hour.
    private static let hours = """
        CREATE TABLE hours (
            device INTEGER NOT NULL, minute INTEGER NOT NULL, \(countColumns),
            cadence_integral REAL NOT NULL, cadence_s INTEGER NOT NULL, cadence_min REAL NOT NULL,
            cadence_max REAL NOT NULL,
            unknown_ms INTEGER NOT NULL, stationary_ms INTEGER NOT NULL, walking_ms INTEGER NOT NULL,
            running_ms INTEGER NOT NULL, cycling_ms INTEGER NOT NULL, automotive_ms INTEGER NOT NULL,
            PRIMARY KEY (device, minute)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE devices ADD COLUMN compacted_minute INTEGER NOT NULL DEFAULT 0
        """

    private static let days = """
        CREATE TABLE days (
            device INTEGER NOT NULL, date INTEGER NOT NULL, zone TEXT NOT NULL,
            start_minute INTEGER NOT NULL, end_minute INTEGER NOT NULL, \(countColumns), revision INTEGER NOT NULL,
            PRIMARY KEY (device, date)
        ) STRICT, WITHOUT ROWID
        """

    /// By names, because a lease may wait for a device that nobody has heard of yet.
    private static let leases = """
        CREATE TABLE leases (
            id INTEGER PRIMARY KEY AUTOINCREMENT, device TEXT NOT NULL, topic TEXT NOT NULL, correlation BLOB, transaction_text TEXT,
            transaction_number INTEGER, counts TEXT NOT NULL, every INTEGER NOT NULL, start_minute INTEGER NOT NULL,
            counted INTEGER NOT NULL, reached INTEGER NOT NULL, sent INTEGER NOT NULL, lease_s INTEGER NOT NULL,
            expires_s INTEGER NOT NULL, UNIQUE (device, topic)
        ) STRICT
        """

    /// By names, because a rider may check in on a bike that nobody has heard of yet.
    private static let assignments = """
        CREATE TABLE assignments (
            id INTEGER PRIMARY KEY, person TEXT NOT NULL, device TEXT NOT NULL, from_minute INTEGER NOT NULL,
            to_minute INTEGER NOT NULL, origin INTEGER NOT NULL, priority INTEGER
        ) STRICT;
        CREATE INDEX assignments_by_person ON assignments (person, from_minute);
        CREATE INDEX assignments_by_device ON assignments (device, from_minute)
        """

    /// The most that each device's last date ever had.
    private static let dayPeaks = """
        CREATE TABLE day_peaks (device INTEGER PRIMARY KEY, date INTEGER NOT NULL, \(countColumns)) STRICT
        """

    /// The most that totals ever had, of devices whose totals a correction has once made less.
    private static let totalPeaks = """
        CREATE TABLE total_peaks (
            device INTEGER PRIMARY KEY, \(countColumns), floors_up INTEGER, floors_down INTEGER) STRICT
        """

    /// By names, because what is forgotten may be gone when the counter is told.
    private static let forgettings = """
        CREATE TABLE forgettings (
            id INTEGER PRIMARY KEY AUTOINCREMENT, device TEXT NOT NULL, from_minute INTEGER NOT NULL,
            to_minute INTEGER NOT NULL, is_whole INTEGER NOT NULL, is_done INTEGER NOT NULL DEFAULT 0
        ) STRICT
        """

    private static let chains = """
        CREATE TABLE chains (
            epoch INTEGER NOT NULL, partition INTEGER NOT NULL, revision INTEGER NOT NULL, heard_s INTEGER NOT NULL,
            PRIMARY KEY (epoch, partition)
        ) STRICT, WITHOUT ROWID
        """

    /// What was known of the chains of partitions says nothing of these: every counter is asked for all it has.
    private static let chainsOfCounters = """
        DROP TABLE chains;
        CREATE TABLE chains (epoch INTEGER PRIMARY KEY, revision INTEGER NOT NULL, heard_s INTEGER NOT NULL) STRICT
        """

    private static let state = """
        CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 0), is_open INTEGER NOT NULL) STRICT;
        INSERT INTO state VALUES (0, 0)
        """

    /// NULL where no barometer told its pressure.
    private static let floors = ["minutes", "hours", "days", "day_peaks", "devices"].map { table in
        "ALTER TABLE \(table) ADD COLUMN floors_up INTEGER; ALTER TABLE \(table) ADD COLUMN floors_down INTEGER"
    }.joined(separator: ";\n")

    private static let identity = """
        ALTER TABLE state ADD COLUMN identity INTEGER NOT NULL DEFAULT 0;
        UPDATE state SET identity = random()
        """
}
