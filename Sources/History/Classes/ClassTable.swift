import Wire

extension HistoryStore {
    /// The most classes that are kept: of more, the oldest go.
    static let maximumClasses: Int64 = 20_000
    /// How long after its end the results of a class still follow what comes late, in seconds: shorter than minutes and
    /// their seconds are kept.
    package static let classSettlingSeconds: Int64 = 5 * 86_400

    /// Begins a class, unless one runs.
    /// - Returns: The class that runs now, and whether it is the new one.
    func start(_ new: ClassRecord) async throws(HistoryError) -> (record: ClassRecord, isNew: Bool) {
        let root = root
        return try await database.write { session in
            try session.lock(.newcomers)
            if let running = try ClassRecord.last(root, session), running.seconds.upperBound > new.seconds.lowerBound {
                return (running, false)
            }
            var record = new
            let devices = new.devices.map { " " + $0.sorted().map { "\($0) " }.joined() }
            record.id =
                try session.number(
                    "INSERT INTO classes (root, start_s, end_s, plan, devices) VALUES ($1, $2, $3, $4, $5) RETURNING id",
                    [
                        .text(root), .int(new.seconds.lowerBound), .int(new.seconds.upperBound),
                        .text(String(decoding: new.plan.encodedJSON(), as: UTF8.self)), .text(devices),
                    ]) ?? 0
            let gone = SQLValue.int(record.id - Self.maximumClasses)
            try session.change("DELETE FROM class_results WHERE class <= $1", [gone])
            try session.change("DELETE FROM classes WHERE id <= $1", [gone])
            return (record, true)
        }
    }

    /// Ends the class that runs.
    /// - Returns: The class as it is now; nil where none runs.
    func stopClass(nowSeconds: Int64) async throws(HistoryError) -> ClassRecord? {
        let root = root
        return try await database.write { session in
            guard var record = try ClassRecord.last(root, session), record.seconds.upperBound > nowSeconds else {
                return nil
            }
            record.seconds = record.seconds.lowerBound..<max(record.seconds.lowerBound, nowSeconds)
            try session.change(
                "UPDATE classes SET end_s = $2 WHERE id = $1", [.int(record.id), .int(record.seconds.upperBound)])
            return record
        }
    }

    /// The class that was begun last; nil where none was.
    func lastClass() async throws(HistoryError) -> ClassRecord? {
        let root = root
        return try await database.read(isSnapshot: false) { session in try ClassRecord.last(root, session) }
    }

    /// The classes that begin in some time, in their order, beginning after one of them.
    func classes(
        in seconds: Range<Int64>, after id: Int64 = 0, limit: Int = PayloadLimits.maximumRecords
    ) async throws(HistoryError) -> [ClassRecord] {
        let values: [SQLValue] = [
            .text(root), .int(seconds.lowerBound), .int(seconds.upperBound), .int(id), .int(Int64(limit)),
        ]
        return try await database.read(isSnapshot: false) { session in
            try ClassRecord.all(
                "root = $1 AND start_s >= $2 AND start_s < $3 AND id > $4 ORDER BY id LIMIT $5", values, session)
        }
    }

    /// The titles of the classes of some time, for rides in it.
    func classTitles(in seconds: Range<Int64>) async throws(HistoryError) -> ClassTitles {
        let first = max(0, seconds.lowerBound) - Int64(ClassLimits.lengthSeconds.upperBound)
        return ClassTitles(classes: try await classes(in: first..<max(first, seconds.upperBound)))
    }

    /// What the riders of a class did.
    func results(of record: ClassRecord) async throws(HistoryError) -> [ClassResult] {
        try await database.read(isSnapshot: true) { session in
            try ClassResult.named(
                record.isSettled
                    ? try ClassResult.kept(of: record, session) : try ClassResult.made(of: record, session), session)
        }
    }

    /// Keeps the results of classes that have ended by a time for good: their minutes and seconds go by and by.
    package func settleClasses(endedBy second: Int64) async throws(HistoryError) {
        while case let due = try await unsettledClass(endedBy: second), let due {
            try await database.write { session in
                for result in try ClassResult.made(of: due, session) { try result.keep(of: due, session) }
                try session.change(
                    "UPDATE classes SET is_settled = $2 WHERE id = $1", [.int(due.id), .bool(true)])
            }
        }
    }

