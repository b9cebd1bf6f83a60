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

/// Whose counts are kept: a device's, or a person's, which come from the devices that the person had.
package enum Subject: Sendable, Hashable {
    case device(DeviceID)
    /// By the person's name.
    case person(String)

    /// The name in the store, which is unique among devices and among people.
    var name: String {
        switch self {
        case .device(let device): "\(device)"
        case .person(let name): name
        }
    }

    var isPerson: Bool { if case .person = self { true } else { false } }
    // The two are not inlined because the optimizer of Swift 6.3.1 ends where they are, in a loop over records.
    @inline(never)
    package var device: DeviceID? { if case .device(let device) = self { device } else { nil } }
    @inline(never)
    package var person: String? { if case .person(let name) = self { name } else { nil } }

    /// Both parts of the key.
    var key: [SQLValue] { [.bool(isPerson), .text(name)] }
}

extension Subject: Comparable {
    /// Devices before people, then by the bytes of the names.
    package static func < (one: Subject, other: Subject) -> Bool {
        guard one.isPerson == other.isPerson else { return other.isPerson }
        return one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}

/// A device or a person, and the totals for ever.
package struct SubjectRecord: Sendable, Equatable {
    package var subject: Subject
    /// The operator's settings of a device; of a person, the zone of the last minute.
    package var settings = DeviceSettings()
    /// The first minute with data; `nil` if only the settings are known.
    package var firstMinute: Int64?
    /// The last minute with data.
    package var lastMinute: Int64?
    /// The minute before which there are only days.
    package var compactedMinute: Int64 = 0
    /// The minute before which there are no traces.
    package var tracesMinute: Int64 = 0
    /// The minute after the last of which a word of an interval told.
    package var wordsEndMinute: Int64 = 0
    /// The totals for ever.
    package var counts = Counts()
    /// Grows with every change of the totals.
    package var revision: Int64 = 0
    /// The totals that readers were given where one of `counts` has fallen below them; else `nil`.
    package var published: Counts?

    package init(_ subject: Subject) { self.subject = subject }

    package var device: DeviceID? { subject.device }
}

// MARK: - Columns

extension SubjectRecord {
    static let columns =
        ["id"] + settings.allColumns + ["compacted_minute", "traces_minute", "words_end_minute"] + totalColumns
    /// What operators say of it.
    static let settings = SQLTable(
        name: "subjects", key: ["is_person", "name"],
        columns: [
            "kind", "placement", "zone", "day_start_min", "knows_step_length", "knows_revolution_length", "person",
        ])
    /// The columns that a commit of rows changes.
    static let totalColumns = ["first_minute", "last_minute", "revision", "published"] + Counts.columns

    static let totals = SQLTable(name: "subjects", key: ["is_person", "name"], columns: totalColumns)

    /// Finds one by `Subject.key`.
    static let byName = "SELECT \(columns.joined(separator: ", ")) FROM subjects WHERE is_person = $1 AND name = $2"

    /// The values for `settings`.
    var settingsValues: [SQLValue] {
        subject.key + [
            .text(settings.kind), .text(settings.placement), .text(settings.zone),
            .int(Int64(settings.dayStartMinutes)), .bool(settings.knowsStepLength),
            .bool(settings.knowsRevolutionLength), .text(settings.person),
        ]
    }

    /// Reads `columns`: a subject and its number in the store; `nil` if the name is no device id.
    static func read(_ row: SQLRow) throws -> (id: Int64, record: SubjectRecord)? {
        var row = row
        let id = try row.int()
        guard let subject = try subject(&row) else { return nil }
        var record = SubjectRecord(subject)
        record.settings.kind = try row.text()
        record.settings.placement = try row.optionalText()
        record.settings.zone = try row.optionalText()
        record.settings.dayStartMinutes = Int(clamping: try row.int())
        record.settings.knowsStepLength = try row.bool()
        record.settings.knowsRevolutionLength = try row.bool()
        record.settings.person = try row.optionalText()
        record.compactedMinute = try row.int()
        record.tracesMinute = try row.int()
        record.wordsEndMinute = try row.int()
        record.firstMinute = try row.optionalInt()
        record.lastMinute = try row.optionalInt()
        record.revision = try row.int()
        record.published = try row.optionalText().flatMap { Counts(text: $0) }
        record.counts = try Counts(&row)
        return (id, record)
    }

