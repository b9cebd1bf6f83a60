package import Wire

/// A device that is a person's for a stretch of time.
package struct Assignment: Sendable, Hashable {
    /// The origin of an assignment.
    package enum Origin: Int, Sendable {
        /// The device's config names the person.
        case config = 0
        case checkin = 1
    }

    package var person: String
    package var device: DeviceID
    /// The minutes; from `always` where it has always been so, up to `forGood` where it goes on.
    package var minutes: Range<Int64>
    /// The origin: a check-in counts before a config.
    package var origin = Origin.checkin
    /// The team that the person rides for in that time.
    package var team: String?

    /// The first minute of an assignment without a beginning.
    package static let always = DayCalendar.minutes.lowerBound
    /// The end of an assignment that goes on.
    package static let forGood = DayCalendar.minutes.upperBound
    /// The most assignments of one device or one person that are kept: thirty check-ins a day of nearly two years. Of
    /// more, those that ended first are let go; their minutes are whose they were counted for.
    package static let maximumKept = 20_000
}

/// The person of a device at each time. Check-ins cut earlier check-ins, and count before the device's config.
enum DeviceOwnership {
    /// The assignments of a device after one more is made.
    static func adding(_ new: Assignment, to existing: [Assignment]) -> [Assignment] {
        existing.flatMap { old in old.origin == new.origin ? cut(old, by: new.minutes) : [old] } + [new]
    }

    /// The assignments of a device whose config names a person from a minute on: the person before has it until then.
    /// - Parameter existing: Those of that minute and later.
    /// - Returns: The assignments to keep; nil if they stay as they are.
    static func naming(
        _ person: String?, for device: DeviceID, at minute: Int64, in existing: [Assignment]
    ) -> [Assignment]? {
        var all = existing
        let named = all.filter { $0.origin == .config }
        let isOpen = named.last.map { $0.minutes.upperBound == Assignment.forGood } ?? false
        guard person != (isOpen ? named.last?.person : nil) else { return nil }
        for index in all.indices where all[index].origin == .config {
            let minutes = all[index].minutes
            all[index].minutes = minutes.lowerBound..<max(minutes.lowerBound, min(minutes.upperBound, minute))
        }
        all.removeAll { $0.minutes.isEmpty }
        if let person, !person.isEmpty {
            all.append(
                Assignment(person: person, device: device, minutes: minute..<Assignment.forGood, origin: .config))
        }
        return all
    }

    /// The assignments after the check-in of a minute ends there: that of any person, or only of one.
    /// - Returns: The assignments to keep and the check-in as it is now; nil if there is none.
    static func ending(
        at minute: Int64, person: String?, in existing: [Assignment]
    ) -> (all: [Assignment], ended: Assignment)? {
        var all = existing
        let index = all.lastIndex { assignment in
            assignment.origin == .checkin && assignment.minutes.lowerBound < minute
                && minute < assignment.minutes.upperBound && person.map { $0 == assignment.person } ?? true
        }
        guard let index else { return nil }
        all[index].minutes = all[index].minutes.lowerBound..<minute
        return (all, all[index])
    }

    /// Whose a device is in each minute, from all its assignments: stretches that do not overlap, in order.
    static func owners(_ assignments: [Assignment]) -> [Assignment] {
        let checkins = assignments.filter { $0.origin == .checkin }
        let taken = RangeSet(checkins.map(\.minutes))
        let configured = assignments.filter { $0.origin == .config }.flatMap { named in
            RangeSet(named.minutes).subtracting(taken).ranges.map { part in
                var left = named
                left.minutes = part
                return left
            }
        }
        return (checkins + configured).sorted { $0.minutes.lowerBound < $1.minutes.lowerBound }
    }

    /// The minutes that belong to a person, from all assignments of the device.
    static func minutes(of person: String, in assignments: [Assignment]) -> RangeSet<Int64> {
        RangeSet(owners(assignments).lazy.filter { $0.person == person }.map(\.minutes))
    }

    /// The minutes in which a device was, or is now, differently a person's than before.
    static func changes(from old: [Assignment], to new: [Assignment]) -> [Assignment] {
        func pieces(_ assignments: [Assignment]) -> [String: [Assignment]] {
            Dictionary(grouping: owners(assignments), by: \.person)
        }
        let (before, after) = (pieces(old), pieces(new))
        return Set(before.keys).union(after.keys).sorted().flatMap { key -> [Assignment] in
            let was = RangeSet((before[key] ?? []).map(\.minutes))
            let `is` = RangeSet((after[key] ?? []).map(\.minutes))
            return was.symmetricDifference(`is`).ranges.compactMap { part in
                var piece = before[key]?.first ?? after[key]?.first
                piece?.minutes = part
                return piece
            }
        }
    }

