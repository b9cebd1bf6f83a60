package import Wire

/// Data of a reply that is also a table: RFC 4180 CSV with plain numbers, a line a record.
package protocol CSVPayload: JSONPayload {
    /// The names of the columns.
    static var csvColumns: [String] { get }
    /// A value for each column of each record; 0 for an unknown number.
    var csvRows: [[JSONValue]] { get }
}

extension CSVPayload {
    /// The heading, without line end.
    package static var csvHeading: String { csvColumns.joined(separator: ",") }

    /// The records, each without line end.
    package var csvLines: [String] { csvRows.map { row in row.map(\.csv).joined(separator: ",") } }
}

extension DaysData: CSVPayload {
    package static var csvColumns: [String] { ["date"] + sumColumns + timeColumns + ["revision"] }

    package var csvRows: [[JSONValue]] {
        days.map { [.string($0.date)] + sums($0) + times($0) + [.unsigned($0.revision)] }
    }
}

extension SeriesData: CSVPayload {
    package static var csvColumns: [String] { ["start"] + sumColumns + ["cadence"] + timeColumns }

    package var csvRows: [[JSONValue]] {
        buckets.map { [.tenths($0.start)] + sums($0) + [cadence($0.rpm, $0.spm)] + times($0) }
    }
}

extension IntervalData: CSVPayload {
    package static var csvColumns: [String] { ["from", "to"] + sumColumns + ["cadence"] + timeColumns }

    package var csvRows: [[JSONValue]] {
        [[.tenths(from), .tenths(to)] + sums(self) + [cadence(rpm, spm)] + times(self)]
    }
}

extension ActivityData: CSVPayload {
    package static var csvColumns: [String] { ["start", "end", "activity", "confidence", "steps", "revolutions"] }

    package var csvRows: [[JSONValue]] {
        segments.map { segment in
            [
                .tenths(segment.start), .tenths(segment.end), .string(segment.activity.name),
                .string(segment.confidence.rawValue), .unsigned(segment.steps), .unsigned(segment.revolutions),
            ]
        }
    }
}

extension DevicesData: CSVPayload {
    package static var csvColumns: [String] { ["device", "kind", "first_t", "last_t", "steps", "revolutions"] }

    package var csvRows: [[JSONValue]] {
        devices.map { entry in
            [
                .string(entry.device.description), .string(entry.kind.rawValue), .tenths(entry.firstT),
                .tenths(entry.lastT), .unsigned(entry.steps), .unsigned(entry.revolutions),
            ]
        }
    }
}

extension PersonData: CSVPayload {
    package static var csvColumns: [String] { ["start"] + sumColumns + timeColumns }

    package var csvRows: [[JSONValue]] { buckets.map { [.tenths($0.start)] + sums($0) + times($0) } }
}

private let sumColumns = ["steps", "revolutions", "distance_m"]
private let timeColumns = ["active_s", "covered_s"]

private func sums(_ record: some TotalsHolder) -> [JSONValue] {
    [.unsigned(record.steps), .unsigned(record.revolutions), .tenths(record.distanceMetres)]
}

private func times(_ record: some TotalsHolder) -> [JSONValue] {
    [.tenths(record.activeSeconds), .tenths(record.coveredSeconds)]
}

private func cadence(_ rpm: CadenceFigures?, _ spm: CadenceFigures?) -> JSONValue {
    .tenths((rpm ?? spm)?.average ?? 0)
}

extension JSONValue {
    /// A number rounded to tenths.
    fileprivate static func tenths(_ number: Double) -> JSONValue {
        let tenths = (number * 10).rounded() / 10
        return Int64(exactly: tenths).map { .integer($0) } ?? .number(tenths)
    }

    fileprivate var csv: String {
        guard let text = string else { return String(decoding: encodedJSON(), as: UTF8.self) }
        let isPlain = !text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
