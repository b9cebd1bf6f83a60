package import Wire

/// Minutes of a device that are erased for good. It is noted before anything is deleted, refuses every later row of
/// these minutes, and is sent to the counter until the broker has it.
package struct Erasure: Sendable, Hashable {
    /// Its number in the store; `nil` before it is there.
    package internal(set) var id: Int64?
    package let device: DeviceID
    /// The minutes, since 1970, UTC.
    package let minutes: Range<Int64>
    /// True if everything else about the device goes too: settings, people, and rows of later minutes that are there.
    package let isWhole: Bool

    /// The command to the counter.
    package var command: CountsForget { CountsForget(device: device, minutes: minutes, isWhole: isWhole) }
}

extension HistoryStore {
    /// The rows that one transaction deletes. There are few, so that commits do not wait for long.
    static let rowsATransaction = 2_000
    /// The most unsent erasures that are read at once.
    static let erasuresARead = 100

    /// Notes what is to be erased, in one transaction.
    /// - Returns: The same with their numbers.
    package func begin(_ erasures: [Erasure]) async throws(HistoryError) -> [Erasure] {
        try await database.write { session in try erasures.map { try Self.note($0, session) } }
    }

    static func note(_ erasure: Erasure, _ session: any SQLSession) throws -> Erasure {
        let device = SQLValue.text("\(erasure.device)")
        let range: [SQLValue] = [
            .int(erasure.minutes.lowerBound), .int(erasure.minutes.upperBound), .bool(erasure.isWhole),
        ]
        // Older erasures within the new one add nothing: it erases and refuses their minutes too.
        try session.change(
            """
            DELETE FROM erasures WHERE device = $1 AND from_minute >= $2 AND to_minute <= $3 AND ($4 OR NOT is_whole)
            """, [device] + range)
        if erasure.isWhole { try eraseFromClasses(erasure.device, session) }
        var erasure = erasure
        erasure.id = try session.number(
            """
            INSERT INTO erasures (device, from_minute, to_minute, is_whole) VALUES ($1, $2, $3, $4) RETURNING id
            """, [device] + range)
        return erasure
    }

    /// Deletes what an erasure covers, in small transactions: from days and totals too.
    /// - Parameters:
    ///   - isResumed: Whether it was begun by a process that has ended: later minutes stay then.
    ///   - changed: Takes whose totals are others, also where the store fails in the middle.
    /// - Returns: How many minutes and days are gone.
    package func carryOut(
        _ erasure: Erasure, isResumed: Bool = false, changed: inout Set<Subject>
    ) async throws(HistoryError) -> Int {
        changed.insert(.device(erasure.device))
        var minutes = erasure.minutes
        if erasure.isWhole, !isResumed { minutes = 0..<max(minutes.upperBound, DayCalendar.minutes.upperBound) }
        let (range, defaultZone) = (minutes, defaultZone)
        var (count, isMore) = (0, true)
        while isMore {
            let erased = try await database.write { session in
                try Self.eraseSome(of: erasure.device, in: range, defaultZone, session)
            }
            count += erased.minutes
            changed.formUnion(erased.changed)
            isMore = erased.isMore
        }
        if erasure.isWhole {
            try await database.write { session in try Self.removeIfEmpty(erasure.device, session) }
        }
        return count
    }

    /// The erasures that the counters do not know of yet, in order.
    package func unsentErasures() async throws(HistoryError) -> [Erasure] {
        try await database.read(isSnapshot: false) { session in
            try session.query(
                """
                SELECT id, device, from_minute, to_minute, is_whole FROM erasures WHERE NOT is_told
                ORDER BY id LIMIT $1
                """, [.int(Int64(Self.erasuresARead))]
            ).read { row in
                let id = try row.int()
                guard let device = try? DeviceID(row.text()) else { return nil }
                let (start, end) = (try row.int(), try row.int())
                return Erasure(
                    id: id, device: device, minutes: start..<max(start, end), isWhole: try row.bool())
            }
        }
    }

    /// Notes that the broker has an erasure for the counter.
    package func noteSent(_ erasure: Erasure) async throws(HistoryError) {
        try await database.write { session in
            _ = try session.change(
                "UPDATE erasures SET is_told = $2 WHERE id = $1", [.int(erasure.id), .bool(true)])
        }
    }

    private static func eraseSome(
        of device: DeviceID, in range: Range<Int64>, _ defaultZone: DayCalendar, _ session: any SQLSession
    ) throws -> (minutes: Int, changed: Set<Subject>, isMore: Bool) {
        guard let id = try find(.device(device), session)?.id else { return (0, [], false) }
        try eraseMarksAndNotes(of: .device(device), in: range, session)
        try eraseWords(of: id, in: range, session)
        let bounds: [SQLValue] = [.int(range.lowerBound), .int(range.upperBound)]
        let rows = try session.query(
            """
            DELETE FROM minutes WHERE subject = $1 AND minute >= $2 AND minute <= (SELECT max(minute) FROM (
                SELECT minute FROM minutes WHERE subject = $1 AND minute >= $2 AND minute < $3
                ORDER BY minute LIMIT $4) AS first)
            RETURNING minute, \(Counts.columns.joined(separator: ", "))
            """, [.int(id)] + bounds + [.int(Int64(rowsATransaction))]
        ).read { row in
            (minute: try row.int(), counts: try Counts(&row))
        }
        guard !rows.isEmpty else { return (0, [], false) }
        var commit = StoreCommit(session, defaultZone: defaultZone, nowMinute: .max)
        try commit.takeOff(rows, of: device)
        return (Set(rows.map(\.minute)).count, commit.outcome.changedSubjects, rows.count >= rowsATransaction)
    }