    /// The parts of an assignment outside a stretch of time.
    private static func cut(_ assignment: Assignment, by minutes: Range<Int64>) -> [Assignment] {
        RangeSet(assignment.minutes).subtracting(RangeSet(minutes)).ranges.map { part in
            var left = assignment
            left.minutes = part
            return left
        }
    }
}

/// The assignments and users that decide whether a member may check in.
package struct CheckInSituation: Sendable {
    /// The assignments of the device so far.
    var existing: [Assignment]
    /// True for the device of a member's own name.
    var isMembers: Bool
    /// The number of other devices that are checked in to the person for some of the time, without those of members' own
    /// names.
    var otherDevices: Int
}

// MARK: - Store

extension HistoryStore {
    /// Assigns a device to a person for a stretch of time, and to no other person then.
    /// - Parameter refusal: Why it may not be, given the situation that it finds.
    /// - Returns: Why it was not kept; nil if it was.
    package func assign(
        _ assignment: Assignment,
        unless refusal: @escaping @Sendable (CheckInSituation) -> ReplyError? = { _ in nil }
    ) async throws(HistoryError) -> ReplyError? {
        try await database.write { session in
            let subject = Subject.device(assignment.device)
            let record = try Self.find(subject, session)?.record ?? SubjectRecord(subject)
            let known = try Assignment.all(of: assignment.device, in: assignment.minutes, session)
            let situation = try CheckInSituation(of: assignment, existing: known, session)
            if let refusal = refusal(situation) { return refusal }
            try Assignment.replace(known, of: record, with: DeviceOwnership.adding(assignment, to: known), session)
            try Assignment.letGoOfOldest(by: "person", assignment.person, session)
            return nil
        }
    }

    /// Ends the check-in that a device has at a minute: that of any person, or only of one.
    /// - Returns: The check-in as it is now; `nil` if there is none.
    package func unassign(
        _ device: DeviceID, person: String?, at minute: Int64
    ) async throws(HistoryError) -> Assignment? {
        try await database.write { session in
            let record = try Self.find(.device(device), session)?.record ?? SubjectRecord(.device(device))
            let known = try Assignment.all(of: device, in: minute..<minute + 1, session)
            guard let (all, ended) = DeviceOwnership.ending(at: minute, person: person, in: known) else { return nil }
            try Assignment.replace(known, of: record, with: all, session)
            return ended
        }
    }

    /// The devices of a person in some time, in the order of their beginnings: of too many the last ones. What a config
    /// says counts only where no check-in says another.
    package func assignments(
        of person: String, in minutes: Range<Int64> = DayCalendar.minutes, limit: Int = Assignment.maximumKept
    ) async throws(HistoryError) -> [Assignment] {
        try await database.read(isSnapshot: false) { session in
            let said = try session.query(
                """
                SELECT \(Assignment.columns) FROM assignments AS owned
                WHERE person = $1 AND from_minute < $2 AND to_minute > $3
                ORDER BY from_minute DESC, id DESC LIMIT $4
                """,
                [.text(person), .int(minutes.upperBound), .int(minutes.lowerBound), .int(Int64(limit))]
            ).compactMap { try Assignment.read($0) }
            // A database may keep a name in another form.
            let names = Set(said.map(\.person))
            let configured = try Set(said.filter { $0.origin == .config }.map(\.device)).flatMap { device in
                DeviceOwnership.owners(try Assignment.all(of: device, session)).filter {
                    $0.origin == .config && names.contains($0.person) && $0.minutes.overlaps(minutes)
                }
            }
            return (said.filter { $0.origin == .checkin } + configured)
                .sorted { ($0.minutes.lowerBound, $0.device) < ($1.minutes.lowerBound, $1.device) }
                .suffix(limit)
        }
    }

    /// The people of a device in some time, in the order of their beginnings.
    package func assignments(
        of device: DeviceID, in minutes: Range<Int64> = DayCalendar.minutes
    ) async throws(HistoryError) -> [Assignment] {
        try await database.read(isSnapshot: false) { session in
            try Assignment.all(of: device, in: minutes, session)
        }
    }

    /// People by their names, beginning after one of them.
    package func people(after person: String?, limit: Int) async throws(HistoryError) -> [String] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                Self.people, [.text(person ?? ""), .int(Int64(limit))]
            ).read { try $0.text() }
        }
    }

    /// From each name to the next: `DISTINCT` reads every check-in.
    private static let people = """
        WITH RECURSIVE people (person) AS (
            SELECT min(person) FROM assignments WHERE person > $1
            UNION ALL SELECT (SELECT min(person) FROM assignments WHERE person > people.person) FROM people
            WHERE person IS NOT NULL
        ) SELECT person FROM people WHERE person IS NOT NULL LIMIT $2
        """
}

