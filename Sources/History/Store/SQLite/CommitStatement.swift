import GRDB

/// The statements of a commit that are executed for each row, device or day of it.
enum CommitStatement: Int, CaseIterable {
    case device
    case minute
    case storeMinute
    case storeTotals
    case days
    case storeDay
    case peak
    case storePeak

    /// Made once, because making a text costs more than a row.
    static let sql = allCases.map(\.text)

    private var text: String {
        switch self {
        case .device: "SELECT \(DeviceRecord.columns) FROM devices WHERE name = ?"
        case .minute: "SELECT \(Counts.columns), revision FROM minutes WHERE device = ? AND minute = ? AND epoch = ?"
        case .storeMinute: Self.upsertMinute
        case .storeTotals:
            """
            UPDATE devices SET first_minute = ?, last_minute = ?, steps = ?, revolutions = ?, distance_mm = ?,
            active_ms = ?, covered_ms = ?, floors_up = ?, floors_down = ?, revision = ? WHERE id = ?
            """
        case .days: "SELECT \(DayRecord.columns) FROM days WHERE device = ? AND date >= ? AND date < ? ORDER BY date"
        case .storeDay:
            """
            INSERT OR REPLACE INTO days (device, date, zone, start_minute, end_minute, \(Counts.columns), revision)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        case .peak: "SELECT \(Counts.columns), date FROM day_peaks WHERE device = ?"
        case .storePeak:
            "INSERT OR REPLACE INTO day_peaks (device, date, \(Counts.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        }
    }

    private static let upsertMinute = """
        INSERT INTO minutes (device, minute, epoch, revision, \(CountSum.columns))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (device, minute, epoch) DO UPDATE SET
            revision = excluded.revision, steps = excluded.steps, revolutions = excluded.revolutions,
            distance_mm = excluded.distance_mm, active_ms = excluded.active_ms, covered_ms = excluded.covered_ms,
            floors_up = excluded.floors_up, floors_down = excluded.floors_down,
            cadence_integral = excluded.cadence_integral, cadence_s = excluded.cadence_s,
            cadence_min = excluded.cadence_min, cadence_max = excluded.cadence_max,
            unknown_ms = excluded.unknown_ms, stationary_ms = excluded.stationary_ms,
            walking_ms = excluded.walking_ms, running_ms = excluded.running_ms,
            cycling_ms = excluded.cycling_ms, automotive_ms = excluded.automotive_ms
        WHERE excluded.revision > minutes.revision
        """
}
