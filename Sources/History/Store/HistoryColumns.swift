import Wire

// The columns that both stores have, in the order in which rows are read.

extension Counts {
    static let columns = "steps, revolutions, distance_mm, active_ms, covered_ms, floors_up, floors_down"
    /// How many these are.
    static let columnCount = 7
}

extension DeviceRecord {
    static let columns = """
        \(Counts.columns), id, name, kind, placement, zone, day_start_min, first_minute, last_minute, revision,
        knows_step_length, knows_revolution_length, person, compacted_minute
        """
}

extension DayRecord {
    static let columns = "\(Counts.columns), date, zone, start_minute, end_minute, revision"
    /// How many these are.
    static let columnCount = Counts.columnCount + 5
}

extension CountSum {
    /// Also the columns of `hours` after its key.
    static let columns = """
        \(Counts.columns), cadence_integral, cadence_s, cadence_min, cadence_max,
        unknown_ms, stationary_ms, walking_ms, running_ms, cycling_ms, automotive_ms
        """
    /// How many these are.
    static let columnCount = Counts.columnCount + 10
}

extension LiveLease {
    static let columns = """
        device, topic, correlation, transaction_text, transaction_number, counts, every, start_minute, counted,
        reached, sent, lease_s, expires_s, id
        """
}

extension Forgetting {
    static let columns = "id, device, from_minute, to_minute, is_whole, is_done"
}

extension Assignment {
    static let columns = "person, device, from_minute, to_minute, origin, priority"
}