extension CheckInSituation {
    fileprivate init(of assignment: Assignment, existing: [Assignment], _ session: any SQLSession) throws {
        self.existing = existing
        let device = SQLValue.text("\(assignment.device)")
        isMembers = try !session.query("SELECT 1 FROM users WHERE name = $1 AND role = 'member'", [device]).isEmpty
        let others = try session.number(
            """
            SELECT count(DISTINCT device) FROM assignments
            WHERE person = $1 AND device <> $2 AND origin = $3 AND from_minute < $4 AND to_minute > $5
            AND device NOT IN (SELECT name FROM users WHERE role = 'member')
            """,
            [
                .text(assignment.person), device, .int(Int64(Assignment.Origin.checkin.rawValue)),
                .int(assignment.minutes.upperBound), .int(assignment.minutes.lowerBound),
            ])
        otherDevices = Int(clamping: others ?? 0)
    }
}

extension Assignment {
    static let columns = "owned.person, owned.device, owned.from_minute, owned.to_minute, owned.origin, owned.team"
    /// Finds those of a device in a stretch of minutes.
    static let ofDevice = """
        SELECT \(columns) FROM assignments AS owned WHERE device = $1 AND to_minute > $2 AND from_minute < $3
        ORDER BY from_minute, id
        """

    static func read(_ row: SQLRow) throws -> Assignment? {
        var row = row
        return try Assignment(&row)
    }

    /// Reads `columns`; `nil` for a row that is not one of ours.
    init?(_ row: inout SQLRow) throws {
        let (person, name) = (try row.text(), try row.text())
        let (start, end, word) = (try row.int(), try row.int(), try row.int())
        let team = try row.optionalText()
        guard let device = try? DeviceID(name), let origin = Origin(rawValue: Int(clamping: word)), start <= end else {
            return nil
        }
        self.init(person: person, device: device, minutes: start..<end, origin: origin, team: team)
    }

    /// The people who have a device in some minutes, in order.
    static func owners(
        of device: DeviceID, in minutes: Range<Int64>, _ session: any SQLSession
    ) throws -> [Assignment] {
        DeviceOwnership.owners(try all(of: device, in: minutes, session))
    }

    /// Those of a device in some minutes, in order.
    static func all(
        of device: DeviceID, in minutes: Range<Int64> = DayCalendar.minutes, _ session: any SQLSession
    ) throws -> [Assignment] {
        try session.query(
            ofDevice, [.text("\(device)"), .int(minutes.lowerBound), .int(minutes.upperBound)]
        ).compactMap { try read($0) }
    }

    /// Keeps other assignments of a device in place of those that are known, and has the minutes merged again in which it is
    /// somebody else's now. What is different is written: of a bike of a gym that is two of thousands.
    static func replace(
        _ known: [Assignment], of record: SubjectRecord, with assignments: [Assignment], _ session: any SQLSession
    ) throws {
        let device = record.subject.name
        let (before, after) = (Set(known), Set(assignments))
        _ = try session.execute(
            known.filter { !after.contains($0) }.map { gone in
                SQLStatement(
                    """
                    DELETE FROM assignments WHERE device = $1 AND from_minute = $2 AND to_minute = $3 AND origin = $4
                    """,
                    [
                        .text(device), .int(gone.minutes.lowerBound), .int(gone.minutes.upperBound),
                        .int(Int64(gone.origin.rawValue)),
                    ])
            }
                + assignments.filter { !before.contains($0) }.map { assignment in
                    SQLStatement(
                        """
                        INSERT INTO assignments (person, device, from_minute, to_minute, origin, team)
                        VALUES ($1, $2, $3, $4, $5, $6)
                        """,
                        [
                            .text(assignment.person), .text(device), .int(assignment.minutes.lowerBound),
                            .int(assignment.minutes.upperBound), .int(Int64(assignment.origin.rawValue)),
                            .text(assignment.team),
                        ])
                })
        try StoreCommit.queueMerge(DeviceOwnership.changes(from: known, to: assignments), of: record, session)
        try letGoOfOldest(by: "device", device, session)
    }

    /// Lets those go that ended first, of more than are kept. Nothing is merged again for it: their minutes stay whose they
    /// were counted for.
    static func letGoOfOldest(by column: String, _ name: String, _ session: any SQLSession) throws {
        try session.change(
            """
            DELETE FROM assignments WHERE id IN (
                SELECT id FROM assignments WHERE \(column) = $1 ORDER BY to_minute DESC, id DESC
                LIMIT $2 OFFSET $3)
            """, [.text(name), .int(Int64(maximumKept)), .int(Int64(maximumKept))])
    }
}
