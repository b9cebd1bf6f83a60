/// The data of a reply to a request with `compact`: rows of values, in the order of the verb's columns, for clients
/// with little memory.
package struct CompactData: FieldPayload, Hashable {
    /// The rows, with text and numbers only; 0 for an unknown value.
    package var rows: [[JSONValue]] = []
    /// The cursor of the next page; absent on the last page.
    package var cursor: String?

    mutating func fields(_ list: inout FieldList) throws(WireError) {
        try list.field("rows", &rows, .rows)
        try list.field("cursor", &cursor, .text)
    }
}

extension FieldForm<[[JSONValue]]> {
    fileprivate static var rows: Self {
        Self(type: .array) { json throws(WireError) in
            try json.elements().map { row throws(WireError) in
                guard let values = row.array else { throw .wrongType }
                return values
            }
        } write: {
            $0.value(.array($1.map { .array($0) }))
        }
    }
}

/// Data of any number of records, which comes in pages.
package protocol PagedPayload: JSONPayload {
    associatedtype Record: Sendable
    /// The property with the records of this page.
    static var recordsPath: WritableKeyPath<Self, [Record]> { get }
    /// The cursor of the next page; nil on the last page.
    var cursor: String? { get set }
}

extension PagedPayload {
    package static var maximumBytes: Int { JSONValue.maximumBytes }

    package var records: [Record] {
        get { self[keyPath: Self.recordsPath] }
        set { self[keyPath: Self.recordsPath] = newValue }
    }
}

/// Data that has a compact form, a row of values for each record.
package protocol CompactPayload: JSONPayload {
    associatedtype Record
    var records: [Record] { get }
    var cursor: String? { get }
    /// The columns of a row.
    static var columns: [CompactColumn<Record>] { get }
}

extension CompactPayload {
    fileprivate static var columnNames: [String] { columns.map(\.name) }

    package var compact: CompactData {
        let columns = Self.columns
        return CompactData(rows: records.map { record in columns.map { $0.value(record) } }, cursor: cursor)
    }
}

extension RequestVerb {
    /// The column names of the compact form; nil if the verb has none.
    package var compactColumns: [String]? {
        let type: (any CompactPayload.Type)? =
            switch self {
            case .historyDays: DaysData.self
            case .historySeries: SeriesData.self
            case .historyInterval: IntervalData.self
            case .historyActivity: ActivityData.self
            case .devices: DevicesData.self
            case .people: PersonData.self
            case .liveStart, .liveStop, .capabilities, .peopleCheckin, .peopleCheckout, .peopleConfigure, .peopleForget,
                .devicesConfigure,
                .devicesForget:
                nil
            }
        return type?.columnNames
    }
}

/// A column of the compact form.
package struct CompactColumn<Record> {
    fileprivate let name: String
    fileprivate let value: (Record) -> JSONValue

    fileprivate static func text(_ name: String, _ value: @escaping (Record) -> String) -> Self {
        Self(name: name) { .string(value($0)) }
    }

    fileprivate static func count(_ name: String, _ value: @escaping (Record) -> UInt64) -> Self {
        Self(name: name) { .unsigned(value($0)) }
    }

    /// A number rounded to tenths.
    fileprivate static func number(_ name: String, _ value: @escaping (Record) -> Double) -> Self {
        Self(name: name) { record in
            let tenths = (value(record) * 10).rounded() / 10
            return Int64(exactly: tenths).map { .integer($0) } ?? .number(tenths)
        }
    }
}

extension CompactColumn where Record: TotalsHolder {
    fileprivate static var sums: [Self] {
        [.count("steps", \.steps), .count("revolutions", \.revolutions), .number("distance_m", \.distanceMetres)]
    }

    fileprivate static var times: [Self] {
        [.number("active_s", \.activeSeconds), .number("covered_s", \.coveredSeconds)]
    }
}

extension DaysData: PagedPayload, CompactPayload {
    package static var recordsPath: WritableKeyPath<Self, [DayTotals]> { \.days }

    package static var columns: [CompactColumn<DayTotals>] {
        [.text("date", \.date)] + CompactColumn.sums + CompactColumn.times + [.count("revision", \.revision)]
    }
}

extension SeriesData: PagedPayload, CompactPayload {
    package static var recordsPath: WritableKeyPath<Self, [SeriesBucket]> { \.buckets }

    package static var columns: [CompactColumn<SeriesBucket>] {
        [.number("start", \.start)] + CompactColumn.sums
            + [.number("cadence") { ($0.rpm ?? $0.spm)?.average ?? 0 }] + CompactColumn.times
    }
}

extension IntervalData: CompactPayload {
    package var records: [IntervalData] { [self] }
    package var cursor: String? { nil }

    package static var columns: [CompactColumn<IntervalData>] {
        [.number("from", \.from), .number("to", \.to)] + CompactColumn.sums
            + [.number("cadence") { ($0.rpm ?? $0.spm)?.average ?? 0 }] + CompactColumn.times
    }
}

extension ActivityData: PagedPayload, CompactPayload {
    package static var recordsPath: WritableKeyPath<Self, [ActivitySegment]> { \.segments }

    package static var columns: [CompactColumn<ActivitySegment>] {
        [
            .number("start", \.start), .number("end", \.end), .text("activity", \.activity.name),
            .text("confidence", \.confidence.rawValue), .count("steps", \.steps), .count("revolutions", \.revolutions),
        ]
    }
}

extension DevicesData: PagedPayload, CompactPayload {
    package static var recordsPath: WritableKeyPath<Self, [DeviceEntry]> { \.devices }

    package static var columns: [CompactColumn<DeviceEntry>] {
        [
            .text("device", \.device.description), .text("kind", \.kind.rawValue), .number("first_t", \.firstT),
            .number("last_t", \.lastT), .count("steps", \.steps), .count("revolutions", \.revolutions),
        ]
    }
}

extension PersonData: PagedPayload, CompactPayload {
    package static var recordsPath: WritableKeyPath<Self, [PersonBucket]> { \.buckets }

    /// The counts of each device are left out.
    package static var columns: [CompactColumn<PersonBucket>] {
        [.number("start", \.start)] + CompactColumn.sums + CompactColumn.times
    }
}

extension PeopleData: PagedPayload {
    package static var recordsPath: WritableKeyPath<Self, [PersonEntry]> { \.people }
}

extension CompactData: PagedPayload {
    package static var recordsPath: WritableKeyPath<Self, [[JSONValue]]> { \.rows }
}