    private func unsettledClass(endedBy second: Int64) async throws(HistoryError) -> ClassRecord? {
        try await database.read(isSnapshot: false) { session in
            let values: [SQLValue] = [.bool(false), .int(second)]
            return try ClassRecord.all("is_settled = $1 AND end_s <= $2 ORDER BY id LIMIT 1", values, session).first
        }
    }

    /// Takes a device that is erased out of every class.
    static func eraseFromClasses(_ device: DeviceID, _ session: any SQLSession) throws {
        try session.change("DELETE FROM class_results WHERE device = $1", [.text("\(device)")])
        try session.change(
            "UPDATE classes SET devices = replace(devices, $1, ' ') WHERE devices LIKE $2",
            [.text(" \(device) "), .text("% \(device) %")])
    }
}

/// The classes of some time, by which a ride gets a title.
struct ClassTitles: Sendable, Equatable {
    var classes: [ClassRecord] = []

    /// The title of the class that a workout on some devices was; nil for one that was none. It was one if at least half of
    /// it or of the class is of both; one on foot if its device was named.
    func title(of seconds: Range<Int64>, on devices: [DeviceID], isRide: Bool) -> String? {
        func shared(_ record: ClassRecord) -> Int { record.seconds.clamped(to: seconds).count }
        return classes.filter { record in
            (record.devices.map { !$0.isDisjoint(with: devices) } ?? isRide)
                && shared(record) > 0 && 2 * shared(record) >= min(record.seconds.count, seconds.count)
        }.max { shared($0) < shared($1) }?.plan.title
    }
}

// MARK: - Rows

extension ClassRecord {
    static func last(_ root: String, _ session: any SQLSession) throws -> ClassRecord? {
        try all("root = $1 ORDER BY id DESC LIMIT 1", [.text(root)], session).first
    }

    /// The classes of a condition, but for rows that are not ours.
    static func all(_ condition: String, _ values: [SQLValue], _ session: any SQLSession) throws -> [ClassRecord] {
        try session.query(
            "SELECT id, start_s, end_s, plan, devices, is_settled FROM classes WHERE \(condition)", values
        ).read { row in
            let (id, start, end) = (try row.int(), try row.int(), try row.int())
            let plan = try? ClassReport(json: Array(try row.text().utf8))
            let devices = try row.optionalText()
            let isSettled = try row.bool()
            guard let plan, start <= end else { return nil }
            return ClassRecord(
                id: id, plan: plan, seconds: start..<end,
                devices: devices.map { Set($0.split(separator: " ").compactMap { try? DeviceID(String($0)) }) },
                isSettled: isSettled)
        }
    }
}

extension ClassResult {
    /// The results that are kept of a class.
    static func kept(of record: ClassRecord, _ session: any SQLSession) throws -> [ClassResult] {
        try session.query(
            """
            SELECT device, from_s, person, team, revolutions, target_s, distance_mm, work_j FROM class_results
            WHERE class = $1 ORDER BY device, from_s
            """, [.int(record.id)]
        ).read { row in
            guard let device = try? DeviceID(row.text()) else { return nil }
            var result = ClassResult(
                device: device, fromSeconds: try row.int(), person: try row.optionalText(), team: try row.optionalText()
            )
            result.score = ClassScore(
                revolutions: try row.int(), timeInTargetSeconds: try row.int(), distanceMillimetres: try row.int(),
                workJoules: try row.optionalInt())
            return result
        }
    }

    func keep(of record: ClassRecord, _ session: any SQLSession) throws {
        try session.change(
            """
            INSERT INTO class_results (class, device, from_s, person, team, revolutions, target_s, distance_mm, work_j)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (class, device, from_s) DO NOTHING
            """,
            [
                .int(record.id), .text("\(device)"), .int(fromSeconds), .text(person), .text(team),
                .int(score.revolutions), .int(score.timeInTargetSeconds), .int(score.distanceMillimetres),
                .int(score.workJoules),
            ])
    }

