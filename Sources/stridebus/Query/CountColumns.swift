import Foundation
import Lab
import Wire

/// The columns for what was counted. Only those are there of which some row has something: a bike's table has no steps.
struct CountColumns {
    /// The columns that a table may have, in this order, by their titles.
    enum Column: String, CaseIterable {
        case steps, revolutions
        case kilometres = "km"
        case rpm, spm, active, covered
        case floorsUp = "floors up"
        case floorsDown = "down"
    }

    struct Row {
        var totals = Totals()
        var rpm: Double?
        var spm: Double?

        /// True if nothing is known of it.
        var isEmpty: Bool { totals.coveredSeconds == 0 && totals.steps == 0 && totals.revolutions == 0 }
    }

    let shown: [Column]

    init(_ rows: [Row]) {
        shown = Column.allCases.filter { $0.isNeeded(for: rows) }
    }

    var columns: [TextTable.Column] { shown.map { .numbers($0.rawValue) } }

    /// The cells of a row; those of one of which nothing is known are empty.
    func cells(_ row: Row) -> [String] {
        shown.map { row.isEmpty ? "" : $0.text(row) }
    }

    /// A table with a row a stretch of time: the cells that name it, what was counted, more cells, and a bar as long as
    /// its steps and revolutions are many. `details` are rows below the one of an index.
    static func table(
        _ rows: [Row], under first: [TextTable.Column], _ names: [[String]], then last: [TextTable.Column] = [],
        _ ends: [[String]] = []
    ) -> TextTable {
        let counts = CountColumns(rows)
        var table = TextTable(columns: first + counts.columns + last + [.words("")])
        let sizes = rows.map { Double($0.totals.steps + $0.totals.revolutions) }
        let largest = sizes.max() ?? 0
        table.append(
            rows.indices.map { index in
                let end = last.isEmpty ? [] : ends[index]
                let bar = HorizontalBar.text(sizes[index], ofLargest: largest)
                let cells = names[index] + counts.cells(rows[index]) + end + [bar]
                return (cells, rows[index].isEmpty)
            })
        return table
    }
}

extension CountColumns.Column {
    /// Steps are shown where nothing is, so that a table of nothing says nothing of something.
    fileprivate func isNeeded(for rows: [CountColumns.Row]) -> Bool {
        func has(_ column: Self) -> Bool { rows.contains { column.value($0) ?? 0 > 0 } }
        let isKnown = rows.contains { value($0) != nil }
        return switch self {
        case .steps: has(.steps) || !has(.revolutions)
        case .revolutions, .kilometres: has(self)
        case .rpm, .spm: isKnown
        case .active, .covered: true
        case .floorsUp, .floorsDown: has(.steps) && isKnown
        }
    }

    /// The number in the column: a count, metres, counts a minute or seconds; `nil` where it is not known.
    func value(_ row: CountColumns.Row) -> Double? {
        switch self {
        case .steps: Double(row.totals.steps)
        case .revolutions: Double(row.totals.revolutions)
        case .kilometres: row.totals.distanceMetres
        case .rpm: row.rpm
        case .spm: row.spm
        case .active: row.totals.activeSeconds
        case .covered: row.totals.coveredSeconds
        case .floorsUp: row.totals.floors.map { Double($0.ascended) }
        case .floorsDown: row.totals.floors.map { Double($0.descended) }
        }
    }

    func text(_ row: CountColumns.Row) -> String {
        guard let value = value(row) else { return "" }
        return switch self {
        case .steps, .revolutions, .floorsUp, .floorsDown: DecimalText.fixed(value, decimals: 0)
        case .kilometres: DecimalText.fixed(value / 1000, decimals: 2)
        case .rpm, .spm: DecimalText.fixed(value, decimals: 1)
        case .active, .covered: DecimalText.clock(seconds: value)
        }
    }
}

/// Instants as local date and time in the zone of the device.
struct LocalClock {
    /// The zone's IANA name, for a heading.
    let zone: String
    private let style: Date.ISO8601FormatStyle

    /// The clock of a zone; that of UTC where there is none, or one that this machine does not know.
    init(zone name: String?) {
        let zone = name.flatMap(TimeZone.init(identifier:))
        self.zone = zone == nil ? "UTC" : name ?? "UTC"
        style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone ?? .gmt).year().month().day()
            .time(includingFractionalSeconds: false)
    }

    /// The date of the start of a bucket that is a day or more, else its time as well.
    func text(_ seconds: Double, of bucket: Bucket) -> String {
        switch bucket {
        case .minute, .hour: text(seconds)
        case .day, .week, .month: String(text(seconds).prefix { $0 != " " })
        }
    }

    /// `2026-11-20 18:05`, with seconds where there are some.
    func text(_ seconds: Double) -> String {
        let text = style.format(Date(timeIntervalSince1970: seconds.rounded()))
        return text.hasSuffix(":00") ? String(text.dropLast(3)) : text
    }
}
