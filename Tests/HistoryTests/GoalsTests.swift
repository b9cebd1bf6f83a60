import HookedDatabase
import Synchronization
import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("Goals", .timeLimit(.minutes(5)))
struct GoalsTests {
    private let folder = StoreFolder()
    private let phone: DeviceID = "phone-3"
    /// A Friday, 2026-11-20T17:00:00Z
    private static let friday: Int64 = 1_795_194_000 / 60
    private static let now = Double(friday + 30) * 60

    @Test("A person's day and the list of people tell how far the goals are", arguments: StoreKind.available)
    func progress(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await checkIn(to: store)
        // Sunday, Monday, today.
        try await walk(Self.friday - 5 * 1440..<Self.friday - 5 * 1440 + 60, in: store)
        try await walk(Self.friday - 4 * 1440..<Self.friday - 4 * 1440 + 30, in: store)
        try await walk(Self.friday..<Self.friday + 20, in: store)
        #expect(try await day(in: store).progress == GoalProgress())
        let said: ShownPersonData = try await configure(
            #""goal_steps_per_day":10000,"goal_active_min_per_week":100"#, in: store)
        #expect(said.goals == Goals(stepsPerDay: 10_000, activeMinutesPerWeek: 100))
        let told = try await day(in: store)
        #expect((told.steps, told.progress.weekActiveMinutes) == (2_000, 50))
        #expect((told.progress.stepsShare, told.progress.activeShare) == (0.2, 0.5))
        #expect(told.progress.goals.weekStarts == .monday)
        let _: ShownPersonData = try await configure(#""week_starts":"sunday""#, in: store)
        let people: Page<PersonEntry> = try await store.ask(.people, "{}", at: Self.now)
        let anna = try #require(people.rows.first)
        #expect((anna.daySteps, anna.progress.weekActiveMinutes) == (2_000, 110))
        #expect((anna.progress.activeShare, anna.progress.goals.weekStarts) == (1.1, .sunday))
        // The next week begins at nothing.
        let next = try await day(in: store, at: Self.now + 3 * 86_400)
        #expect((next.progress.weekActiveMinutes, next.progress.stepsShare) == (0, 0))
    }

    @Test("Rides of the week are those that workouts tell, and change with their edits", arguments: StoreKind.available)
    func rides(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await checkIn(to: store)
        // Last week, Monday, today, and one too short; and a walk.
        for (minute, length) in [(-5 * 1440, 30), (-4 * 1440, 30), (-90, 20), (-30, 2)] as [(Int64, Int64)] {
            let start = Self.friday + minute
            try await move(start..<start + length, steps: 0, revolutions: 80, in: store)
        }
        try await walk(Self.friday..<Self.friday + 20, in: store)
        let _: ShownPersonData = try await configure(#""goal_rides_per_week":4"#, in: store)
        let told = try await day(in: store)
        #expect((told.progress.weekRides, told.progress.ridesShare) == (2, 0.5))
        let workouts: Page<Workout> = try await store.ask(.historyWorkouts, #"{"person":"Anna"}"#, at: Self.now)
        let ride = try #require(workouts.rows.last { $0.kind == .ride })
        let _: WorkoutData = try await store.ask(
            .workoutsEdit, "{\"id\":\"\(ride.id)\",\"deleted\":true}", at: Self.now)
        #expect(try await day(in: store).progress.weekRides == 1)
    }

    @Test("Rides of the week are looked for again when something changes, and while somebody rides once a minute")
    func ridesAgain() async throws {
        let searches = Mutex(0)
        let database = HookedDatabase(try await folder.store(.sqlite).database) { statement, _ in
            if statement.sql.contains("AND steps + revolutions > 0") { searches.withLock { $0 += 1 } }
        }
        let store = HistoryStore(database, defaultZone: try DayCalendar(zone: "UTC"))
        func rides(at seconds: Double = Self.now) async throws -> (rides: Int?, searches: Int) {
            searches.withLock { $0 = 0 }
            let told = try await day(in: store, at: seconds)
            return (told.progress.weekRides, searches.withLock(\.self))
        }
        try await checkIn(to: store)
        try await move(Self.friday - 4 * 1440..<Self.friday - 4 * 1440 + 30, steps: 0, revolutions: 80, in: store)
        let _: ShownPersonData = try await configure(#""goal_rides_per_week":4"#, in: store)
        #expect(try await rides() == (1, 1))
        #expect(try await rides() == (1, 0))
        try await move(Self.friday..<Self.friday + 20, steps: 0, revolutions: 80, in: store)
        #expect(try await rides() == (1, 0))
        #expect(try await rides(at: Self.now + 60) == (2, 1))
        #expect(try await rides(at: Self.now + 120) == (2, 0))
        // A late row of another day, an edit, and a check-in that ends a ride.
        try await move(Self.friday - 3 * 1440..<Self.friday - 3 * 1440 + 30, steps: 0, revolutions: 80, in: store)
        #expect(try await rides(at: Self.now + 120) == (3, 1))
        let workouts: Page<Workout> = try await store.ask(.historyWorkouts, #"{"person":"Anna"}"#, at: Self.now)
        let id = try #require(workouts.rows.first).id
        let _: WorkoutData = try await store.ask(.workoutsEdit, "{\"id\":\"\(id)\",\"deleted\":true}", at: Self.now)
        #expect(try await rides(at: Self.now + 120) == (2, 1))
        try await store.checkIn("Ben", phone, Self.friday - 3 * 1440..<Self.friday - 2 * 1440)
        #expect(try await rides(at: Self.now + 120) == (1, 1))
    }

    @Test("A series of weeks begins them as goals do", arguments: StoreKind.available)
    func seriesOfWeeks(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await checkIn(to: store)
        try await walk(Self.friday - 6 * 1440..<Self.friday - 5 * 1440, in: store)
        func starts(_ fields: String) async throws -> [String] {
            let data: Page<SeriesBucket> = try await store.ask(
                .historySeries, "{\(fields),\"bucket\":\"week\",\"from\":\"2026-11-10\",\"to\":\"2026-11-20\"}",
                at: Self.now)
            let calendar = try DayCalendar(zone: #require(data.zone))
            return data.rows.map { "\(calendar.date(ofMinute: Int64($0.start) / 60))" }
        }
        #expect(try await starts(#""device":"phone-3""#) == ["2026-11-10", "2026-11-16"])
        #expect(try await starts(#""device":"phone-3","zone":"America/New_York""#) == ["2026-11-10", "2026-11-15"])
        #expect(try await starts(#""person":"Anna""#) == ["2026-11-10", "2026-11-16"])
        let _: ShownPersonData = try await configure(#""week_starts":"saturday""#, in: store)
        #expect(try await starts(#""person":"Anna""#) == ["2026-11-10", "2026-11-14"])
    }

    @Test("A goal of 0 is taken away, and what is not said stays", arguments: StoreKind.available)
    func changed(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let _: ShownPersonData = try await configure(#""alias":"A","goal_steps_per_day":8000"#, in: store)
        let both: ShownPersonData = try await configure(#""goal_rides_per_week":3"#, in: store)
        #expect(both.goals == Goals(stepsPerDay: 8_000, ridesPerWeek: 3))
        #expect(both.alias == "A")
        let one: ShownPersonData = try await configure(#""goal_steps_per_day":0"#, in: store)
        #expect(one.goals == Goals(ridesPerWeek: 3))
        let none: ShownPersonData = try await configure(#""goal_rides_per_week":0,"alias":"""#, in: store)
        #expect((none.goals, none.alias) == (Goals(), nil))
        #expect(try await store.profiles(of: ["Anna"]).isEmpty)
        await #expect(throws: ReplyError.self) { let _: ShownPersonData = try await self.configure("", in: store) }
        for wrong in [
            #""goal_steps_per_day":-1"#, #""goal_active_min_per_week":10081"#, #""week_starts":"friday""#,
            #""goal_rides_per_week":1e300"#, #""goal_steps_per_day":"8000""#,
        ] {
            #expect(throws: WireError.self) {
                try HistoryRequest(verb: .peopleConfigure, json: Array("{\"person\":\"Anna\",\(wrong)}".utf8))
            }
        }
    }

    @Test("Who is forgotten has no goals")
    func forgotten() async throws {
        let store = try await folder.store(.sqlite)
        let _: ShownPersonData = try await configure(#""goal_steps_per_day":8000"#, in: store)
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"Anna"}"#, at: Self.now)
        #expect(try await store.profiles(of: ["Anna"]).isEmpty)
    }

    @Test(
        "A week begins as in the country of the zone",
        arguments: [
            ("Europe/Berlin", WeekStart.monday), ("America/New_York", .sunday), ("Asia/Tokyo", .sunday),
            ("Africa/Cairo", .saturday), ("UTC", .monday), ("Nowhere/City", .monday), ("", .monday),
        ])
    func usual(zone: String, start: WeekStart) {
        #expect(WeekStart.usual(inZone: zone) == start)
    }

    @Test("The first day of a week is one of the last seven, and the same for all seven", arguments: WeekStart.allCases)
    func weeks(start: WeekStart) throws {
        let dates: [WeekStart: String] = [.monday: "2026-11-16", .sunday: "2026-11-15", .saturday: "2026-11-14"]
        let date = try #require(dates[start])
        let first = try #require(LocalDate(date))
        for day in 0..<7 { #expect(first.advanced(by: day).startOfWeek(from: start) == first) }
        #expect(first.advanced(by: -1).startOfWeek(from: start) == first.advanced(by: -7))
    }

    // MARK: -

    private func configure(_ fields: String, in store: HistoryStore) async throws -> ShownPersonData {
        let comma = fields.isEmpty ? "" : ","
        return try await store.ask(.peopleConfigure, "{\"person\":\"Anna\"\(comma)\(fields)}", at: Self.now)
    }

    private func checkIn(to store: HistoryStore) async throws {
        try await store.checkIn("Anna", phone, Self.friday - 20 * 1440..<Self.friday + 20 * 1440)
    }

    private func walk(_ minutes: Range<Int64>, in store: HistoryStore) async throws {
        try await move(minutes, steps: 100, revolutions: 0, in: store)
    }

    private func move(
        _ minutes: Range<Int64>, steps: Int64, revolutions: Int64, in store: HistoryStore
    ) async throws {
        try await store.keep(
            minutes.map { MinuteRow(phone, $0, steps: steps, revolutions: revolutions) { $0.moveEvenly() } })
    }

    private func day(in store: HistoryStore, at seconds: Double = now) async throws -> DayTotals {
        let told = try await store.totalsMessages(of: [.person("Anna")], nowSeconds: seconds, topics: TopicTree())
        return try DayTotals(json: try #require(told[.person("Anna")]).messages[0].payload)
    }
}
