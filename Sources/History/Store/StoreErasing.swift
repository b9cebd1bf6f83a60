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
        let root = root
        return try await database.write { session in try erasures.map { try Self.note($0, root, session) } }
    }

    /// Notes the erasure of all that a person's devices counted while they were the person's, of the whole device of the
    /// person's own user, and removes the person with the days that are kept, in one transaction: a check-in comes before
    /// or after it as a whole.
    /// - Returns: The person's devices, the erasures that are to be carried out, and how many days are gone.
    package func begin(
        forgetting person: String, nowMinute: Int64
    ) async throws(HistoryError) -> (devices: [DeviceID], erasures: [Erasure], days: Int) {
        let (root, defaultZone) = (root, defaultZone)
        return try await database.write { session in
            try session.lock(.newcomers)
            let own = Set(
                try session.query(
                    "SELECT name FROM users WHERE role = 'member' AND coalesce(person, name) = $1", [.text(person)]
                ).read { try? DeviceID($0.text()) })
            let assigned = Set(
                try session.query("SELECT device FROM assignments WHERE person = $1", [.text(person)])
                    .read { try? DeviceID($0.text()) })
            var (devices, erasures): ([DeviceID], [Erasure]) = ([], [])
            for device in own.union(assigned).sorted() {
                let record = try Self.lock(device, session)?.record
                guard record != nil || assigned.contains(device) else { continue }
                devices.append(device)
                let assignments = try Assignment.all(of: device, session)
                guard !own.contains(device) || assignments.contains(where: { $0.person != person }) else {
                    let whole = Erasure(device: device, minutes: 0..<max(0, nowMinute), isWhole: true)
                    erasures.append(try Self.note(whole, root, session))
                    continue
                }
                let owned = DeviceOwnership.minutes(of: person, in: assignments)
                // The next person with the device begins after what there is of it; what is older than its minutes is
                // taken off below.
                let last = max(record?.lastMinute ?? 0, nowMinute)
                let known = (record?.compactedMinute ?? 0)..<max(record?.compactedMinute ?? 0, last + 1)
                for range in owned.ranges.map({ $0.clamped(to: known) }) where !range.isEmpty {
                    erasures.append(
                        try Self.note(Erasure(device: device, minutes: range, isWhole: false), root, session))
                }
            }
            let days = try Self.removeDays(of: person, defaultZone, session)
            try Self.remove(person, session)
            return (devices, erasures, days)
        }
    }

    private static func note(_ erasure: Erasure, _ root: String, _ session: any SQLSession) throws -> Erasure {
        let device = SQLValue.text("\(erasure.device)")
        let range: [SQLValue] = [
            .int(erasure.minutes.lowerBound), .int(erasure.minutes.upperBound), .bool(erasure.isWhole),
        ]
        // Older erasures within the new one add nothing: it erases and refuses their minutes too.
        try session.change(
            """
            DELETE FROM erasures WHERE device = $1 AND root = $2 AND from_minute >= $3 AND to_minute <= $4
            AND ($5 OR NOT is_whole)
            """, [device, .text(root)] + range)
        var erasure = erasure
        erasure.id = try session.number(
            """
            INSERT INTO erasures (root, device, from_minute, to_minute, is_whole) VALUES ($1, $2, $3, $4, $5)
            RETURNING id
            """, [.text(root), device] + range)
        return erasure
    }

    /// Deletes what an erasure covers, in small transactions: from days and totals too.
    /// - Parameter isResumed: Whether it was begun by a process that has ended: later minutes stay then.
    /// - Returns: How many minutes and days are gone.
    package func carryOut(_ erasure: Erasure, isResumed: Bool = false) async throws(HistoryError) -> Int {
        var minutes = erasure.minutes
        if erasure.isWhole, !isResumed { minutes = 0..<max(minutes.upperBound, DayCalendar.minutes.upperBound) }
        let (range, defaultZone) = (minutes, defaultZone)
        try await database.write { session in
            guard let id = try Self.lock(erasure.device, session)?.id else { return }
            try Self.eraseWords(of: id, in: range, session)
        }
        var count = 0
        while true {
            let erased = try await database.write { session in
                try Self.eraseSome(of: erasure.device, in: range, defaultZone, session)
            }
            guard erased > 0 else { break }
            count += erased
        }
        if erasure.isWhole {
            try await database.write { session in try Self.removeIfEmpty(erasure.device, session) }
        }
        return count
    }

    /// The erasures that the counters of this bus do not know of yet, in order.
    package func unsentErasures() async throws(HistoryError) -> [Erasure] {
        let root = root
        return try await database.read(isSnapshot: false) { session in
            try session.query(
                """
                SELECT id, device, from_minute, to_minute, is_whole FROM erasures WHERE root = $1 AND NOT is_told
                ORDER BY id LIMIT $2
                """, [.text(root), .int(Int64(Self.erasuresARead))]
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

    private static func remove(_ person: String, _ session: any SQLSession) throws {
        try session.lock(.newcomers)
        _ = try session.query(
            """
            SELECT id FROM devices WHERE person = $1 OR name IN (SELECT device FROM assignments WHERE person = $1)
            ORDER BY name\(session.forUpdate)
            """, [.text(person)])
        try session.change("DELETE FROM assignments WHERE person = $1", [.text(person)])
        try session.change("UPDATE devices SET person = NULL WHERE person = $1", [.text(person)])
        try session.change("DELETE FROM people WHERE person = $1", [.text(person)])
    }

    private static func eraseSome(
        of device: DeviceID, in range: Range<Int64>, _ defaultZone: DayCalendar, _ session: any SQLSession
    ) throws -> Int {
        guard let id = try lock(device, session)?.id else { return 0 }
        try session.change(
            "DELETE FROM person_days WHERE device = $1 AND start_minute >= $2 AND start_minute < $3",
            [.int(id), .int(range.lowerBound), .int(range.upperBound)])
        for table in ["minutes", "old_days"] {
            let rows = try session.query(
                """
                DELETE FROM \(table) WHERE device = $1 AND minute >= $2 AND minute <= (SELECT max(minute) FROM (
                    SELECT minute FROM \(table) WHERE device = $1 AND minute >= $2 AND minute < $3
                    ORDER BY minute LIMIT $4) AS first)
                RETURNING minute, \(Counts.columns.joined(separator: ", "))
                """,
                [.int(id), .int(range.lowerBound), .int(range.upperBound), .int(Int64(rowsATransaction))]
            ).read { row in
                (minute: try row.int(), counts: try Counts(&row))
            }
            guard !rows.isEmpty else { continue }
            var commit = StoreCommit(session, defaultZone: defaultZone, nowMinute: range.lowerBound)
            try commit.takeOff(rows, of: device)
            return rows.count
        }
        return 0
    }

    /// Removes a device that has no rows any more, with its days and people. Its config stays in force as long as the
    /// broker has it.
    private static func removeIfEmpty(_ device: DeviceID, _ session: any SQLSession) throws {
        let found = try lock(device, session)
        if let (id, record) = found {
            let isLeft = try session.execute([
                SQLStatement("SELECT minute FROM minutes WHERE device = $1 LIMIT 1", [.int(id)]),
                SQLStatement("SELECT minute FROM old_days WHERE device = $1 LIMIT 1", [.int(id)]),
                SQLStatement("SELECT start_us FROM words WHERE device = $1 LIMIT 1", [.int(id)]),
            ]).contains { !$0.rows.isEmpty }
            guard !isLeft else { return }
            for table in ["days", "due_claims"] {
                try session.change("DELETE FROM \(table) WHERE device = $1", [.int(id)])
            }
            try session.change("DELETE FROM devices WHERE id = $1", [.int(id)])
            if record.settings != DeviceSettings() { try DeviceRecord(device, record.settings).insert(session) }
        }
        let person = found?.record.settings.person.map { person in
            Assignment(
                person: person, device: device, minutes: Assignment.always..<Assignment.forGood, origin: .config)
        }
        try Assignment.replace(of: device, with: person.map { [$0] } ?? [], session)
    }

    /// Locks a device for a change that is not a commit of rows. Where there is none it is kept from coming to be,
    /// because what is kept by names must not change meanwhile either.
    static func lock(_ device: DeviceID, _ session: any SQLSession) throws -> (id: Int64, record: DeviceRecord)? {
        let byName = DeviceRecord.byName + session.forUpdate
        let name = [SQLValue.text("\(device)")]
        if let row = try session.query(byName, name).first { return try DeviceRecord.read(row) }
        try session.lock(.newcomers)
        return try session.query(byName, name).first.flatMap { try DeviceRecord.read($0) }
    }
}
