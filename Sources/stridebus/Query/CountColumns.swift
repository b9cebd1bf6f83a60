import Foundation
import Lab
import Wire

/// The columns for what was counted. Only those are there of which some row has something: a bike's table has no steps.
struct CountColumns {
    /// The columns that a table may have, in this order.
    enum Column: CaseIterable {
        case steps, revolutions, kilometres, rpm, spm, active, covered, floorsUp, floorsDown
    }

    /// The values of a row.
    struct Row {
        var steps: UInt64 = 0
        var revolutions: UInt64 = 0
        var distanceMetres = 0.0
        var rpm: Double?
        var spm: Double?
        var activeSeconds = 0.0
        var coveredSeconds = 0.0
        var floors: FloorCounts?

        /// True if nothing is known of it.
        var isEmpty: Bool { coveredSeconds == 0 && steps == 0 && revolutions == 0 }
    }

    /// The columns of this table.
    let shown: [Column]

    /// The columns for these rows.
    init(_ rows: [Row]) {
        shown = Column.allCases.filter { $0.isNeeded(for: rows) }
    }

    /// The headings.
    var columns: [TextTable.Column] { shown.map { .numbers($0.title) } }

    /// The cells of a row; those of one of which nothing is known are empty.
    func cells(_ row: Row) -> [String] {
        shown.map { row.isEmpty ? "" : $0.text(row) }
    }

    /// A bar a row, as long as its steps and revolutions are many.
    static func bars(_ rows: [Row]) -> [String] {
        let counts = rows.map { Double($0.steps + $0.revolutions) }
        let largest = counts.max() ?? 0
        return counts.map { HorizontalBar.text($0, ofLargest: largest) }
    }

    /// The cells of a row that has words in some columns and nothing in the others.
    func cells(_ words: [Column: String]) -> [String] {
        shown.map { words[$0] ?? "" }
    }
}

extension CountColumns.Column {
    var title: String {
        switch self {
        case .steps: "steps"
        case .revolutions: "revolutions"
        case .kilometres: "km"
        case .rpm: "rpm"
        case .spm: "spm"
        case .active: "active"
        case .covered: "covered"
        case .floorsUp: "floors up"
        case .floorsDown: "down"
        }
    }

    /// Steps are shown where nothing is, so that a table of nothing says nothing of something.
    fileprivate func isNeeded(for rows: [CountColumns.Row]) -> Bool {
        let hasSteps = rows.contains { $0.steps > 0 }
        let hasRevolutions = rows.contains { $0.revolutions > 0 }
        return switch self {
        case .steps: hasSteps || !hasRevolutions
        case .revolutions: hasRevolutions
        case .kilometres: rows.contains { $0.distanceMetres > 0 }
        case .rpm: rows.contains { $0.rpm != nil }
        case .spm: rows.contains { $0.spm != nil }
        case .active, .covered: true
        case .floorsUp, .floorsDown: hasSteps && rows.contains { $0.floors != nil }
        }
    }

    func text(_ row: CountColumns.Row) -> String {
        switch self {
        case .steps: "\(row.steps)"
        case .revolutions: "\(row.revolutions)"
        case .kilometres: DecimalText.fixed(row.distanceMetres / 1000, decimals: 2)
        case .rpm: row.rpm.map { DecimalText.fixed($0, decimals: 1) } ?? ""
        case .spm: row.spm.map { DecimalText.fixed($0, decimals: 1) } ?? ""
        case .active: DecimalText.clock(seconds: row.activeSeconds)
        case .covered: DecimalText.clock(seconds: row.coveredSeconds)
        case .floorsUp: row.floors.map { "\($0.ascended)" } ?? ""
        case .floorsDown: row.floors.map { "\($0.descended)" } ?? ""
        }
    }
}

extension CountColumns.Row {
    init(_ day: DayTotals) {
        self.init(
            steps: day.steps, revolutions: day.revolutions, distanceMetres: day.distanceMetres,
            activeSeconds: day.activeSeconds, coveredSeconds: day.coveredSeconds, floors: day.floors)
    }

    init(_ bucket: SeriesBucket) {
        self.init(
            steps: bucket.steps, revolutions: bucket.revolutions, distanceMetres: bucket.distanceMetres,
            rpm: bucket.rpm?.average, spm: bucket.spm?.average, activeSeconds: bucket.activeSeconds,
            coveredSeconds: bucket.coveredSeconds, floors: bucket.floors)
    }

    init(_ bucket: PersonBucket) {
        self.init(
            steps: bucket.steps, revolutions: bucket.revolutions, distanceMetres: bucket.distanceMetres,
            rpm: bucket.rpm?.average, spm: bucket.spm?.average, activeSeconds: bucket.activeSeconds,
            coveredSeconds: bucket.coveredSeconds, floors: bucket.floors)
    }
}

/// Instants as local date and time in the zone of the device.
struct LocalClock {
    /// The zone's IANA name, for a heading.
    let zone: String
    private let calendar: Calendar

    /// The clock of a zone; that of UTC where there is none, or one that this machine does not know.
    init(zone name: String?) {
        let zone = name.flatMap(TimeZone.init(identifier:))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone ?? .gmt
        self.calendar = calendar
        self.zone = zone == nil ? "UTC" : name ?? "UTC"
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
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds.rounded()))
        let date = [parts.year, parts.month, parts.day].map(Self.padded).joined(separator: "-")
        let time = [parts.hour, parts.minute] + (parts.second == 0 ? [] : [parts.second])
        return "\(date) \(time.map(Self.padded).joined(separator: ":"))"
    }

    private static func padded(_ number: Int?) -> String {
        let number = number ?? 0
        return number < 10 ? "0\(number)" : "\(number)"
    }
}
