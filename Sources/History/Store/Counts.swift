package import Wire

/// The counts that add up: over the minutes of a day, over the days of a device.
package struct Counts: Sendable, Equatable {
    package var steps: Int64 = 0
    /// Crank revolutions.
    package var revolutions: Int64 = 0
    package var distanceMillimetres: Int64 = 0
    /// Time with steps or revolutions, in milliseconds.
    package var activeMilliseconds: Int64 = 0
    /// Time covered by samples, in milliseconds.
    package var coveredMilliseconds: Int64 = 0
    /// Floors on foot; `nil` without a barometer, which adds nothing.
    package var floors: Floors?

    /// Floors up and down. A difference may be below 0.
    package struct Floors: Sendable, Equatable {
        package var ascended: Int64 = 0
        package var descended: Int64 = 0
    }

    package init() {}

    package init(_ row: MinuteTotals) {
        steps = Int64(row.steps)
        revolutions = Int64(row.revolutions)
        distanceMillimetres = Int64(row.distanceMillimetres)
        activeMilliseconds = Int64(row.activeMilliseconds)
        coveredMilliseconds = Int64(row.coveredMilliseconds)
        floors = row.floors.map {
            Floors(ascended: Int64(clamping: $0.ascended), descended: Int64(clamping: $0.descended))
        }
    }

    /// Adds. A minute has counts of 32 bits, so 64 bits last for every minute there is.
    package static func += (sum: inout Counts, other: Counts) { sum = sum.combined(with: other, &+) }

    /// The change from `old` to `new`.
    package static func - (new: Counts, old: Counts) -> Counts { new.combined(with: old, &-) }

    /// The greater of each count.
    package func raised(to other: Counts) -> Counts { combined(with: other, max) }

    private func combined(with other: Counts, _ combine: (Int64, Int64) -> Int64) -> Counts {
        var result = Counts()
        result.steps = combine(steps, other.steps)
        result.revolutions = combine(revolutions, other.revolutions)
        result.distanceMillimetres = combine(distanceMillimetres, other.distanceMillimetres)
        result.activeMilliseconds = combine(activeMilliseconds, other.activeMilliseconds)
        result.coveredMilliseconds = combine(coveredMilliseconds, other.coveredMilliseconds)
        if floors != nil || other.floors != nil {
            result.floors = Floors(
                ascended: combine(floors?.ascended ?? 0, other.floors?.ascended ?? 0),
                descended: combine(floors?.descended ?? 0, other.floors?.descended ?? 0))
        }
        return result
    }

    /// The totals to publish so that readers never see one fall: `nil` where they are these counts themselves.
    /// - Parameters:
    ///   - old: The counts before the change.
    ///   - published: What was published instead of `old`, if anything.
    func published(after old: Counts, _ published: Counts?) -> Counts? {
        let most = raised(to: published ?? old)
        return most == self ? nil : most
    }

    /// The active time of one minute whose steps or revolutions have no length that is known, in milliseconds.
    var unmeasuredMilliseconds: Int64 {
        distanceMillimetres == 0 && (steps > 0 || revolutions > 0) ? activeMilliseconds : 0
    }

    /// The count that a lease on notices is about.
    package subscript(kind: CountedKind) -> Int64 {
        switch kind {
        case .steps: steps
        case .revolutions: revolutions
        }
    }
}

/// The counts of a range of minutes, cadence and activity included.
package struct CountSum: Sendable, Equatable {
    /// The counts that add up.
    package var counts = Counts()
    /// Cadence integrated over time: divided by `cadenceSeconds`, the mean per minute.
    package var cadenceIntegral = 0.0
    /// Seconds with a cadence above 0.
    package var cadenceSeconds: Int64 = 0
    /// The lowest cadence above 0; 0 when there was none.
    package var cadenceMinimum = 0.0
    package var cadenceMaximum = 0.0
    /// Active time of minutes with steps or revolutions of a length that is not known, in milliseconds: minutes without
    /// a distance.
    package var unmeasuredMilliseconds: Int64 = 0
    /// Milliseconds in each activity, by `ActivityKind.rawValue`.
    package var activityMilliseconds = [Int64](repeating: 0, count: ActivityKind.allCases.count)

    package init() {}

    package init(_ row: MinuteTotals) {
        counts = Counts(row)
        unmeasuredMilliseconds = counts.unmeasuredMilliseconds
        cadenceIntegral = Double(row.cadenceIntegral)
        cadenceSeconds = Int64(row.cadenceSeconds)
        cadenceMinimum = Double(row.cadenceMinimum)
        cadenceMaximum = Double(row.cadenceMaximum)
        for index in activityMilliseconds.indices where row.activityMilliseconds.indices.contains(index) {
            activityMilliseconds[index] = Int64(row.activityMilliseconds[index])
        }
    }

    package subscript(activity: ActivityKind) -> Int64 {
        let index = Int(activity.rawValue)
        return activityMilliseconds.indices.contains(index) ? activityMilliseconds[index] : 0
    }

    /// The time-weighted mean cadence per minute; `nil` without any.
    var cadenceMean: Double? {
        cadenceSeconds > 0 ? cadenceIntegral / Double(cadenceSeconds) : nil
    }

    /// Active time whose distance is known, in milliseconds; `nil` without distance.
    var distanceActiveMilliseconds: Int64? {
        counts.distanceMillimetres > 0 ? max(0, counts.activeMilliseconds - unmeasuredMilliseconds) : nil
    }

    /// Seconds a metre of the active time whose distance is known; `nil` without distance.
    var paceSecondsPerMetre: Double? {
        distanceActiveMilliseconds.map { Double($0) / Double(counts.distanceMillimetres) }
    }

    /// Adds what was counted in another range.
    package static func += (sum: inout CountSum, other: CountSum) {
        sum.counts += other.counts
        sum.unmeasuredMilliseconds &+= other.unmeasuredMilliseconds
        sum.addCadence(of: other)
        for kind in sum.activityMilliseconds.indices where kind < other.activityMilliseconds.count {
            sum.activityMilliseconds[kind] &+= other.activityMilliseconds[kind]
        }
    }

    /// The sum without a part of it; the bounds of its cadence stay, unless there is none left.
    static func - (whole: CountSum, part: CountSum) -> CountSum {
        var rest = whole
        rest.counts = whole.counts - part.counts
        rest.unmeasuredMilliseconds &-= part.unmeasuredMilliseconds
        rest.cadenceIntegral -= part.cadenceIntegral
        rest.cadenceSeconds &-= part.cadenceSeconds
        if rest.cadenceSeconds <= 0 { (rest.cadenceIntegral, rest.cadenceMinimum, rest.cadenceMaximum) = (0, 0, 0) }
        for kind in rest.activityMilliseconds.indices {
            rest.activityMilliseconds[kind] &-= part.activityMilliseconds[kind]
        }
        return rest
    }

    /// Adds the cadence alone of the counts of another range.
    mutating func addCadence(of other: CountSum) {
        cadenceIntegral += other.cadenceIntegral
        cadenceSeconds &+= other.cadenceSeconds
        cadenceMaximum = max(cadenceMaximum, other.cadenceMaximum)
        if other.cadenceMinimum > 0 {
            cadenceMinimum = cadenceMinimum > 0 ? min(cadenceMinimum, other.cadenceMinimum) : other.cadenceMinimum
        }
    }
}

