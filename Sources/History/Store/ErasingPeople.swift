import Wire

extension HistoryStore {
    /// Notes the erasure of all that a person's devices counted while they were the person's, and of the whole device of
    /// the member who is the person, and removes the person, in one transaction: a check-in comes before or after it as a whole.
    ///
    /// Nobody else's minutes, days or totals change by it. A config that names the person still does not bring it back:
    /// the device is nobody's until the config names another, or somebody is checked in.
    /// - Returns: The person's devices, the erasures that are to be carried out, and how many days are gone.
    func begin(
        erasing person: String, nowMinute: Int64
    ) async throws(HistoryError) -> (devices: [DeviceID], erasures: [Erasure], days: Int) {
        let (root, defaultZone) = (root, defaultZone)
        return try await database.write { session in
            try session.lock(.newcomers)
            let own = try Self.ownDevices(of: person, session)
            let others = try Self.otherDevices(of: person, session)
            var (devices, erasures): ([DeviceID], [Erasure]) = ([], [])
            for device in own.union(others).sorted() {
                let record = try Self.lock(.device(device), session)?.record
                guard record != nil || others.contains(device) else { continue }
                devices.append(device)
                let end = max(record?.lastMinute ?? 0, nowMinute) + 1
                let name = SQLValue.text("\(device)")
                if own.contains(device) {
                    let whole = Erasure(device: device, minutes: 0..<max(0, nowMinute), isWhole: true)
                    erasures.append(try Self.note(whole, root, session))
                    try session.change("DELETE FROM assignments WHERE device = $1", [name])
                } else {
                    // What is older than its minutes is taken off below.
                    let known = min(record?.compactedMinute ?? 0, end)..<end
                    let owned = DeviceOwnership.minutes(of: person, in: try Assignment.all(of: device, session))
                    for range in owned.ranges.map({ $0.clamped(to: known) }) where !range.isEmpty {
                        erasures.append(
                            try Self.note(Erasure(device: device, minutes: range, isWhole: false), root, session))
                    }
                    try session.change(
                        "DELETE FROM assignments WHERE device = $1 AND person = $2", [name, .text(person)])
                }
                try session.change(
                    "UPDATE subjects SET owned_after = $3 WHERE is_person = $1 AND name = $2",
                    Subject.device(device).key + [.int(end)])
            }
            let days = try Self.takeOffShares(of: person, defaultZone, session)
            try Self.setAside(person, session)
            return (devices, erasures, days)
        }
    }

    /// The devices of a person's own name: those of the members who are the person.
    private static func ownDevices(of person: String, _ session: any SQLSession) throws -> Set<DeviceID> {
        Set(
            try session.query(
                "SELECT name FROM users WHERE role = 'member' AND coalesce(person, name) = $1", [.text(person)]
            ).read { try? DeviceID($0.text()) })
    }

    /// The devices that a person ever had.
    private static func otherDevices(of person: String, _ session: any SQLSession) throws -> Set<DeviceID> {
        Set(
            try session.query(
                """
                SELECT device FROM assignments WHERE person = $1
                UNION SELECT name FROM subjects WHERE id IN (SELECT device FROM shares WHERE person = $1)
                """, [.text(person)]
            ).read { try? DeviceID($0.text()) })
    }

    /// Takes what a person had of days whose minutes are gone off those days and off the totals of their devices.
    private static func takeOffShares(
        of person: String, _ defaultZone: DayCalendar, _ session: any SQLSession
    ) throws -> Int {
        let shares = try DayShare.all(of: person, session)
        for (id, days) in Dictionary(grouping: shares, by: \.device).sorted(by: { $0.key < $1.key }) {
            let known = try session.query("SELECT is_person, name FROM subjects WHERE id = $1", [.int(id)])
                .read { try SubjectRecord.subject(&$0) }
            guard let device = known.first?.device else { continue }
            var commit = StoreCommit(session, defaultZone: defaultZone, nowMinute: .max)
            try commit.takeOff(days.map { ($0.firstMinute, $0.sum.counts) }, of: device)
            for day in days { try day.takeOff(session) }
        }
        try session.change("DELETE FROM shares WHERE person = $1", [.text(person)])
        return shares.count
    }

    /// Takes the person's own rows out of all answers; `finishErasing` deletes them. The name is free again.
    private static func setAside(_ person: String, _ session: any SQLSession) throws {
        if let id = try lock(.person(person), session)?.id {
            try session.change(
                "UPDATE subjects SET name = $2, kind = $3 WHERE id = $1",
                [.int(id), .text("\u{1}\(id)"), .text(erasedKind)])
            try noteGone(.person(person), session)
        }
        try eraseMarksAndNotes(of: .person(person), in: 0..<DayCalendar.minutes.upperBound, session)
        for table in ["merges", "aliases", "bodies", "goals", "class_results"] {
            try session.change("DELETE FROM \(table) WHERE person = $1", [.text(person)])
        }
    }

    /// What the row of a person is marked with whose minutes are being deleted.
    static let erasedKind = "forgotten"

    /// Deletes the rows of people who were erased, perhaps by a process before this one, in small transactions.
    package func finishErasing() async throws(HistoryError) {
        let next = SQLStatement(
            "SELECT min(id) FROM subjects WHERE is_person = $1 AND kind = $2", [.bool(true), .text(Self.erasedKind)])
        // Where there is nobody nothing is written.
        while let id = try await database.read(isSnapshot: false, { try $0.number(next.sql, next.parameters) }) {
            try await database.write { session in try Self.deleteSome(of: id, session) }
        }
    }

    private static func deleteSome(of id: Int64, _ session: any SQLSession) throws {
        let count = try session.change(
            """
            DELETE FROM minutes WHERE subject = $1 AND minute <= (SELECT max(minute) FROM (
                SELECT minute FROM minutes WHERE subject = $1 ORDER BY minute LIMIT $2) AS first)
            """, [.int(id), .int(Int64(rowsATransaction))])
        guard count == 0 else { return }
        try session.change("DELETE FROM days WHERE subject = $1", [.int(id)])
        try session.change("DELETE FROM subjects WHERE id = $1", [.int(id)])
    }
}
