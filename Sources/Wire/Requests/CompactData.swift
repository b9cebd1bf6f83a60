/// The data of a reply to a request with `compact`: rows of values, in the order of the verb's columns, for clients
/// with little memory.
package struct CompactData: JSONPayload, Hashable {
    /// The rows, with text and numbers only; 0 for an unknown value.
    package var rows: [[JSONValue]] = []
    /// The cursor of the next page; absent on the last page.
    package var cursor: String?

    package init() {}

    package init(rows: [[JSONValue]], cursor: String? = nil) {
        self.rows = rows
        self.cursor = cursor
    }

    package static var maximumBytes: Int { JSONValue.maximumBytes }

    package mutating func fields<List: FieldList>(_ list: inout List) throws(WireError) {
        try list.field("rows", .array, &rows, read: Self.rows, write: { $0.value(.array($1.map { .array($0) })) })
        try list.text("cursor", &cursor)
    }

    private static func rows(_ json: JSONValue) throws(WireError) -> [[JSONValue]] {
        guard let values = json.array else { throw .wrongType }
        guard values.count <= PayloadLimits.maximumRecords else { throw .payloadTooLarge }
        var rows: [[JSONValue]] = []
        for value in values {
            guard let row = value.array else { throw .wrongType }
            rows.append(row)
        }
        return rows
    }
}

/// Data that has a compact form.
package protocol CompactPayload: JSONPayload {
    /// The data as rows of values.
    var compact: CompactData { get }
}

extension DaysData: CompactPayload {
    /// Columns: date, steps, revolutions, distance_m, active_s, covered_s, revision.
    package var compact: CompactData {
        let rows = days.map { day -> [JSONValue] in
            [
                .string(day.date), .unsigned(day.steps), .unsigned(day.revolutions), .rounded(day.distanceMetres),
                .rounded(day.activeSeconds), .rounded(day.coveredSeconds), .unsigned(day.revision),
            ]
        }
        return CompactData(rows: rows, cursor: cursor)
    }
}

extension SeriesData: CompactPayload {
    /// Columns: start, steps, revolutions, distance_m, cadence, active_s, covered_s.
    package var compact: CompactData {
        let rows = buckets.map { bucket -> [JSONValue] in
            [
                .rounded(bucket.start), .unsigned(bucket.steps), .unsigned(bucket.revolutions),
                .rounded(bucket.distanceMetres), .rounded((bucket.rpm ?? bucket.spm)?.average ?? 0),
                .rounded(bucket.activeSeconds), .rounded(bucket.coveredSeconds),
            ]
        }
        return CompactData(rows: rows, cursor: cursor)
    }
}

extension IntervalData: CompactPayload {
    /// One row; columns: from, to, steps, revolutions, distance_m, cadence, active_s, covered_s.
    package var compact: CompactData {
        let row: [JSONValue] = [
            .rounded(from), .rounded(to), .unsigned(totals.steps), .unsigned(totals.revolutions),
            .rounded(totals.distanceMetres),
            .rounded((rpm ?? spm)?.average ?? 0), .rounded(totals.activeSeconds), .rounded(totals.coveredSeconds),
        ]
        return CompactData(rows: [row])
    }
}

extension ActivityData: CompactPayload {
    /// Columns: start, end, activity, confidence, steps, revolutions.
    package var compact: CompactData {
        let rows = segments.map { segment -> [JSONValue] in
            [
                .rounded(segment.start), .rounded(segment.end), .string(segment.activity.name),
                .string(segment.confidence.rawValue), .unsigned(segment.steps), .unsigned(segment.revolutions),
            ]
        }
        return CompactData(rows: rows, cursor: cursor)
    }
}

extension DevicesData: CompactPayload {
    /// Columns: device, kind, first_t, last_t, steps, revolutions.
    package var compact: CompactData {
        let rows = devices.map { entry -> [JSONValue] in
            [
                .string(entry.device.description), .string(entry.kind.rawValue), .rounded(entry.firstT),
                .rounded(entry.lastT), .unsigned(entry.steps), .unsigned(entry.revolutions),
            ]
        }
        return CompactData(rows: rows, cursor: cursor)
    }
}

extension PersonData: CompactPayload {
    /// Columns: start, steps, revolutions, distance_m, active_s, covered_s; the counts of each device are left out.
    package var compact: CompactData {
        let rows = buckets.map { bucket -> [JSONValue] in
            [
                .rounded(bucket.start), .unsigned(bucket.steps), .unsigned(bucket.revolutions),
                .rounded(bucket.distanceMetres), .rounded(bucket.activeSeconds), .rounded(bucket.coveredSeconds),
            ]
        }
        return CompactData(rows: rows, cursor: cursor)
    }
}

extension JSONValue {
    /// A number rounded to tenths.
    fileprivate static func rounded(_ number: Double) -> JSONValue {
        let tenths = (number * 10).rounded() / 10
        return Int64(exactly: tenths).map { .integer($0) } ?? .number(tenths)
    }
}
