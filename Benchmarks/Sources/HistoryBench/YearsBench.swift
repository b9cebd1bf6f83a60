import ArgumentParser
import Foundation
import History
import Lab
import PrivatePostgres
import Wire

/// What is asked of a store of years, and how long each answer takes from the request to the bytes of its reply.
struct YearsBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "years", abstract: "Fill a store as years of a gym would, and measure answers and daily work.")

    @OptionGroup var gym: YearsFill

    @Option(help: "sqlite or postgres.")
    var store: HistoryBench.Choice = .sqlite

    @Option(help: ArgumentHelp("A folder for the SQLite file: it stays, and a store that is there is asked again."))
    var folder: String?

    @Option(help: "How often each question is asked; the least and the median are told.")
    var times = 21

    private static let nowSeconds = Double(LoadOptions.nowSeconds)

    func run() async throws {
        if store == .postgres {
            let server = try await PrivatePostgres(isDurable: true)
            let limits = PostgresLimits(statementSeconds: 3600)
            try await measure(try await .postgres(try await server.database(), limits: limits), isFilled: false)
            return await server.stop()
        }
        let path = folder ?? FileManager.default.temporaryDirectory.appending(path: "years-\(UUID().uuidString)").path
        defer { if folder == nil { try? FileManager.default.removeItem(atPath: path) } }
        let isFilled = FileManager.default.fileExists(atPath: path + "/history.sqlite")
        let start = ContinuousClock.now
        let sqlite = try HistoryStore.sqlite(directory: path)
        if isFilled { Output.line("opened in \(Self.milliseconds(since: start)) ms") }
        try await measure(sqlite, isFilled: isFilled)
    }

    private func measure(_ store: HistoryStore, isFilled: Bool) async throws {
        if !isFilled { Output.line(try await gym.fill(store)) }
        Output.line("| asked | least ms | median ms | bytes of the reply |")
        Output.line("|---|---:|---:|---:|")
        for (name, questions) in questions { try await ask(name, questions, store) }
        try await time("the wall") { try await store.wall(nowMinute: YearsFill.nowMinute).count }
        let retention = Retention(days: gym.retentionDays)
        try await time("a day's work, and the minutes gone by it", times: 1) {
            try await store.keepUp(retention, nowMinute: YearsFill.nowMinute + 1440)
        }
        await store.close()
    }

    private typealias Question = (verb: RequestVerb, json: String)

    private var questions: [(String, [Question])] {
        func fields(_ subject: String, from: Int, _ more: String = "") -> String {
            #"{\#(subject),"from":\#(Int(Self.nowSeconds) - from * 86_400),"to":\#(Int(Self.nowSeconds))\#(more)}"#
        }
        let phone = #""device":"phone-7""#
        let person = #""person":"Person 7""#
        let everybody = (0..<gym.people).map { number -> Question in
            (.historyDays, #"{"person":"Person \#(number)","from":"2026-11-20"}"#)
        }
        return [
            ("a month of minutes of a device, summed up", [(.historyInterval, fields(phone, from: 30))]),
            ("the same of a person with three devices", [(.historyInterval, fields(person, from: 30))]),
            ("by the hour, of a device", [(.historySeries, fields(phone, from: 30, #","bucket":"hour""#))]),
            ("by the hour, of a person", [(.historySeries, fields(person, from: 30, #","bucket":"hour""#))]),
            ("a day by the minute, of a person", [(.historySeries, fields(person, from: 1, #","bucket":"minute""#))]),
            ("a day's activity, of a person", [(.historyActivity, fields(person, from: 1))]),
            ("workouts of a month, of a device", [(.historyWorkouts, fields(phone, from: 30))]),
            ("workouts of a month, of a person", [(.historyWorkouts, fields(person, from: 30))]),
            ("workouts of a month, of a bike", [(.historyWorkouts, fields(#""device":"bike-7""#, from: 30))]),
            ("days of a year, of a person", [(.historyDays, fields(person, from: 365))]),
            ("the gym's day: \(gym.people) people, one after the other", everybody),
            ("people, of the last day", [(.people, fields(#""limit":1500"#, from: 1))]),
            ("people", [(.people, "{}")]),
            ("devices", [(.devices, "{}")]),
        ]
    }

    private func ask(_ name: String, _ questions: [Question], _ store: HistoryStore) async throws {
        let requests = try questions.map { try HistoryRequest(verb: $0.verb, json: Array($0.json.utf8)) }
        try await time(name) {
            var bytes = 0
            for request in requests {
                let answer = await HistoryAnswers(store: store).answer(request, nowSeconds: Self.nowSeconds)
                guard case .ok = answer.reply else {
                    throw ValidationError("\(name): \(answer)")
                }
                bytes += answer.reply.encodedJSON().count
            }
            return bytes
        }
    }

    private func time(_ name: String, times: Int? = nil, _ work: () async throws -> Int) async throws {
        var (taken, size): ([Double], Int) = ([], 0)
        for _ in 0..<(times ?? self.times) {
            let start = ContinuousClock.now
            size = try await work()
            taken.append(Self.milliseconds(since: start))
        }
        taken.sort()
        Output.line("| \(name) | \(taken[0]) | \(taken[taken.count / 2]) | \(size) |")
    }

    private static func milliseconds(since start: ContinuousClock.Instant) -> Double {
        (start.duration(to: .now) / .milliseconds(1) * 10).rounded() / 10
    }
}

/// Years of a gym, straight into the tables: phones and watches that people carry, and bikes that they check in on.
///
/// Minutes come in the order of time, as they would, so that those of a device lie as far apart in the file as they do in
/// one that has grown.
struct YearsFill: ParsableArguments {
    @Option(help: "Years of days.")
    var years = 3

    @Option(help: "People, each with a phone and a watch.")
    var people = 100

    @Option(help: "Bikes that people check in on, each of them every third day.")
    var bikes = 40

    @Option(help: "Days of minutes.")
    var retentionDays = 400

    @Option(help: "Days of their seconds.")
    var traceDays = 90

    @Option(help: "Minutes of a phone's or a watch's day.")
    var minutesADay = 480

    static let nowMinute = LoadOptions.nowSeconds / 60
    private static let today = LoadOptions.today
    /// The minutes of a day after which the workout begins, and how long it is.
    private static let (workoutStart, workoutMinutes) = (120, 45)
    private static let daysATransaction: Int64 = 5

    func fill(_ store: HistoryStore) async throws -> String {
        let start = ContinuousClock.now
        try await store.database.write { session in try makeSubjects(session) }
        let firstKept = Self.today - Int64(retentionDays)
        for day in stride(from: firstKept, through: Self.today, by: Int(Self.daysATransaction)) {
            let days = day..<min(day + Self.daysATransaction, Self.today + 1)
            try await store.database.write { session in
                for day in days { try makeMinutes(ofDay: day, session) }
            }
        }
        let counts = try await store.database.read(isSnapshot: true) { session in
            try ["subjects", "minutes", "days", "assignments"].map { table in
                var row = try session.query("SELECT count(*) FROM \(table)").first
                return "\(try row?.int() ?? 0) \(table)"
            }
        }
        return "\(counts.joined(separator: ", ")), filled in \(Int(start.duration(to: .now) / .seconds(1))) s"
    }

    private func makeSubjects(_ session: any SQLSession) throws {
        let first = (Self.today - Int64(years) * 365) * 1440
        let horizon = (Self.today - Int64(retentionDays)) * 1440
        let groups = [
            ("'phone-'", people, "wearable", "pocket"), ("'watch-'", people, "wearable", "wrist"),
            ("'bike-'", bikes, "bike", "frame"), ("'Person '", people, "unknown", ""),
        ]
        for (name, count, kind, placement) in groups {
            try session.change(
                """
                \(Self.numbers) INSERT INTO subjects (is_person, name, kind, placement, zone, first_minute, last_minute,
                    compacted_minute, traces_minute, steps, revolutions, active_ms, covered_ms, revision)
                SELECT $3, \(name) || number, $4, nullif($5, ''), 'UTC', CAST($6 AS bigint), CAST($7 AS bigint),
                    CAST($8 AS bigint), CAST($9 AS bigint), CASE $4 WHEN 'bike' THEN 0 ELSE 9000000 END,
                    CASE $4 WHEN 'bike' THEN 9000000 ELSE 0 END, 60000, 60000, 1 FROM numbers
                """,
                [
                    .int(0), .int(Int64(count)), .bool(placement.isEmpty), .text(kind), .text(placement), .int(first),
                    .int(Self.nowMinute), .int(max(first, horizon)),
                    .int(Self.nowMinute - Int64(traceDays) * 1440),
                ])
        }
        try session.change(
            """
            \(Self.numbers) INSERT INTO days (subject, date, zone, start_minute, end_minute, steps, distance_mm, active_ms,
                covered_ms, revision)
            SELECT id, number, 'UTC', number * 1440, number * 1440 + 1440, (id * 7919 + number * 104729) % 14000,
                9000000, 4000000, 50000000, 1
            FROM numbers CROSS JOIN subjects
            """, [.int(first / 1440), .int(Self.today + 1)])
        // What is left of old minutes.
        try session.change(
            """
            INSERT INTO minutes (subject, minute, epoch, revision, steps, distance_mm, active_ms, covered_ms)
            SELECT subject, start_minute + 420, 0, 0, steps, distance_mm, active_ms, covered_ms FROM days
            WHERE start_minute < $1
            """, [.int(horizon)])
        for device in ["phone", "watch"] {
            try session.change(
                """
                \(Self.numbers) INSERT INTO assignments (person, device, from_minute, to_minute, origin)
                SELECT 'Person ' || number, '\(device)-' || number, $3, $4, 0 FROM numbers
                """, [.int(0), .int(Int64(people)), .int(Assignment.always), .int(Assignment.forGood)])
        }
        // Each checks in for the workout of every third day.
        try session.change(
            """
            \(Self.numbers), riders (person) AS (SELECT CAST(substr(name, 8) AS bigint) FROM subjects WHERE is_person = $3)
            INSERT INTO assignments (person, device, from_minute, to_minute, origin)
            SELECT 'Person ' || person, 'bike-' || ((person + number) % $4), number * 1440 + $5, number * 1440 + $6, 1
            FROM numbers CROSS JOIN riders WHERE (person + number) % 3 = 0
            """,
            [
                .int(first / 1440), .int(Self.today + 1), .bool(true), .int(Int64(bikes)),
                .int(Int64(420 + Self.workoutStart)), .int(Int64(420 + Self.workoutStart + Self.workoutMinutes)),
            ])
        try session.change(
            """
            INSERT INTO profiles (person, alias, steps_per_day, active_min_per_week, rides_per_week)
            SELECT name, 'alias of ' || name, 8000, 150, 2 FROM subjects WHERE is_person = $1
            """, [.bool(true)])
    }

    /// The minutes of one day, those of a device together: a walk of `workoutMinutes`, and a few steps now and then.
    private func makeMinutes(ofDay day: Int64, _ session: any SQLSession) throws {
        var trace = Trace()
        trace.isOfSteps = true
        for second in 0..<Trace.seconds { trace[.cadence, second] = 110 + second % 7 }
        let isTraced = day >= Self.today - Int64(traceDays)
        let moves = "number BETWEEN \(Self.workoutStart) AND \(Self.workoutStart + Self.workoutMinutes - 1)"
        let steps = "CASE WHEN \(moves) THEN 110 + number % 9 WHEN number % 7 = 0 THEN 20 ELSE 0 END"
        try session.change(
            """
            \(Self.numbers), counted AS (
                SELECT id, is_person, kind, number, CASE kind WHEN 'bike' THEN 0 ELSE \(steps) END AS steps,
                    CASE WHEN kind = 'bike' AND \(moves) THEN 85 ELSE 0 END AS revolutions
                FROM subjects CROSS JOIN numbers WHERE kind <> 'bike' OR \(moves)
            )
            INSERT INTO minutes (subject, minute, epoch, revision, steps, revolutions, distance_mm, active_ms, covered_ms,
                cadence_integral, cadence_s, cadence_min, cadence_max, stationary_ms, walking_ms, cycling_ms, trace)
            SELECT id, $3 + number, CASE WHEN is_person = $4 THEN 0 ELSE 1 END, $3, steps, revolutions, steps * 750,
                CASE WHEN steps + revolutions > 0 THEN 58000 ELSE 0 END, 60000, (steps + revolutions) * 60.0,
                CASE WHEN steps + revolutions > 0 THEN 60 ELSE 0 END, steps + revolutions, steps + revolutions + 5,
                CASE WHEN steps + revolutions > 0 THEN 0 ELSE 60000 END, CASE WHEN steps > 0 THEN 60000 ELSE 0 END,
                CASE WHEN revolutions > 0 THEN 60000 ELSE 0 END, CASE WHEN steps + revolutions > 50 THEN $5 END
            FROM counted ORDER BY id, number
            """,
            [
                .int(0),
                .int(day == Self.today ? min(Int64(minutesADay), Self.nowMinute % 1440 - 420) : Int64(minutesADay)),
                .int(day * 1440 + 420), .bool(true), .bytes(isTraced ? trace.packed : nil),
            ])
    }

    /// The whole numbers from `$1` up to, but not including, `$2`.
    private static let numbers = """
        WITH RECURSIVE numbers (number) AS (
            SELECT CAST($1 AS bigint) UNION ALL SELECT number + 1 FROM numbers WHERE number + 1 < CAST($2 AS bigint))
        """
}
