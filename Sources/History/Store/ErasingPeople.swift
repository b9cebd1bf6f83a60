import Wire

extension HistoryStore {
    /// Notes the erasure of all that a person's devices counted while they were the person's, and of the whole device of
    /// the member who is the person, and removes the person, in one transaction: a check-in comes before or after it as a whole.
    ///
    /// Nobody else's minutes, days or totals change by it. A config that names the person still does not bring it back:
    /// the device is nobody's until the config names another, or somebody is checked in.
    /// - Returns: The person's devices, and the erasures that are to be carried out.
    func begin(
        erasing person: String, nowMinute: Int64
    ) async throws(HistoryError) -> (devices: [DeviceID], erasures: [Erasure]) {
        let root = root
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
                    let owned = DeviceOwnership.minutes(of: person, in: try Assignment.all(of: device, session))
                    for range in owned.ranges.map({ $0.clamped(to: 0..<end) }) where !range.isEmpty {
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
            try Self.remove(person, session)
            return (devices, erasures)
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
            try session.query("SELECT DISTINCT device FROM assignments WHERE person = $1", [.text(person)])
                .read { try? DeviceID($0.text()) })
    }

    /// Takes away all that is kept of the person. The name is free again.
    private static func remove(_ person: String, _ session: any SQLSession) throws {
        if let id = try lock(.person(person), session)?.id {
            try session.change("DELETE FROM minutes WHERE subject = $1", [.int(id)])
            try remove(.person(person), id, session)
        }
        try eraseMarksAndNotes(of: .person(person), in: 0..<DayCalendar.minutes.upperBound, session)
        for table in ["merges", "profiles", "class_results"] {
            try session.change("DELETE FROM \(table) WHERE person = $1", [.text(person)])
        }
    }
}
