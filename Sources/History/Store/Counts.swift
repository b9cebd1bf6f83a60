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
}

/// A cadence of some time, as its sums.
package struct CadenceSum: Sendable, Equatable {
    /// Cadence integrated over time: divided by `seconds`, the mean per minute.
    package var integral = 0.0
    /// Seconds with a cadence above 0.
    package var seconds: Int64 = 0
    /// The lowest above 0; 0 when there was none.
    package var minimum = 0.0
    package var maximum = 0.0

    /// The time-weighted mean per minute; `nil` without any.
    var mean: Double? { seconds > 0 ? integral / Double(seconds) : nil }

    package static func += (sum: inout CadenceSum, other: CadenceSum) {
        sum.integral += other.integral
        sum.seconds &+= other.seconds
        sum.maximum = max(sum.maximum, other.maximum)
        if other.minimum > 0 { sum.minimum = sum.minimum > 0 ? min(sum.minimum, other.minimum) : other.minimum }
    }

    /// Without a part; the bounds stay, unless there is none left.
    static func - (whole: CadenceSum, part: CadenceSum) -> CadenceSum {
        var rest = whole
        rest.integral -= part.integral
        rest.seconds &-= part.seconds
        return rest.seconds > 0 ? rest : CadenceSum()
    }
}

/// The counts of a range of minutes, cadence and activity included.
package struct CountSum: Sendable, Equatable {
    /// The counts that add up.
    package var counts = Counts()
    /// The cadence of minutes with more revolutions than steps, and of all others: a minute has one.
    package var (crank, step) = (CadenceSum(), CadenceSum())
    /// Active time of minutes with steps or revolutions of a length that is not known, in milliseconds: minutes without
    /// a distance.
    package var unmeasuredMilliseconds: Int64 = 0
    /// Milliseconds in each activity, by `ActivityKind.rawValue`.
    package var activityMilliseconds = [Int64](repeating: 0, count: ActivityKind.allCases.count)

    package init() {}

    package init(_ row: MinuteTotals) {
        counts = Counts(row)
        unmeasuredMilliseconds = counts.unmeasuredMilliseconds
        setCadence(
            CadenceSum(
                integral: Double(row.cadenceIntegral), seconds: Int64(row.cadenceSeconds),
                minimum: Double(row.cadenceMinimum), maximum: Double(row.cadenceMaximum)))
        for index in activityMilliseconds.indices where row.activityMilliseconds.indices.contains(index) {
            activityMilliseconds[index] = Int64(row.activityMilliseconds[index])
        }
    }

    package subscript(activity: ActivityKind) -> Int64 {
        let index = Int(activity.rawValue)
        return activityMilliseconds.indices.contains(index) ? activityMilliseconds[index] : 0
    }

    /// The cadence of all minutes.
    package var cadence: CadenceSum {
        var sum = crank
        sum += step
        return sum
    }

    /// Gives one minute its cadence.
    mutating func setCadence(_ cadence: CadenceSum) {
        let isCrank = counts.revolutions > counts.steps
        (crank, step) = isCrank ? (cadence, CadenceSum()) : (CadenceSum(), cadence)
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
        sum.crank += other.crank
        sum.step += other.step
        for kind in sum.activityMilliseconds.indices where kind < other.activityMilliseconds.count {
            sum.activityMilliseconds[kind] &+= other.activityMilliseconds[kind]
        }
    }

    /// The sum without a part of it.
    static func - (whole: CountSum, part: CountSum) -> CountSum {
        var rest = whole
        rest.counts = whole.counts - part.counts
        rest.unmeasuredMilliseconds &-= part.unmeasuredMilliseconds
        rest.crank = whole.crank - part.crank
        rest.step = whole.step - part.step
        for kind in rest.activityMilliseconds.indices {
            rest.activityMilliseconds[kind] &-= part.activityMilliseconds[kind]
        }
        return rest
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

extension CadenceSum {
    static func columns(_ prefix: String) -> [String] { ["integral", "s", "min", "max"].map { "\(prefix)_\($0)" } }

    init(_ row: inout SQLRow) throws(SQLColumnError) {
        (integral, seconds) = (try row.double(), try row.int())
        (minimum, maximum) = (try row.double(), try row.double())
    }

    var values: [SQLValue] { [.double(integral), .int(seconds), .double(minimum), .double(maximum)] }
}

extension CountSum {
    static let activityColumns = [
        "unknown_ms", "stationary_ms", "walking_ms", "running_ms", "cycling_ms", "automotive_ms",
    ]

    /// The columns of one minute.
    static let columns = Counts.columns + CadenceSum.columns("cadence") + activityColumns
    /// The columns of a sum whose minutes are gone, beside `Counts.columns`.
    static let oldColumns =
        ["unmeasured_ms"] + CadenceSum.columns("crank") + CadenceSum.columns("step") + activityColumns

    /// Each of the columns that `init(aggregates:)` reads, over all minutes of a group. A sum of `bigint`s would be a
    /// `numeric` on a server.
    static let aggregates = aggregates(
        unmeasured: "CASE WHEN distance_mm = 0 AND steps + revolutions > 0 THEN active_ms ELSE 0 END",
        cadences: ["revolutions > steps", "revolutions <= steps"].map { condition in
            CadenceSum.columns("cadence").map { "CASE WHEN \(condition) THEN \($0) END" }
        })

    /// The same over sums whose minutes are gone.
    static let oldAggregates = aggregates(
        unmeasured: "unmeasured_ms", cadences: ["crank", "step"].map { CadenceSum.columns($0) })

    private static func aggregates(unmeasured: String, cadences: [[String]]) -> String {
        let floors: Set<String> = ["floors_up", "floors_down"]
        let counts = Counts.columns.map { floors.contains($0) ? "CAST(sum(\($0)) AS bigint)" : whole($0) }
        let cadence = cadences.flatMap { columns in
            [
                "coalesce(sum(\(columns[0])), 0.0)", whole(columns[1]),
                "coalesce(min(nullif(\(columns[2]), 0.0)), 0.0)", "coalesce(max(\(columns[3])), 0.0)",
            ]
        }
        return (counts + [whole(unmeasured)] + cadence + activityColumns.map(whole)).joined(separator: ", ")
    }

    private static func whole(_ column: String) -> String { "CAST(coalesce(sum(\(column)), 0) AS bigint)" }

    /// Reads `columns` of one row.
    init(_ row: inout SQLRow) throws(SQLColumnError) {
        counts = try Counts(&row)
        unmeasuredMilliseconds = counts.unmeasuredMilliseconds
        setCadence(try CadenceSum(&row))
        for index in activityMilliseconds.indices { activityMilliseconds[index] = try row.int() }
    }

    /// Reads `aggregates`, or `Counts.columns` and `oldColumns`.
    init(aggregates row: inout SQLRow) throws(SQLColumnError) {
        counts = try Counts(&row)
        unmeasuredMilliseconds = try row.int()
        (crank, step) = (try CadenceSum(&row), try CadenceSum(&row))
        for index in activityMilliseconds.indices { activityMilliseconds[index] = try row.int() }
    }

    /// The values for `columns`.
    var values: [SQLValue] { counts.values + cadence.values + activityMilliseconds.map { .int($0) } }

    /// The values for `oldColumns`.
    var oldValues: [SQLValue] {
        [.int(unmeasuredMilliseconds)] + crank.values + step.values + activityMilliseconds.map { .int($0) }
    }
}
