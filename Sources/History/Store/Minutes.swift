package import Wire

extension Counts {
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

/// The counts of a range of minutes, cadence and activity included.
package struct CountSum: Sendable, Equatable {
    /// The counts that add up.
    package var counts = Counts()
    /// The cadence of minutes with more revolutions than steps, and of all others: a minute has one.
    package var (crank, step) = (RateSum(), RateSum())
    /// Beats a minute, and watts, of the seconds in which they are known.
    package var (heart, power) = (RateSum(), RateSum())
    /// Active time of minutes with steps or revolutions of a length that is not known, in milliseconds: minutes without
    /// a distance.
    package var unmeasuredMilliseconds: Int64 = 0

    package init() {}

    package init(_ row: MinuteRow) {
        counts = row.counts
        unmeasuredMilliseconds = counts.unmeasuredMilliseconds
        setCadence(row.cadence)
        (heart, power) = (row.heart, row.power)
    }

    /// The cadence of all minutes.
    package var cadence: RateSum {
        var sum = crank
        sum += step
        return sum
    }

    /// Gives one minute its cadence.
    mutating func setCadence(_ cadence: RateSum) {
        let isCrank = counts.revolutions > counts.steps
        (crank, step) = isCrank ? (cadence, RateSum()) : (RateSum(), cadence)
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
        sum.heart += other.heart
        sum.power += other.power
    }
}

extension MinuteRow {
    /// True if nothing was counted, not even time. A counter sends such a row for a minute that it has erased.
    var isEmpty: Bool {
        counts == Counts() && [cadence, heart, power].allSatisfy { $0 == RateSum() } && trace.isEmpty
    }
}

// MARK: - Columns

extension Amount {
    /// The columns of some, in their order.
    static func columns(_ amounts: [Amount]) -> [String] { amounts.map(\.row.column) }
}

extension Counts {
    /// What days and totals have.
    static let columns = Amount.columns(Amount.ofDays)

    /// Reads the columns of some numbers.
    init(_ row: inout SQLRow, _ amounts: [Amount] = Amount.ofDays) throws(SQLColumnError) {
        self.init()
        try read(amounts, from: &row)
    }

    mutating func read(_ amounts: [Amount], from row: inout SQLRow) throws(SQLColumnError) {
        for amount in amounts {
            if amount.row.knownBy == nil {
                self[amount] = try row.int()
            } else if let number = try row.optionalInt() {
                self[amount] = number
            }
        }
    }

    func values(_ amounts: [Amount] = Amount.ofDays) -> [SQLValue] { amounts.map { .int(known($0)) } }

    /// The numbers of `columns` in one text, `-` for NULL: what `published` holds.
    var text: String {
        let numbers = values().map { if case .int(let number?) = $0 { "\(number)" } else { "-" } }
        return numbers.joined(separator: " ")
    }

    /// Reads `text`; `nil` for anything else.
    init?(text: String) {
        var row = SQLRow(text.split(separator: " ").map { .int(Int64($0)) })
        guard row.count == Self.columns.count, let counts = try? Counts(&row) else { return nil }
        self = counts
    }
}

extension RateSum {
    static func columns(_ prefix: String) -> [String] { ["integral", "s", "min", "max"].map { "\(prefix)_\($0)" } }

    init(_ row: inout SQLRow) throws(SQLColumnError) {
        self.init(
            integral: try row.double(), seconds: try row.int(), minimum: try row.double(), maximum: try row.double())
    }

    var values: [SQLValue] { [.double(integral), .int(seconds), .double(minimum), .double(maximum)] }
}

extension CountSum {
    /// The columns of one minute.
    static let columns =
        Amount.columns(Amount.ofMinutes) + ["cadence", "heart", "power"].flatMap { RateSum.columns($0) }

    /// Each of the columns that `init(aggregates:)` reads, over all minutes of a group. A sum of `bigint`s would be a
    /// `numeric` on a server.
    static let aggregates: String = {
        let counts = Amount.ofDays.map { amount in
            amount.row.knownBy == nil ? whole(amount.row.column) : "CAST(sum(\(amount.row.column)) AS bigint)"
        }
        let unmeasured = whole("CASE WHEN distance_mm = 0 AND steps + revolutions > 0 THEN active_ms ELSE 0 END")
        let cadences = ["revolutions > steps", "revolutions <= steps"].map { condition in
            RateSum.columns("cadence").map { "CASE WHEN \(condition) THEN \($0) END" }
        }
        let sums = (cadences + [RateSum.columns("heart"), RateSum.columns("power")]).flatMap { columns in
            [
                "coalesce(sum(\(columns[0])), 0.0)", whole(columns[1]),
                "coalesce(min(nullif(\(columns[2]), 0.0)), 0.0)", "coalesce(max(\(columns[3])), 0.0)",
            ]
        }
        return (counts + [unmeasured] + sums + Amount.columns(Amount.activities).map(whole)).joined(separator: ", ")
    }()

    private static func whole(_ column: String) -> String { "CAST(coalesce(sum(\(column)), 0) AS bigint)" }

    /// Reads `columns` of one row.
    init(_ row: inout SQLRow) throws(SQLColumnError) {
        counts = try Counts(&row, Amount.ofMinutes)
        unmeasuredMilliseconds = counts.unmeasuredMilliseconds
        setCadence(try RateSum(&row))
        (heart, power) = (try RateSum(&row), try RateSum(&row))
    }

    /// Reads `aggregates`.
    init(aggregates row: inout SQLRow) throws(SQLColumnError) {
        counts = try Counts(&row)
        unmeasuredMilliseconds = try row.int()
        (crank, step) = (try RateSum(&row), try RateSum(&row))
        (heart, power) = (try RateSum(&row), try RateSum(&row))
        try counts.read(Amount.activities, from: &row)
    }

    /// The values for `columns`.
    var values: [SQLValue] { counts.values(Amount.ofMinutes) + cadence.values + heart.values + power.values }
}

// MARK: - Reading

extension HistoryStore {
    /// The counts of each of some ranges of minutes, which must be in order and not overlap. Where there are no minutes
    /// any more, a day counts to the range of its first minute with data: `cutDay` says whether that is not all of it.
    package func sums(
        of subject: Subject, in ranges: [Range<Int64>]
    ) async throws(HistoryError) -> [CountSum] {
        try await database.read(isSnapshot: true) { session in
            guard let (id, record) = try Self.find(subject, session), let first = record.firstMinute else {
                return ranges.map { _ in CountSum() }
            }
            let known = first..<(record.lastMinute ?? first) + 1
            return try session.sums(of: id, in: ranges.map { $0.clamped(to: known) })
        }
    }
}
