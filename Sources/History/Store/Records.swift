import ServiceKit
package import Wire

/// The operator's settings of a device, as far as history needs them.
package struct DeviceSettings: Sendable, Equatable {
    /// `bike`, `wearable` or `unknown`.
    package var kind = "unknown"
    /// The placement on the body or the bike.
    package var placement: String?
    /// The IANA name of its zone; `nil` for the default zone.
    package var zone: String?
    /// When its days begin, in minutes after midnight.
    package var dayStartMinutes = 0
    /// True if steps have a length, so that there is a distance.
    package var knowsStepLength = false
    /// True if crank revolutions have a length, so that there is a distance.
    package var knowsRevolutionLength = false
    /// The person who has the device.
    package var person: String?
}

extension DeviceSettings {
    /// The settings in a device's configuration. Of an unknown zone nothing holds; the counter tells it on the device's
    /// health.
    package init(_ config: DeviceConfig) {
        self.init(
            kind: config.kind.rawValue, placement: config.placement == .unknown ? nil : config.placement.rawValue,
            zone: config.zone.flatMap { TimeZoneName.zone($0) == nil ? nil : $0 },
            dayStartMinutes: config.dayStartMinutes,
            knowsStepLength: config.metresPerStride != nil || config.heightMetres != nil,
            knowsRevolutionLength: config.metresPerRevolution != nil,
            person: config.person.flatMap { PersonName.normal($0) })
    }
}

/// A device and its totals for ever.
package struct DeviceRecord: Sendable, Equatable {
    package var device: DeviceID
    /// The operator's settings.
    package var settings = DeviceSettings()
    /// The first minute with data; `nil` if only the settings are known.
    package var firstMinute: Int64?
    /// The last minute with data.
    package var lastMinute: Int64?
    /// The minute before which there are only days.
    package var compactedMinute: Int64 = 0
    /// The minute after the last of which a word of an interval told.
    package var wordsEndMinute: Int64 = 0
    /// The totals for ever.
    package var counts = Counts()
    /// Grows with every change of the totals.
    package var revision: Int64 = 0
    /// The totals that readers were given where one of `counts` has fallen below them; else `nil`.
    package var published: Counts?

    package init(device: DeviceID) { self.device = device }

    /// A device of which only the settings are known.
    init(_ device: DeviceID, _ settings: DeviceSettings) { (self.device, self.settings) = (device, settings) }
}

/// One calendar day of a device, in the device's zone of that time.
package struct DayRecord: Sendable, Equatable {
    package var date: LocalDate
    /// The device's zone when the day was made; a later zone does not change it.
    package var zone: String
    /// The minutes that belong to the day.
    package var minutes: Range<Int64>
    package var counts = Counts()
    /// Grows with every change of `counts`.
    package var revision: Int64 = 0
    /// The counts that readers were given where one of `counts` has fallen below them; else `nil`.
    package var published: Counts?
}

/// A device with its days of some dates, only those that have data, in order.
package struct DeviceSnapshot: Sendable, Equatable {
    package var record: DeviceRecord
    package var days: [DayRecord] = []
}

/// The counts of one minute, in all lives of the counters' stores.
package struct MinuteRecord: Sendable, Equatable {
    /// The minute, since 1970, UTC.
    package var minute: Int64
    package var sum: CountSum
}

// MARK: - Columns

extension DeviceRecord {
    static let columns =
        [
            "id", "name", "kind", "placement", "zone", "day_start_min", "knows_step_length", "knows_revolution_length",
            "person", "compacted_minute", "words_end_minute",
        ] + totalColumns
    /// The columns that a commit of rows changes.
    static let totalColumns = ["first_minute", "last_minute", "revision", "published"] + Counts.columns

    static let totals = SQLTable(name: "devices", key: ["name"], columns: totalColumns)

    /// Finds devices by `name = $1`.
    static let byName = "SELECT \(columns.joined(separator: ", ")) FROM devices WHERE name = $1"

    /// Makes the device, with its settings and no counts.
    func insert(_ session: any SQLSession) throws {
        try session.change(
            """
            INSERT INTO devices (name, kind, placement, zone, day_start_min, knows_step_length,
                knows_revolution_length, person) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .text("\(device)"), .text(settings.kind), .text(settings.placement), .text(settings.zone),
                .int(Int64(settings.dayStartMinutes)), .bool(settings.knowsStepLength),
                .bool(settings.knowsRevolutionLength), .text(settings.person),
            ])
    }

    /// Reads `columns`: a device and its number in the store; `nil` if its name is no device id.
    static func read(_ row: SQLRow) throws -> (id: Int64, record: DeviceRecord)? {
        var row = row
        let id = try row.int()
        guard let device = try? DeviceID(row.text()) else { return nil }
        var record = DeviceRecord(device: device)
        record.settings.kind = try row.text()
        record.settings.placement = try row.optionalText()
        record.settings.zone = try row.optionalText()
        record.settings.dayStartMinutes = Int(clamping: try row.int())
        record.settings.knowsStepLength = try row.bool()
        record.settings.knowsRevolutionLength = try row.bool()
        record.settings.person = try row.optionalText()
        record.compactedMinute = try row.int()
        record.wordsEndMinute = try row.int()
        record.firstMinute = try row.optionalInt()
        record.lastMinute = try row.optionalInt()
        record.revision = try row.int()
        record.published = try row.optionalText().flatMap { Counts(text: $0) }
        record.counts = try Counts(&row)
        return (id, record)
    }

    /// The values for `totals`.
    var totalValues: [SQLValue] {
        [.text("\(device)"), .int(firstMinute), .int(lastMinute), .int(revision), .text(published?.text)]
            + counts.values
    }
}

extension DayRecord {
    static let table = SQLTable(
        name: "days", key: ["device", "date"],
        columns: ["zone", "start_minute", "end_minute", "revision", "published"] + Counts.columns)
    /// The columns that `init(_:)` reads.
    static let columns = (["date"] + table.columns).joined(separator: ", ")

    /// Reads `columns`.
    init(_ row: inout SQLRow) throws(SQLColumnError) {
        date = LocalDate(dayNumber: Int(clamping: try row.int()))
        zone = try row.text()
        let (start, end) = (try row.int(), try row.int())
        minutes = start..<max(start, end)
        revision = try row.int()
        published = try row.optionalText().flatMap { Counts(text: $0) }
        counts = try Counts(&row)
    }

    /// The values for `table`, of a device by its number in the store.
    func values(device id: Int64) -> [SQLValue] {
        [
            .int(id), .int(Int64(date.dayNumber)), .text(zone), .int(minutes.lowerBound), .int(minutes.upperBound),
            .int(revision), .text(published?.text),
        ] + counts.values
    }
}