    /// Reads `is_person` and `name`.
    static func subject(_ row: inout SQLRow) throws -> Subject? {
        let (isPerson, name) = (try row.bool(), try row.text())
        return isPerson ? .person(name) : (try? DeviceID(name)).map { .device($0) }
    }

    /// The values for `totals`.
    var totalValues: [SQLValue] {
        subject.key + [.int(firstMinute), .int(lastMinute), .int(revision), .text(published?.text)] + counts.values()
    }
}

// MARK: - Reading

extension HistoryStore {
    /// One device; `nil` if nothing was ever kept of it.
    package func device(_ device: DeviceID) async throws(HistoryError) -> SubjectRecord? {
        try await record(of: .device(device))
    }

    /// A device or a person; `nil` if nothing was ever kept of it.
    func record(of subject: Subject) async throws(HistoryError) -> SubjectRecord? {
        try await database.read(isSnapshot: false) { session in try Self.find(subject, session)?.record }
    }

    /// Whether anything was counted or said of a device or a person.
    func knows(_ subject: Subject) async throws(HistoryError) -> Bool {
        let isKnown =
            subject.isPerson
            ? "UNION ALL SELECT 1 FROM assignments WHERE person = $2 UNION ALL SELECT 1 FROM profiles WHERE person = $2 "
                + "UNION ALL SELECT 1 FROM users WHERE role = 'member' AND coalesce(person, name) = $2"
            : "UNION ALL SELECT 1 FROM assignments WHERE device = $2 UNION ALL SELECT 1 FROM users WHERE name = $2"
        return try await database.read(isSnapshot: false) { session in
            try session.number(
                "SELECT 1 FROM subjects WHERE is_person = $1 AND name = $2 \(isKnown) LIMIT 1", subject.key) != nil
        }
    }

    /// Devices by their ids, beginning after one of them; all of them, or those of which something was counted.
    package func devices(
        after device: DeviceID?, limit: Int, areCounted: Bool = false
    ) async throws(HistoryError) -> [SubjectRecord] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                """
                SELECT \(SubjectRecord.columns.joined(separator: ", ")) FROM subjects
                WHERE is_person = $1 AND name > $2 \(areCounted ? "AND first_minute IS NOT NULL" : "")
                ORDER BY name LIMIT $3
                """, [.bool(false), .text(device?.description ?? ""), .int(Int64(limit))]
            ).compactMap { try SubjectRecord.read($0)?.record }
        }
    }

    /// All devices and people, or only those that have minutes before a horizon.
    package func subjects(before horizon: Int64? = nil) async throws(HistoryError) -> [Subject] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                """
                SELECT is_person, name FROM subjects WHERE $1 IS NULL
                    OR first_minute < $1 AND compacted_minute < $1 AND last_minute >= compacted_minute
                ORDER BY is_person, name
                """, [.int(horizon)]
            ).read { try SubjectRecord.subject(&$0) }
        }
    }

    /// Those of which something was counted at a minute or later.
    func subjects(countedSince minute: Int64) async throws(HistoryError) -> [Subject] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                "SELECT is_person, name FROM subjects WHERE last_minute >= $1", [.int(minute)]
            ).read { try SubjectRecord.subject(&$0) }
        }
    }

    static func find(_ subject: Subject, _ session: any SQLSession) throws -> (id: Int64, record: SubjectRecord)? {
        try session.query(SubjectRecord.byName, subject.key).first.flatMap { try SubjectRecord.read($0) }
    }
}
