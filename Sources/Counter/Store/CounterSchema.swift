import Foundation
import GRDB
import Wire

/// The tables of the counter's store.
///
/// `forgotten` holds erased minutes of devices: nothing is counted for them again. `minutes` holds
/// one row for each device and minute that has not been pruned; `revision` is the number of its newest change.
/// `self_reported` holds the counts of devices that count themselves, and `recorded` those of recordings, for as long as
/// there is such a row. `words` holds what devices said of stretches of time, numbered like minutes, and for as long. `meta` says through which revision history has the rows, and how much of
/// the log the store has.
enum CounterSchema {
    /// "STRC": the mark of the store among SQLite files (`PRAGMA application_id`).
    static let applicationID = 0x5354_5243
    /// The layout of the tables (`PRAGMA user_version`). A store of another one is refused.
    static let version = 9

    /// The columns of `minutes` that increments add to.
    static let sums = Amount.all.map(\.row.countersColumn)

    private static let sumColumns =
        sums.map { "\($0) INTEGER NOT NULL DEFAULT 0" }.joined(separator: ", ")
        + ", cadence_min REAL NOT NULL, cadence_max REAL NOT NULL, trace BLOB"

    /// An SQL function: two packed traces of a minute become one. A second that both have is the second one's.
    static let mergeTraces = DatabaseFunction("merge_traces", argumentCount: 2, pure: true) { values in
        let (old, new) = (Data.fromDatabaseValue(values[0]), Data.fromDatabaseValue(values[1]))
        guard let old, let new, var trace = Trace(packed: Array(old)), let newer = Trace(packed: Array(new)) else {
            return new ?? old
        }
        trace.merge(newer)
        return Data(trace.packed)
    }

    /// Makes the tables of an empty store and gives it a life of its own.
    static func create(_ db: Database, epoch: UInt64) throws {
        try db.execute(
            sql: """
                CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE devices (
                    id TEXT PRIMARY KEY, updated INTEGER NOT NULL, position INTEGER NOT NULL, state BLOB NOT NULL);
                CREATE TABLE configs (id TEXT PRIMARY KEY, json BLOB NOT NULL) WITHOUT ROWID;
                \(minutes)
                \(told("self_reported"))
                \(told("recorded"))
                CREATE TABLE words (
                    device TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, micro_steps INTEGER NOT NULL,
                    um_per_step INTEGER NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (device, start, end)
                ) WITHOUT ROWID;
                CREATE UNIQUE INDEX words_by_revision ON words (revision);
                CREATE TABLE forgotten (
                    device TEXT NOT NULL, from_minute INTEGER NOT NULL, to_minute INTEGER NOT NULL,
                    PRIMARY KEY (device, from_minute, to_minute)
                ) WITHOUT ROWID;
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                """)
        let values = [
            ("epoch", Int64(bitPattern: epoch)), ("revision", 0), ("published", 0), ("pruned_before", .min),
            ("states_position", 0), ("counted_position", 0), ("rows_position", 0),
        ]
        for (name, value) in values { try CounterStore.setMeta(name, value, db) }
    }

    /// A table of the counts of devices themselves, or of recordings.
    static func told(_ table: String) -> String {
        """
        CREATE TABLE IF NOT EXISTS \(table) (
            device TEXT NOT NULL, minute INTEGER NOT NULL, \(sumColumns), PRIMARY KEY (device, minute)
        ) WITHOUT ROWID;
        """
    }

    /// The rows of a minute are beside each other: those that change together share few pages.
    private static let minutes = """
        CREATE TABLE minutes (
            device TEXT NOT NULL, minute INTEGER NOT NULL, partition INTEGER NOT NULL,
            epoch INTEGER NOT NULL, revision INTEGER NOT NULL, \(sumColumns), PRIMARY KEY (minute, device)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX minutes_by_revision ON minutes (revision);
        CREATE UNIQUE INDEX minutes_by_device ON minutes (device, minute);
        """

    /// Empties a minute, as its newest change.
    static let emptyMinute = """
        UPDATE minutes SET revision = ?, \(sums.map { "\($0) = 0" }.joined(separator: ", ")), cadence_min = 0, cadence_max = 0, trace = NULL
        WHERE device = ? AND minute = ?
        """

    /// Adds an increment to its minute, or begins the minute.
    static let addIncrement = adding(
        to: "minutes", keys: ["device", "minute", "partition", "epoch", "revision"],
        also: "revision = excluded.revision,")

    /// The same for the counts of a device that counts itself, and of recordings.
    static let addSelfReported = adding(to: "self_reported", keys: ["device", "minute"], also: "")
    static let addRecorded = adding(to: "recorded", keys: ["device", "minute"], also: "")

    private static func adding(to table: String, keys: [String], also: String) -> String {
        let names = (keys + sums).joined(separator: ", ")
        let marks = (keys + sums).map { _ in "?" }.joined(separator: ", ")
        let additions = sums.map { "\($0) = \($0) + excluded.\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO \(table) (\(names), cadence_min, cadence_max, trace) VALUES (\(marks), ?, ?, ?)
            ON CONFLICT (device, minute) DO UPDATE SET \(also) \(additions),
                cadence_min = CASE WHEN cadence_min = 0 THEN excluded.cadence_min
                    WHEN excluded.cadence_min = 0 THEN cadence_min ELSE min(cadence_min, excluded.cadence_min) END,
                cadence_max = max(cadence_max, excluded.cadence_max),
                trace = \(mergeTraces.name)(trace, excluded.trace)
            """
    }

    /// The rows after a revision, each with the counts of the device itself and of recordings.
    static let rowsAfter: String = {
        let values = sums + ["cadence_min", "cadence_max", "trace"]
        let columns = ["minutes", "self_reported", "recorded"].flatMap { table in values.map { "\(table).\($0)" } }
        return """
            SELECT minutes.device, minutes.minute, epoch, revision, \(columns.joined(separator: ", "))
            FROM minutes LEFT JOIN self_reported USING (device, minute) LEFT JOIN recorded USING (device, minute)
            WHERE revision > ? ORDER BY revision LIMIT ?
            """
    }()

    /// The states, each with its position in the log, and configs of the devices after one. Each part has a limit of its own:
    /// the states of those beyond it are not read.
    static let devicesAfter = """
        WITH next AS (
            SELECT id FROM (SELECT id FROM devices WHERE id > ?1 ORDER BY id LIMIT ?2)
            UNION SELECT id FROM (SELECT id FROM configs WHERE id > ?1 ORDER BY id LIMIT ?2) ORDER BY id LIMIT ?2)
        SELECT id, state, json, position
        FROM next LEFT JOIN devices USING (id) LEFT JOIN configs USING (id) ORDER BY id
        """

    static let wordsAfter = """
        SELECT device, start, end, micro_steps, um_per_step, revision FROM words WHERE revision > ?
        ORDER BY revision LIMIT ?
        """
}