    /// Removes a device that has no rows any more, with its days and people. Its config stays in force as long as the
    /// broker has it, but does not bring somebody back who was erased.
    private static func removeIfEmpty(_ device: DeviceID, _ session: any SQLSession) throws {
        let known = try Assignment.all(of: device, session)
        let found = try find(.device(device), session)
        if let (id, record) = found {
            let isLeft = try session.execute([
                SQLStatement("SELECT minute FROM minutes WHERE subject = $1 LIMIT 1", [.int(id)]),
                SQLStatement("SELECT start_us FROM words WHERE device = $1 LIMIT 1", [.int(id)]),
            ]).contains { !$0.rows.isEmpty }
            guard !isLeft else { return }
            try remove(record.subject, id, session)
            if record.settings != DeviceSettings() {
                try session.upsert([record.settingsValues], into: SubjectRecord.settings)
            }
        }
        let named = known.last { $0.origin == .config && $0.minutes.upperBound == Assignment.forGood }.map { named in
            var named = named
            named.minutes = Assignment.always..<Assignment.forGood
            return named
        }
        try Assignment.replace(
            known, of: found?.record ?? SubjectRecord(.device(device)), with: named.map { [$0] } ?? [], session)
    }
}

extension StoreCommit {
    /// Takes the counts of rows that are being erased off their days and their device, and out of the minutes of the
    /// people who have the device.
    mutating func takeOff(_ erased: [(minute: Int64, counts: Counts)], of device: DeviceID) throws {
        try load([.device(device)])
        guard let index = indices[.device(device)] else { return }
        entries[index].days.mayFall = true
        entries[index].record.published = nil
        try loadDays(erased.map { (.device(device), $0.minute) })
        for (minute, counts) in erased { add(Counts() - counts, toMinute: minute, revision: 0, of: index) }
        touched[device] = Set(erased.map(\.minute))
        try mergeTouched()
        try writeTotals()
    }
}

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
        try await database.write { session in
            let own = try Self.ownDevices(of: person, session)
            let others = try Self.otherDevices(of: person, session)
            var (devices, erasures): ([DeviceID], [Erasure]) = ([], [])
            for device in own.union(others).sorted() {
                let record = try Self.find(.device(device), session)?.record
                guard record != nil || others.contains(device) else { continue }
                devices.append(device)
                let end = max(record?.lastMinute ?? 0, nowMinute) + 1
                let name = SQLValue.text("\(device)")
                if own.contains(device) {
                    let whole = Erasure(device: device, minutes: 0..<max(0, nowMinute), isWhole: true)
                    erasures.append(try Self.note(whole, session))
                    try session.change("DELETE FROM assignments WHERE device = $1", [name])
                } else {
                    let owned = DeviceOwnership.minutes(of: person, in: try Assignment.all(of: device, session))
                    for range in owned.ranges.map({ $0.clamped(to: 0..<end) }) where !range.isEmpty {
                        erasures.append(
                            try Self.note(Erasure(device: device, minutes: range, isWhole: false), session))
                    }
                    try session.change(
                        "DELETE FROM assignments WHERE device = $1 AND person = $2", [name, .text(person)])
                }
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
        if let id = try find(.person(person), session)?.id {
            try session.change("DELETE FROM minutes WHERE subject = $1", [.int(id)])
            try remove(.person(person), id, session)
        }
        try session.change("DELETE FROM due WHERE is_person = $1 AND name = $2", Subject.person(person).key)
        try eraseMarksAndNotes(of: .person(person), in: 0..<DayCalendar.minutes.upperBound, session)
        for table in ["profiles", "class_results"] {
            try session.change("DELETE FROM \(table) WHERE person = $1", [.text(person)])
        }
    }
}

/// Devices and people that the store has no more, and of whom the broker may still retain totals. They are noted in the
/// transaction that takes them away, until the broker has empty messages in place of those.
extension HistoryStore {
    /// Takes a device or a person away, with the days.
    static func remove(_ subject: Subject, _ id: Int64, _ session: any SQLSession) throws {
        try session.change("DELETE FROM days WHERE subject = $1", [.int(id)])
        try session.change("DELETE FROM subjects WHERE id = $1", [.int(id)])
        try noteGone(subject, session)
    }

    static func noteGone(_ subject: Subject, _ session: any SQLSession) throws {
        try session.change(
            "INSERT INTO gone (is_person, name) VALUES ($1, $2) ON CONFLICT (is_person, name) DO NOTHING", subject.key)
    }

    /// All devices and people of whom the broker may retain something.
    package func retainedSubjects() async throws(HistoryError) -> [Subject] {
        let gone = try await database.read(isSnapshot: false) { session in
            try session.query("SELECT is_person, name FROM gone").read { try SubjectRecord.subject(&$0) }
        }
        return try await subjects() + gone
    }

    /// Notes that the broker retains nothing of these any more.
    package func noteCleared(_ subjects: [Subject]) async throws(HistoryError) {
        guard !subjects.isEmpty else { return }
        try await database.write { session in
            _ = try session.execute(
                subjects.map { SQLStatement("DELETE FROM gone WHERE is_person = $1 AND name = $2", $0.key) })
        }
    }
}
