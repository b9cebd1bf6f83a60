import HookedDatabase
import PrivatePostgres
import Synchronization
import TestBroker
import Testing
import Wire

@testable import History

@Suite("How statements find their rows", .timeLimit(.minutes(5)))
struct QueryPlanTests {
    private static let minute: Int64 = 1_795_195_800 / 60
    private let folder = StoreFolder()
    private let bike: DeviceID = "bike-07"

    /// What is read as a whole, and why that may be. Minutes, days and words never are.
    private static let mayBeScanned = [
        "subjects": "devices and people: at a connection, once a day, and for the wall",
        "gone": "has those that the broker still has to forget",
        "due": "a queue, empty but after words and changes of hands",
        "chains": "a row a counter",
        "users": "where somebody's name is looked for: at a change of an alias, and when somebody is erased",
        "profiles": "counted and compared when an alias changes",
        "assignments": "all names, when an alias changes",
        "erasures": "once a day, those that are told",
        "classes": "once a day those to be settled, and where a device is erased",
        "class_results": "where a device or a person is erased",
        "workout_marks": "once a day, for those that are too old",
        "workout_notes": "once a day, for those that are too old",
    ]

    @Test("No statement reads all minutes, days or words", arguments: StoreKind.available)
    func plans(kind: StoreKind) async throws {
        let noted = Mutex<[String: SQLStatement]>([:])
        let database = HookedDatabase(try await folder.store(kind).database) { statement, _ in
            noted.withLock { $0[statement.sql] = statement }
        }
        let store = HistoryStore(database, defaultZone: try DayCalendar(zone: "UTC"))
        try await doEverything(store)
        let statements = noted.withLock { $0.values.sorted { $0.sql < $1.sql } }
        #expect(statements.count > 90)
        let scanned = try await database.write { session in
            if kind == .postgres { try session.run(script: "SET LOCAL enable_seqscan = off") }
            return try statements.flatMap { statement in
                try Self.scanned(by: statement, kind, session).map { (table: $0, sql: statement.sql) }
            }
        }
        let unexpected = scanned.filter { Self.mayBeScanned[$0.table] == nil }
        #expect(unexpected.isEmpty, "\(unexpected)")
        if kind == .sqlite { #expect(Set(scanned.map(\.table)) == Set(Self.mayBeScanned.keys)) }
    }

    /// The tables that a statement reads from their beginning to their end.
    private static func scanned(
        by statement: SQLStatement, _ kind: StoreKind, _ session: any SQLSession
    ) throws -> [String] {
        if kind == .postgres {
            return try session.query("EXPLAIN " + statement.sql, statement.parameters).compactMap { row in
                var row = row
                return try row.text().firstMatch(of: /Seq Scan on ([a-z_]+)/).map { "\($0.1)" }
            }
        }
        return try session.query("EXPLAIN QUERY PLAN " + statement.sql, statement.parameters).compactMap { row in
            var row = row
            for _ in 0..<3 { _ = try row.int() }
            let name = try row.text().firstMatch(of: /^SCAN ([a-z_]+)/)?.1
            return name.map { Self.names["\($0)"] ?? "\($0)" }.flatMap { Self.made.contains($0) ? nil : $0 }
        }
    }

    /// What statements call tables, and what they make themselves.
    private static let names = ["owned": "assignments", "known": "subjects", "people": "assignments"]
    private static let made: Set = ["first", "moved", "CONSTANT"]

    /// Does what the service does: keeps, answers, erases, and does a day's work.
    private func doEverything(_ store: HistoryStore) async throws {
        let now = Double(Self.minute) * 60
        var changes = HistoryChanges()
        let settings = DeviceSettings(kind: "bike", zone: "Europe/Berlin", person: "Anna")
        changes.settings = [SettingsChange(device: bike, settings: settings)]
        changes.roles = [RoleChange(user: "anna", role: UserRole { $0.role = .member })]
        changes.cursors = [ChainCursor(epoch: 7, revision: 1, lastMessageSeconds: Int64(now))]
        changes.marks = [MarkRow(.device(bike), WorkoutMark(Self.minute * 60 - 600, .start))]
        for (revision, minute) in [Self.minute - 500 * 1440, Self.minute - 100 * 1440, Self.minute].enumerated() {
            changes.rows += (minute..<minute + 20).map {
                MinuteRow(bike, $0, revision: UInt64(revision) + 1, revolutions: 80) { $0.moveEvenly() }
            }
        }
        _ = try await store.commit(changes, nowSeconds: Self.minute * 60)
        let word = try #require(
            StepWord(
                start: (Self.minute - 90) * 60_000_000, end: Self.minute * 60_000_000, microSteps: 900 * StepWord.micro)
        )
        let words = HistoryChanges(words: [WordRow(device: bike, word: word, epoch: 7, revision: 9)])
        _ = try await store.commit(words, nowSeconds: Self.minute * 60)
        _ = try await store.makeDue(days: .max, nowMinute: Self.minute)
        let id = WorkoutID(.device(bike), Self.minute * 60)
        let requests: [(RequestVerb, String)] = [
            (.peopleCheckin, #"{"device":"bike-07","person":"Ben","from":\#(Int(now) - 3600)}"#),
            (.peopleConfigure, #"{"person":"Ben","alias":"B","weight_kg":80,"goal_rides_per_week":2}"#),
            (.classesStart, #"{"title":"Spin","length_s":600}"#), (.classesStop, "{}"),
            (.workoutsStart, #"{"device":"bike-07"}"#), (.workoutsStop, #"{"device":"bike-07"}"#),
            (.workoutsEdit, #"{"id":"\#(id)","title":"x"}"#), (.historyWorkout, #"{"id":"\#(id)"}"#),
            (.peopleCheckout, #"{"device":"bike-07"}"#),
        ]
        for (verb, json) in requests { try await ask(verb, json, store, now) }
        for verb in RequestVerb.allCases where !verb.rawValue.hasSuffix("forget") {
            for subject in [#""device":"bike-07""#, #""person":"Ben""#] {
                try await ask(verb, #"{\#(subject),"from":\#(Int(now) - 86_400),"to":\#(Int(now))}"#, store, now)
                try await ask(verb, #"{\#(subject),"bucket":"day","from":1700000000,"to":\#(Int(now))}"#, store, now)
            }
            try await ask(verb, "{}", store, now)
        }
        _ = try await store.wall(nowMinute: Self.minute)
        _ = try await store.totalsMessages(
            of: try await store.retainedSubjects(), nowSeconds: now, topics: try TopicTree())
        for _ in 0..<2 { _ = try await store.keepUp(Retention(), nowMinute: Self.minute) }
        _ = try await store.classes(near: 0..<Int64(now) + 1)
        for old in [7.0, 200] {
            try await ask(
                .historySeries, #"{"device":"bike-07","bucket":"day","from":\#(Int(now - old * 86_400))}"#, store, now)
        }
        try await ask(.peopleForget, #"{"person":"Ben"}"#, store, now)
        try await ask(.devicesForget, #"{"device":"bike-07"}"#, store, now)
        for erasure in try await store.unsentErasures() { try await store.noteSent(erasure) }
        _ = try await store.cursors()
    }

    private func ask(_ verb: RequestVerb, _ json: String, _ store: HistoryStore, _ now: Double) async throws {
        let request = try HistoryRequest(verb: verb, json: Array(json.utf8))
        _ = await HistoryAnswers(store: store).reply(to: request, nowSeconds: now)
    }
}