    /// What the riders of a class did, from their devices' minutes.
    static func made(of record: ClassRecord, _ session: any SQLSession) throws -> [ClassResult] {
        let (first, end) = (record.minutes.lowerBound, record.minutes.upperBound)
        return try riding(in: record, session).flatMap { id, device in
            let assignments = try session.query(
                Assignment.ofDevice, [.text("\(device)"), .int(first), .int(end)]
            ).compactMap { try Assignment.read($0) }
            let minutes = try ClassMinute.all(of: id, in: record.minutes, session)
            return ClassStay.all(of: DeviceOwnership.owners(assignments), in: record.seconds).map { stay in
                var result = ClassResult(
                    device: device, fromSeconds: stay.seconds.lowerBound, person: stay.person, team: stay.team)
                for minute in minutes { result.score.add(minute, within: stay.seconds, of: record) }
                return result
            }
        }
    }

    /// Whether a row of `subjects` is a bike: by its config, or by what it counted.
    private static let isBike = "(kind = 'bike' OR kind = 'unknown' AND subjects.revolutions > subjects.steps)"

    /// The devices of a class, with their numbers in the store: those that were named for it, or every bike that turned its
    /// crank or was checked in meanwhile.
    private static func riding(
        in record: ClassRecord, _ session: any SQLSession
    ) throws -> [(id: Int64, device: DeviceID)] {
        let rows: [SQLRow]
        if let devices = record.devices {
            rows = try session.execute(
                devices.sorted().map {
                    SQLStatement(
                        "SELECT id, name FROM subjects WHERE is_person = $1 AND name = $2", Subject.device($0).key)
                }
            ).flatMap(\.rows)
        } else {
            rows = try session.query(
                """
                SELECT id, name FROM subjects
                WHERE is_person = $1 AND \(isBike) AND (
                    last_minute >= $2 AND EXISTS (
                        SELECT 1 FROM minutes WHERE subject = subjects.id AND minute >= $2 AND minute < $3
                            AND minutes.revolutions > 0)
                    OR EXISTS (
                        SELECT 1 FROM assignments WHERE device = subjects.name AND origin = $4
                            AND from_minute < $3 AND to_minute > $2))
                ORDER BY last_minute DESC, name LIMIT $5
                """,
                [
                    .bool(false), .int(record.minutes.lowerBound), .int(record.minutes.upperBound),
                    .int(Int64(Assignment.Origin.checkin.rawValue)), .int(Int64(ClassLimits.maximumRiders)),
                ])
        }
        return try rows.read { row in
            let id = try row.int()
            return (try? DeviceID(row.text())).map { (id, $0) }
        }
    }

    /// The results with the names that everybody may see, by the rule of the wall: the alias of who has one, else the id
    /// of a bike that is no member's own.
    static func named(_ results: [ClassResult], _ session: any SQLSession) throws -> [ClassResult] {
        try results.map { result in
            var result = result
            let row = try session.query(
                """
                SELECT (SELECT alias FROM aliases WHERE person = coalesce($1, (SELECT coalesce(person, name) FROM users
                    WHERE name = $2 AND role = 'member'))),
                    (SELECT kind FROM subjects WHERE is_person = $3 AND name = $2
                        AND \(isBike)
                        AND NOT EXISTS (SELECT 1 FROM users WHERE name = $2 AND role = 'member'))
                """, [.text(result.person), .text("\(result.device)"), .bool(false)]
            ).first
            guard var row else { return result }
            let (alias, kind) = (try row.optionalText(), try row.optionalText())
            result.name = alias ?? kind.map { _ in "\(result.device)" }
            return result
        }
    }
}

extension ClassMinute {
    /// The minutes of a device, in their order.
    static func all(of id: Int64, in range: Range<Int64>, _ session: any SQLSession) throws -> [ClassMinute] {
        // A minute has a row for each life of the counters' stores.
        try session.query(
            """
            SELECT minute, revolutions, distance_mm, trace FROM minutes
            WHERE subject = $1 AND minute >= $2 AND minute < $3 ORDER BY minute, epoch
            """, [.int(id), .int(range.lowerBound), .int(range.upperBound)]
        ).read { row in
            ClassMinute(
                minute: try row.int(), revolutions: try row.int(), distanceMillimetres: try row.int(),
                trace: Trace(packed: try row.optionalBytes() ?? []) ?? Trace())
        }.reduce(into: []) { minutes, row in
            guard var last = minutes.last, last.minute == row.minute else { return minutes.append(row) }
            last.revolutions &+= row.revolutions
            last.distanceMillimetres &+= row.distanceMillimetres
            last.trace.merge(row.trace)
            minutes[minutes.count - 1] = last
        }
    }
}