extension MinuteTotals {
    /// True if nothing was counted, not even time. A counter sends such a row for a minute that it has erased.
    var isEmpty: Bool {
        guard coveredMilliseconds == 0, steps == 0, revolutions == 0 else { return false }
        return self == MinuteTotals(device: device, minute: minute, epoch: epoch, revision: revision)
    }
}

// MARK: - Columns

extension Counts {
    static let columns = ["steps", "revolutions", "distance_mm", "active_ms", "covered_ms", "floors_up", "floors_down"]

    init(_ row: inout SQLRow) throws(SQLColumnError) {
        steps = try row.int()
        revolutions = try row.int()
        distanceMillimetres = try row.int()
        activeMilliseconds = try row.int()
        coveredMilliseconds = try row.int()
        let (up, down) = (try row.optionalInt(), try row.optionalInt())
        if up != nil || down != nil { floors = Floors(ascended: up ?? 0, descended: down ?? 0) }
    }

    var values: [SQLValue] {
        [
            .int(steps), .int(revolutions), .int(distanceMillimetres), .int(activeMilliseconds),
            .int(coveredMilliseconds), .int(floors?.ascended), .int(floors?.descended),
        ]
    }

    /// The numbers of `columns` in one text, `-` for NULL: what `published` holds.
    var text: String {
        let numbers = values.map { if case .int(let number?) = $0 { "\(number)" } else { "-" } }
        return numbers.joined(separator: " ")
    }

    /// Reads `text`; `nil` for anything else.
    init?(text: String) {
        var row = SQLRow(text.split(separator: " ").map { .int(Int64($0)) })
        guard row.count == Self.columns.count, let counts = try? Counts(&row) else { return nil }
        self = counts
    }
}

extension CountSum {
    static let columns =
        Counts.columns + [
            "cadence_integral", "cadence_s", "cadence_min", "cadence_max", "unknown_ms", "stationary_ms", "walking_ms",
            "running_ms", "cycling_ms", "automotive_ms",
        ]

    /// `columns` of all rows of a group, and `unmeasuredMilliseconds`. A sum of `bigint`s would be a `numeric` on a
    /// server.
    static let aggregates: String = (columns + [unmeasured]).map { column in
        switch column {
        case "floors_up", "floors_down": "CAST(sum(\(column)) AS bigint)"
        case "cadence_integral": "coalesce(sum(cadence_integral), 0.0)"
        case "cadence_min": "coalesce(min(nullif(cadence_min, 0.0)), 0.0)"
        case "cadence_max": "coalesce(max(cadence_max), 0.0)"
        default: "CAST(coalesce(sum(\(column)), 0) AS bigint)"
        }
    }.joined(separator: ", ")

    private static let unmeasured = "CASE WHEN distance_mm = 0 AND steps + revolutions > 0 THEN active_ms ELSE 0 END"

    /// Reads `columns` of one row.
    init(_ row: inout SQLRow) throws(SQLColumnError) {
        counts = try Counts(&row)
        unmeasuredMilliseconds = counts.unmeasuredMilliseconds
        cadenceIntegral = try row.double()
        cadenceSeconds = try row.int()
        cadenceMinimum = try row.double()
        cadenceMaximum = try row.double()
        for index in activityMilliseconds.indices { activityMilliseconds[index] = try row.int() }
    }

    /// Reads `aggregates`.
    init(aggregates row: inout SQLRow) throws(SQLColumnError) {
        try self.init(&row)
        unmeasuredMilliseconds = try row.int()
    }

    var values: [SQLValue] {
        counts.values + [
            .double(cadenceIntegral), .int(cadenceSeconds), .double(cadenceMinimum), .double(cadenceMaximum),
        ] + activityMilliseconds.map { .int($0) }
    }
}
