import Wire

extension HistoryStore {
    /// The most classes that are kept: of more, the oldest go.
    static let maximumClasses: Int64 = 20_000
    /// How long after its end the results of a class still follow what comes late, in seconds: shorter than minutes are
    /// kept.
    private static let classSettlingSeconds: Int64 = 5 * 86_400
    /// The same where the seconds of minutes are kept for less.
    private static let classGraceSeconds: Int64 = 3_600

    /// Begins a class, unless one runs.
    /// - Returns: The class that runs now.
    func start(_ new: ClassRecord) async throws(HistoryError) -> ClassRecord {
        try await database.write { session in
            if let running = try ClassRecord.last(session), running.seconds.upperBound > new.seconds.lowerBound {
                return running
            }
            var record = new
            let devices = new.devices.map { ClassResult.text(of: $0) }
            record.id =
                try session.number(
                    "INSERT INTO classes (start_s, end_s, plan, devices) VALUES ($1, $2, $3, $4) RETURNING id",
                    [
                        .int(new.seconds.lowerBound), .int(new.seconds.upperBound),
                        .text(String(decoding: new.plan.encodedJSON(), as: UTF8.self)), .text(devices),
                    ]) ?? 0
            let gone = SQLValue.int(record.id - Self.maximumClasses)
            try session.change("DELETE FROM class_results WHERE class <= $1", [gone])
            try session.change("DELETE FROM classes WHERE id <= $1", [gone])
            return record
        }
    }

