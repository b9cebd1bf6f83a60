import Foundation
package import Wire

/// A column of an answer: the field of its records, its heading in a table, and its unit.
package struct RecordColumn: Sendable {
    /// The unit on the bus, and the form in a table.
    enum Unit {
        case text
        /// A whole number.
        case count
        /// A number with so many decimals.
        case decimal(Int)
        /// Metres; kilometres in a table.
        case metres
        /// Metres a second; kilometres an hour in a table.
        case speed
        /// Seconds; hours, minutes and seconds in a table.
        case duration
        /// Seconds since 1970; local time in a table.
        case instant
    }

    package let field: String
    let title: String
    let unit: Unit

    /// The fields of answers that are not a text, with their headings in a table.
    private static let known: [String: (title: String, unit: Unit)] = [
        "from": ("from", .instant), "to": ("to", .instant), "start": ("start", .instant), "end": ("end", .instant),
        "first_t": ("first", .instant), "last_t": ("last", .instant), "steps": ("steps", .count),
        "strides": ("strides", .count), "revolutions": ("revolutions", .count), "distance_m": ("km", .metres),
        "distance_active_s": ("with a distance", .duration), "active_s": ("active", .duration),
        "covered_s": ("covered", .duration), "floors_ascended": ("floors up", .count),
        "floors_descended": ("down", .count), "cadence_avg_rpm": ("rpm", .decimal(1)),
        "cadence_min_rpm": ("rpm at least", .decimal(1)), "cadence_max_rpm": ("rpm at most", .decimal(1)),
        "cadence_now_rpm": ("rpm now", .decimal(1)), "cadence_avg_spm": ("spm", .decimal(1)),
        "cadence_min_spm": ("spm at least", .decimal(1)), "cadence_max_spm": ("spm at most", .decimal(1)),
        "cadence_now_spm": ("spm now", .decimal(1)), "pace_avg_s_per_m": ("s/m", .decimal(2)),
        "pace_now_s_per_m": ("s/m now", .decimal(2)), "speed_avg_m_per_s": ("km/h", .speed),
        "speed_now_m_per_s": ("km/h now", .speed), "resolution_s": ("to whole", .duration),
        "confidence": ("confidence", .decimal(2)), "revision": ("revision", .count), "minutes": ("minutes", .count),
        "devices": ("devices", .count), "moving_s": ("moving", .duration), "paused_s": ("paused", .duration),
        "heart_avg_bpm": ("bpm", .decimal(0)), "power_avg_w": ("W", .decimal(0)), "work_kj": ("kJ", .decimal(0)),
        "kcal": ("kcal", .decimal(0)),
        "ended": ("end", .instant), "rank": ("rank", .count),
        "time_in_target_s": ("in target", .duration),
    ]

    /// The column of a field; one that is not known is a text under its own name.
    package init(_ field: String) {
        (title, unit) = Self.known[field] ?? (field.replacing("_", with: " "), .text)
        self.field = field
    }

    var isText: Bool { if case .text = unit { true } else { false } }

    /// The value for people.
    func text(_ value: JSONValue?, _ clock: LocalClock) -> String {
        guard let value, value != .null else { return "" }
        guard let number = value.double else { return value.bool.map { $0 ? "yes" : "no" } ?? Self.words(value) }
        return switch unit {
        case .text: Self.words(value)
        case .count: DecimalText.fixed(number, decimals: 0)
        case .decimal(let decimals): DecimalText.fixed(number, decimals: decimals)
        case .metres: DecimalText.fixed(number / 1000, decimals: 2)
        case .speed: DecimalText.fixed(number * 3.6, decimals: 1)
        case .duration: DecimalText.clock(seconds: number)
        case .instant: clock.text(number)
        }
    }

    /// A text as it is, texts with a comma between them, and other JSON.
    private static func words(_ value: JSONValue) -> String {
        value.string ?? value.array.map { $0.map(words).joined(separator: ",") }
            ?? String(decoding: value.encodedJSON(), as: UTF8.self)
    }

    /// The value for a program (RFC 4180): a plain number, an instant in UTC, or a text.
    func csv(_ value: JSONValue?) -> String {
        guard let value, value != .null else { return "" }
        if case .instant = unit, let seconds = value.double { return TimePoint.instant(seconds: seconds).text }
        var text = Self.words(value)
        // A spreadsheet takes what begins so for a formula.
        if value.double == nil, let first = text.first, "=+-@\t\r".contains(first) { text = "'" + text }
        let isPlain = !text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

/// The records of an answer, for people and for programs.
package struct RecordTable: Sendable {
    private let columns: [RecordColumn]
    private let records: [JSONObject]

    package init(_ records: [JSONObject], fields: [String]) {
        columns = fields.map { RecordColumn($0) }
        self.records = records
    }

    package static func csvHeading(_ fields: [String]) -> String { fields.joined(separator: ",") }

    /// A line of CSV a record.
    package var csvLines: [String] {
        records.map { record in columns.map { $0.csv(record[$0.field]) }.joined(separator: ",") }
    }

    /// True if a record says nothing: none of its counts and durations is above 0.
    package static func isEmpty(_ record: JSONObject) -> Bool {
        ["steps", "revolutions", "active_s", "covered_s"].allSatisfy { (record[$0]?.double ?? 0) == 0 }
    }

    /// True if there are no records, or stretches of time alone in which nothing was counted.
    package var saysNothing: Bool { records.isEmpty || saysCounts && records.allSatisfy(Self.isEmpty) }

    /// A row a record; columns in which no record has anything are left out, but for the first. Times are local, by a
    /// record's own zone or by the given one.
    package func table(zone: String?) -> TextTable {
        let shown = columns.enumerated().filter { index, column in
            index == 0 || records.contains { isSaid($0[column.field]) }
        }.map(\.element)
        let hasZones = columns.contains { $0.field == "zone" }
        let clock = LocalClock(zone: zone)
        var table = TextTable(
            columns: shown.enumerated().map { index, column in
                let isLocal = if case .instant = column.unit, index == 0, !hasZones { true } else { false }
                let title = column.title + (isLocal ? " (\(clock.zone))" : "")
                return column.isText || isLocal ? .words(title) : .numbers(title)
            })
        table.append(
            records.map { record in
                let isEmpty = Self.isEmpty(record) && saysCounts
                let own = record["zone"]?.string.map { LocalClock(zone: $0) } ?? clock
                return (
                    shown.enumerated().map { index, column in
                        isEmpty && index > 0 && !column.isText ? "" : column.text(record[column.field], own)
                    }, isEmpty
                )
            })
        return table
    }

    /// One record, a line a field.
    package func fields(zone: String?) -> TextTable {
        let clock = LocalClock(zone: zone)
        var table = TextTable(columns: [.words("what"), .words(clock.zone)])
        for record in records {
            for column in columns where record[column.field].map({ $0 != .null }) ?? false {
                table.append([column.title, column.text(record[column.field], clock)])
            }
        }
        return table
    }

    /// True if the records are of counts: one without any is an empty stretch of time then.
    private var saysCounts: Bool { columns.contains { $0.field == "covered_s" } }

    private func isSaid(_ value: JSONValue?) -> Bool {
        switch value {
        case nil, .null: false
        case .bool(let flag): flag
        case .string(let text): !text.isEmpty
        case .array(let values): !values.isEmpty
        case .some(let other): other.double.map { $0 != 0 } ?? false
        }
    }
}

/// Instants as local date and time.
package struct LocalClock {
    /// The zone's IANA name, for a heading.
    let zone: String
    private let style: Date.ISO8601FormatStyle

    /// The clock of a zone; that of UTC where there is none, or one that this machine does not know.
    package init(zone name: String?) {
        let zone = name.flatMap(TimeZone.init(identifier:))
        self.zone = zone == nil ? "UTC" : name ?? "UTC"
        style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone ?? .gmt).year().month().day()
            .time(includingFractionalSeconds: false)
    }

    /// `2026-11-20 18:05`, with seconds where there are some, and the date alone at its midnight.
    package func text(_ seconds: Double) -> String {
        var text = Substring(style.format(Date(timeIntervalSince1970: seconds.rounded())))
        for end in [":00", " 00:00"] where text.hasSuffix(end) { text = text.dropLast(end.count) }
        return String(text)
    }
}
