import Logging
import MQTT
package import Wire

/// The wall: at most once a second while something changes, and else once a minute, by which a screen knows that it is of
/// now. And the class that runs with its summary, again and again while there is one. What is published follows from the
/// store and the time alone, so that a history that starts in mid-class goes on with it.
extension HistoryPublisher {
    private static var lookSeconds: Double { 1 }
    /// The time after which the wall is published though nothing has changed, and a class, in seconds.
    private static var wallRenewalSeconds: Double { 60 }
    private static var classRenewalSeconds: Double { 3 }

    /// Publishes walls and classes as they fall due, until it is cancelled.
    func publishWalls() async {
        repeat {
            // A clock that was set back must not hold them up.
            let isShown = wallShownSeconds.map { (0..<Self.wallRenewalSeconds).contains(now() - $0) } ?? false
            if !isShown { await publishWall() }
            let wait = classDueSeconds - now()
            if wait <= 0 || wait > Self.classRenewalSeconds && wait.isFinite { await publishClass() }
        } while (try? await Task.sleep(for: .seconds(Self.lookSeconds))) != nil
    }

    func publishWall() async {
        let nowSeconds = now()
        wallShownSeconds = nowSeconds
        let isShown = await show(.wall) {
            let entries = try await store.wall(nowMinute: Int64(clampingSeconds: nowSeconds) / 60)
            return WallReport { ($0.t, $0.entries) = (nowSeconds, entries) }.encodedJSON()
        }
        if !isShown { wallShownSeconds = nil }
    }

    private func publishClass() async {
        let nowSeconds = now()
        classDueSeconds = .infinity
        var isOver = true
        let isShown = await show(.runningClass) {
            guard let last = try await store.lastClass(), nowSeconds < last.summaryEndSeconds else { return [] }
            isOver = false
            return try await store.report(of: last, nowSeconds: nowSeconds).encodedJSON()
        }
        if !isShown || !isOver { classDueSeconds = min(classDueSeconds, nowSeconds + Self.classRenewalSeconds) }
    }
}

extension HistoryStore {
    /// The entries of the wall at a minute: bikes, and the devices of people with an alias, of those that have counted today
    /// by their own calendar.
    package func wall(nowMinute: Int64) async throws(HistoryError) -> [WallEntry] {
        let dates = LocalDate.dates(near: nowMinute)
        return try await database.read(isSnapshot: false) { session in
            let rows = try session.query(
                Self.wall,
                [
                    .int(nowMinute), .int(Int64(dates.lowerBound.dayNumber)), .int(Int64(dates.upperBound.dayNumber)),
                    .bool(false), .bool(true), .int(Int64(WallReport.maximumEntries)),
                    .int(Int64(dates.lowerBound.dayNumber) * 1440),
                ])
            return try rows.compactMap { row -> WallEntry? in
                var row = row
                let (name, kind, alias) = (try row.text(), try row.text(), try row.optionalText())
                let (steps, revolutions, end) = (try row.int(), try row.int(), try row.int())
                guard let device = try? DeviceID(name) else { return nil }
                return WallEntry { entry in
                    (entry.device, entry.kind, entry.alias) = (device, DeviceKind(rawValue: kind) ?? .unknown, alias)
                    entry.steps = UInt64(clamping: steps)
                    entry.revolutions = UInt64(clamping: revolutions)
                    entry.end = Double(end) * 60
                }
            }.sorted { $0.device < $1.device }
        }
    }

    /// Those that counted last of all that the wall may show. Who is checked out is so from the next minute on, and off the
    /// wall at once: so it is asked who has a device then.
    private static let wall = """
        SELECT moved.name, moved.kind, alias,
            CASE WHEN alias IS NULL OR holder IS NULL THEN moved.steps ELSE coalesce(theirs.steps, 0) END,
            CASE WHEN alias IS NULL OR holder IS NULL THEN moved.revolutions ELSE coalesce(theirs.revolutions, 0) END,
            coalesce(theirs.end_minute, moved.end_minute)
        FROM \(PublicName.table(columns, holder: holder, counted)) AS moved
        LEFT JOIN subjects AS people ON people.is_person = $5 AND people.name = holder AND alias IS NOT NULL
        LEFT JOIN days AS theirs ON theirs.subject = people.id AND theirs.date >= $2 AND theirs.date < $3
            AND theirs.start_minute <= $1 AND theirs.end_minute > $1
        WHERE \(PublicName.isShown) ORDER BY moved.last_minute DESC, moved.name LIMIT $6
        """
    private static let columns =
        "name, kind, subjects.last_minute, days.steps, days.revolutions, days.end_minute"
    private static let holder = """
        (SELECT person FROM assignments WHERE device = subjects.name AND from_minute <= $1 + 1 AND to_minute > $1 + 1
            ORDER BY origin DESC, from_minute DESC LIMIT 1)
        """
    private static let counted = """
        JOIN days ON days.subject = subjects.id AND date >= $2 AND date < $3 AND start_minute <= $1 AND end_minute > $1
            WHERE is_person = $4 AND subjects.last_minute >= $7
        """
}

/// The name under which everybody may see a device: the alias of who has it, else the id of a bike. A member's own device is
/// theirs where nobody else has it, and has no name but theirs.
enum PublicName {
    /// Whether a row of `subjects` is a bike: by its config, or by what it counted.
    static let isBike =
        "(subjects.kind = 'bike' OR subjects.kind = 'unknown' AND subjects.revolutions > subjects.steps)"

    /// Columns of `subjects`, and what `isShown` is about.
    static func table(_ columns: String, holder: String, _ which: String) -> String {
        """
        (SELECT owned.*, (SELECT alias FROM profiles WHERE person = coalesce(holder, member)) AS alias FROM (
            SELECT \(columns), \(holder) AS holder, \(isBike) AS is_bike,
                (SELECT coalesce(person, name) FROM users WHERE users.name = subjects.name AND role = 'member') AS member
            FROM subjects \(which)
        ) AS owned)
        """
    }

    static let isShown = "(alias IS NOT NULL OR member IS NULL AND is_bike)"
}