    /// Ends the class that runs.
    /// - Returns: The class as it is now; nil where none runs.
    func stopClass(nowSeconds: Int64) async throws(HistoryError) -> ClassRecord? {
        try await database.write { session in
            guard var record = try ClassRecord.last(session), record.seconds.upperBound > nowSeconds else {
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
        try await database.read(isSnapshot: false) { session in try ClassRecord.last(session) }
    }

    /// The classes that begin in some time, in their order, beginning after one of them.
    func classes(
        in seconds: Range<Int64>, after id: Int64 = 0, limit: Int = PayloadLimits.maximumRecords
    ) async throws(HistoryError) -> [ClassRecord] {
        try await database.read(isSnapshot: false) { session in
            try ClassRecord.all(
                "start_s >= $1 AND start_s < $2 AND id > $3 ORDER BY id LIMIT $4",
                [.int(seconds.lowerBound), .int(seconds.upperBound), .int(id), .int(Int64(limit))], session)
        }
    }

    /// The classes that have some of a stretch of time, and some before it.
    func classes(near seconds: Range<Int64>) async throws(HistoryError) -> [ClassRecord] {
        let first = max(0, seconds.lowerBound) - Int64(ClassLimits.lengthSeconds.upperBound)
        return try await classes(in: first..<max(first, seconds.upperBound))
    }

    /// A class at a time, with what its riders did.
    func report(of record: ClassRecord, nowSeconds: Double) async throws(HistoryError) -> ClassReport {
        try await database.read(isSnapshot: true) { session in
            let results =
                try record.isSettled ? ClassResult.kept(of: record, session) : ClassResult.made(of: record, session)
            return ClassReport(record, try results.map { try $0.named(session) }, nowSeconds: nowSeconds)
        }
    }

    /// Keeps the results of classes that ended a while ago for good: their minutes and seconds go by and by.
    /// - Parameter horizon: The minute before which seconds are to go.
    /// - Returns: The minute before which they may: those that a class still needs stay.
    package func settleClasses(nowSecond: Int64, tracesHorizon horizon: Int64) async throws(HistoryError) -> Int64 {
        let settled = max(
            nowSecond - Self.classSettlingSeconds, min(horizon * 60, nowSecond - Self.classGraceSeconds))
        let unsettled = try await database.read(isSnapshot: false) { session in
            try ClassRecord.all("is_settled = $1", [.bool(false)], session)
        }
        guard unsettled.contains(where: { $0.seconds.upperBound <= settled }) else {
            return unsettled.map(\.minutes.lowerBound).reduce(horizon, min)
        }
        return try await database.write { session in
            let unsettled = try ClassRecord.all("is_settled = $1", [.bool(false)], session)
            for due in unsettled where due.seconds.upperBound <= settled {
                for result in try ClassResult.made(of: due, session) { try result.keep(of: due, session) }
                try session.change("UPDATE classes SET is_settled = $2 WHERE id = $1", [.int(due.id), .bool(true)])
            }
            return unsettled.filter { $0.seconds.upperBound > settled }.map(\.minutes.lowerBound).reduce(horizon, min)
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

extension [ClassRecord] {
    /// The class that a workout on some devices was; nil for one that was none. It was one if at least half of it or of the
    /// class is of both; one on foot if its device was named.
    func ridden(in seconds: Range<Int64>, on devices: [DeviceID], isRide: Bool) -> ClassRecord? {
        func shared(_ record: ClassRecord) -> Int { record.seconds.clamped(to: seconds).count }
        return filter { record in
            (record.devices.map { !$0.isDisjoint(with: devices) } ?? isRide)
                && shared(record) > 0 && 2 * shared(record) >= Swift.min(record.seconds.count, seconds.count)
        }.max { shared($0) < shared($1) }
    }
}

// MARK: - Rows

extension ClassRecord {
    static func last(_ session: any SQLSession) throws -> ClassRecord? {
        try all("id > 0 ORDER BY id DESC LIMIT 1", [], session).first
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
    private static let columns = "device, from_s, person, team, revolutions, target_s, distance_mm, work_j"

    /// The results that are kept of a class.
    static func kept(of record: ClassRecord, _ session: any SQLSession) throws -> [ClassResult] {
        try session.query(
            "SELECT \(columns) FROM class_results WHERE class = $1 ORDER BY device, from_s", [.int(record.id)]
        ).read { row in
            guard let device = try? DeviceID(row.text()) else { return nil }
            let start = try row.int()
            return ClassResult(
                device: device, seconds: start..<max(start, record.seconds.upperBound),
                person: try row.optionalText(), team: try row.optionalText(),
                score: ClassScore(
                    revolutions: try row.int(), timeInTargetSeconds: try row.int(),
                    distanceMillimetres: try row.int(), workJoules: try row.optionalInt()))
        }
    }

    func keep(of record: ClassRecord, _ session: any SQLSession) throws {
        try session.change(
            """
            INSERT INTO class_results (class, \(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (class, device, from_s) DO NOTHING
            """,
            [
                .int(record.id), .text("\(device)"), .int(seconds.lowerBound), .text(person), .text(team),
                .int(score.revolutions), .int(score.timeInTargetSeconds), .int(score.distanceMillimetres),
                .int(score.workJoules),
            ])
    }

    /// What the riders of a class did, from their devices' minutes.
    static func made(of record: ClassRecord, _ session: any SQLSession) throws -> [ClassResult] {
        try riding(in: record, session).flatMap { id, device in
            let owners = try Assignment.owners(of: device, in: record.minutes, session)
            let minutes = try TracedMinute.all([(id, record.minutes)], session).joined()
            return all(of: device, owners, in: record.seconds).map { part in
                var result = part
                for minute in minutes { result.score.add(minute, within: part.seconds, of: record) }
                return result
            }
        }
    }

    /// Devices as the table has them, each between spaces.
    fileprivate static func text(of devices: Set<DeviceID>) -> String {
        " " + devices.sorted().map { "\($0) " }.joined()
    }

    /// The devices of a class, with their numbers in the store: those that were named for it, or every bike that turned its
    /// crank or was checked in meanwhile.
    private static func riding(
        in record: ClassRecord, _ session: any SQLSession
    ) throws -> [(id: Int64, device: DeviceID)] {
        var values: [SQLValue] = [.bool(false), .int(Int64(ClassLimits.maximumRiders))]
        let which: String
        if let devices = record.devices {
            which = "$3 LIKE '% ' || name || ' %'"
            values.append(.text(Self.text(of: devices)))
        } else {
            which = """
                \(PublicName.isBike) AND (
                    last_minute >= $3 AND EXISTS (
                        SELECT 1 FROM minutes WHERE subject = subjects.id AND minute >= $3 AND minute < $4
                            AND minutes.revolutions > 0)
                    OR EXISTS (
                        SELECT 1 FROM assignments WHERE device = subjects.name AND origin = $5
                            AND from_minute < $4 AND to_minute > $3))
                """
            values += [.int(record.minutes.lowerBound), .int(record.minutes.upperBound)]
            values.append(.int(Int64(Assignment.Origin.checkin.rawValue)))
        }
        return try session.query(
            "SELECT id, name FROM subjects WHERE is_person = $1 AND \(which) ORDER BY last_minute DESC, name LIMIT $2",
            values
        ).read { row in
            let id = try row.int()
            return (try? DeviceID(row.text())).map { (id, $0) }
        }
    }

    /// This under the name that everybody may see.
    func named(_ session: any SQLSession) throws -> ClassResult {
        let table = PublicName.table("name", holder: "CAST($1 AS text)", "WHERE is_person = $2 AND name = $3")
        var named = self
        named.name = try session.query(
            "SELECT coalesce(alias, shown.name) FROM \(table) AS shown WHERE \(PublicName.isShown)",
            [.text(person), .bool(false), .text("\(device)")]
        ).read { try $0.text() }.first
        return named
    }
}
