import ServiceKit
import TestBroker
import Testing
import Wire

@testable import History

/// Workouts as they are asked for: a bike, and who was checked in on it.
@Suite("Workouts that are asked for", .timeLimit(.minutes(5)))
struct WorkoutAnswersTests {
    /// 2026-11-20T17:00:00Z
    static let start: Int64 = 1_795_194_000 / 60
    static let now = Double(start + 600) * 60
    let folder = StoreFolder()

    private func ride(_ minutes: Range<Int64>) -> [MinuteRow] {
        minutes.map { minute in
            MinuteRow("bike-07", Self.start + minute, revision: UInt64(10_000 + minute), revolutions: 80) {
                ($0.activeMilliseconds, $0.distanceMillimetres) = (60_000, 400_000)
                $0.cadence = RateSum(integral: 80 * 60, seconds: 60, minimum: 70, maximum: 90)
            }
        }
    }

    private func list(_ store: HistoryStore, _ json: String) async throws -> [Workout] {
        let data: Page<Workout> = try await store.ask(.historyWorkouts, json, at: Self.now)
        return data.rows
    }

    private func isRefused(_ verb: RequestVerb, _ fields: String, by store: HistoryStore) async -> Bool {
        await store.refusal(of: verb, "{\(fields)}", by: nil, at: Int64(Self.now)) != nil
    }

    private func minutes(_ workouts: [Workout]) -> [Range<Int64>] {
        workouts.map { Int64($0.start) / 60 - Self.start..<Int64($0.end) / 60 - Self.start }
    }

    @Test("Rides are told with what they were, to who rode them and of the bike", arguments: StoreKind.available)
    func rides(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep(ride(0..<20) + ride(23..<30) + ride(100..<130))
        try await store.checkIn("Anna", "bike-07", Self.start + 10..<Self.start + 60)
        let bike = try await list(store, #"{"device":"bike-07"}"#)
        #expect(minutes(bike) == [0..<10, 10..<30, 100..<130])
        #expect(bike.map(\.persons) == [[], ["Anna"], []])
        let own = try await list(store, #"{"person":"Anna"}"#)
        let workout = try #require(own.first)
        #expect(minutes(own) == [10..<30])
        #expect(workout.kind == .ride && workout.devices == ["bike-07"])
        #expect(workout.movingSeconds == 17 * 60 && workout.pausedSeconds == 180 && workout.revolutions == 17 * 80)
        #expect(workout.distanceMetres == 6_800 && workout.rpm?.average == 80 && workout.rpm?.maximum == 90)
        #expect(workout.pauses == [Double(Self.start + 20) * 60..<Double(Self.start + 23) * 60])
        #expect(abs((workout.speedAverageMetresPerSecond ?? 0) - 6.667) < 0.001)
        #expect(workout.energy == nil && workout.heart == nil)
    }

    @Test(
        "An id stays when late data moves the beginning, and finds the workout by whatever it was told",
        arguments: StoreKind.available)
    func ids(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep(ride(10..<20))
        let first = try #require(try await list(store, #"{"device":"bike-07"}"#).first)
        _ = try await store.keep(ride(5..<10))
        let later = try await list(store, #"{"device":"bike-07"}"#)
        #expect(later.map(\.id) == [first.id] && minutes(later) == [5..<20])
        let page: WorkoutData = try await store.ask(
            .historyWorkout, #"{"id":"\#(first.id)","limit":100}"#, at: Self.now)
        #expect(page.workout == later.first && page.start == Double(Self.start + 5) * 60)
        #expect(page.cadence?.count == 100 && page.cursor != nil)
        for id in [
            "d.bike-07.1", "", "x", "p..z", "d.bike-07", "d.BIKE.1", "d.bike-07.!", "p.A.zzzzzzzzzzzzzzzzzz",
            "d.bike-07.-5",
        ] {
            #expect(await isRefused(.historyWorkout, #""id":"\#(id)""#, by: store), "\(id)")
        }
    }

    @Test("Pages put together are all workouts", arguments: [1, 2, 3, 50])
    func pages(limit: Int) async throws {
        let store = try folder.store()
        let rides = (0..<9).map { Int64($0) * 40 }
        _ = try await store.keep(rides.flatMap { ride($0..<$0 + 12) })
        let request = HistoryRequest(
            verb: .historyWorkouts, device: "bike-07", from: .instant(seconds: Double(Self.start) * 60))
        let found: [Workout] = try await store.pages(of: request, limit: limit, at: Self.now).flatMap(\.self)
        #expect(minutes(found) == rides.map { $0..<$0 + 12 })
        // Of those that follow each other in time each workout is in one.
        let parts = try await ([(0, 95), (95, 600)] as [(Int64, Int64)]).asyncMap { from, to in
            try await list(
                store, #"{"device":"bike-07","from":\#((Self.start + from) * 60),"to":\#((Self.start + to) * 60)}"#)
        }
        #expect(parts.flatMap { $0 } == found)
    }

    @Test("Many workouts are told with as many reads as few are", arguments: ["device", "person"])
    func reads(whose: String) async throws {
        let database = ScriptedDatabase(try folder.store().database)
        let store = try database.store()
        let json = whose == "device" ? #"{"device":"bike-07"}"# : #"{"person":"Anna"}"#
        try await store.checkIn("Anna", "bike-07", Self.start..<Self.start + 6_000)
        var counts: [Int] = []
        for rides in [0..<2, 2..<14] as [Range<Int64>] {
            _ = try await store.keep(rides.flatMap { ride($0 * 40..<$0 * 40 + 12) })
            let before = database.readCount
            #expect(try await list(store, json).count == Int(rides.upperBound))
            counts.append(database.readCount - before)
        }
        #expect(counts[0] == counts[1] && counts[0] <= 12)
    }

    @Test(
        "A workout has a title and a kind, is cut, joined and deleted, and all of that is taken back",
        arguments: StoreKind.available)
    func edits(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep(ride(0..<20) + ride(100..<130))
        let all = #"{"device":"bike-07"}"#
        func edit(_ id: String, _ what: String) async throws -> Workout {
            let data: WorkoutData = try await store.ask(.workoutsEdit, #"{"id":"\#(id)",\#(what)}"#, at: Self.now)
            return try #require(data.workout)
        }
        let ids = try await list(store, all).map(\.id)
        #expect(try await edit(ids[0], #""title":"Hills""#).title == "Hills")
        #expect(try await edit(ids[0], #""kind":"walk""#).kind == .walk)
        #expect(try await list(store, all)[0].title == "Hills")
        #expect(try await edit(ids[0], #""title":"""#).title == nil)
        #expect(try await edit(ids[0], #""joined":true"#).end == Double(Self.start + 130) * 60)
        #expect(minutes(try await list(store, all)) == [0..<130])
        #expect(try await list(store, all)[0].pausedSeconds == 80 * 60)
        #expect(try await edit(ids[1], #""joined":false"#).id == ids[1])
        #expect(minutes(try await list(store, all)) == [0..<20, 100..<130])
        _ = try await edit(ids[1], #""cut_t":\#((Self.start + 102) * 60)"#)
        #expect(minutes(try await list(store, all)) == [0..<20, 100..<102, 102..<130])
        _ = try await edit(ids[1], #""joined":true"#)
        #expect(minutes(try await list(store, all)) == [0..<20, 100..<130])
        _ = try await edit(ids[1], #""deleted":true"#)
        #expect(minutes(try await list(store, all)) == [0..<20])
        #expect(await isRefused(.historyWorkout, #""id":"\#(ids[1])""#, by: store))
        _ = try await edit(ids[1], #""deleted":false"#)
        #expect(minutes(try await list(store, all)) == [0..<20, 100..<130])
        for wrong in [#""cut_t":5"#, #""joined":true"#] {
            #expect(await isRefused(.workoutsEdit, #""id":"\#(ids[1])",\#(wrong)"#, by: store))
        }
    }

    @Test("Marks of a button and of a page are edges, and those of the bike also for who has it")
    func marks() async throws {
        let store = try folder.store()
        _ = try await store.keep(ride(0..<60))
        try await store.checkIn("Anna", "bike-07", Self.start..<Self.start + 40)
        let marks = ([(10, .toggle), (20, .toggle)] as [(Int64, WorkoutMark.Kind)]).map { minute, kind in
            MarkRow(.device("bike-07"), WorkoutMark((Self.start + minute) * 60, kind))
        }
        for _ in 1...2 { _ = try await store.commit(HistoryChanges(marks: marks), nowSeconds: 0) }
        #expect(minutes(try await list(store, #"{"person":"Anna"}"#)) == [0..<10, 10..<20, 20..<40])
        let from = (Self.start + 25) * 60
        let begun: WorkoutData = try await store.ask(.workoutsStart, #"{"person":"Anna","t":\#(from)}"#, at: Self.now)
        #expect(begun.t == Double(from) && begun.workout == nil)
        let ended: WorkoutData = try await store.ask(
            .workoutsStop, #"{"person":"Anna","t":\#(from + 90)}"#, at: Self.now)
        #expect(ended.workout?.start == Double(from) && ended.workout?.end == Double(from + 90))
        #expect(ended.workout?.revolutions == 120)
        #expect(minutes(try await list(store, #"{"device":"bike-07"}"#)) == [0..<10, 10..<20, 20..<40, 40..<60])
        // Of the second the minutes are not kept any more.
        for t in [Self.now + 601, Self.now - 401 * 86_400] {
            #expect(await isRefused(.workoutsStart, #""person":"Anna","t":\#(t)"#, by: store))
        }
    }

    @Test("Whom nobody knows begins no workout for an operator", arguments: StoreKind.available)
    func unknown(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        func code(_ who: String) async -> ReplyError.Code? { await store.code(of: .workoutsStart, "{\(who)}", by: nil) }
        for who in [#""device":"bike-07""#, #""person":"Anna""#, #""person":"ben""#] {
            #expect(await code(who) == .notAvailable, "\(who)")
        }
        _ = try await store.keep(ride(0..<1))
        try await store.checkIn("Anna", "bike-08", Self.start..<Self.start + 40)
        try await store.give(.member, to: "ben")
        for who in [#""device":"bike-07""#, #""device":"bike-08""#, #""person":"Anna""#, #""person":"ben""#] {
            #expect(await code(who) == nil, "\(who)")
        }
    }

    @Test("A workout that begins with a mark before anything was ever counted is listed", arguments: [90, 1700])
    func firstMark(secondsBefore: Int64) async throws {
        let store = try folder.store()
        _ = try await store.keep(ride(0..<20))
        let start = Self.start * 60 - secondsBefore
        let marks = [WorkoutMark(start, .start), WorkoutMark(Self.start * 60 + 1200, .stop)].map {
            MarkRow(.device("bike-07"), $0)
        }
        _ = try await store.commit(HistoryChanges(marks: marks), nowSeconds: 0)
        #expect(try await list(store, #"{"device":"bike-07"}"#).map(\.start) == [Double(start)])
    }

    @Test("So many marks of a day are kept and no more, and a new device may have one before it counts")
    func bounds() async throws {
        let store = try await folder.store(.sqlite, maximumDevices: 2)
        let marks = (0..<MarkRow.maximumADay + 5).map {
            MarkRow(.device("bike-07"), WorkoutMark(Self.start * 60 + $0, .toggle))
        }
        #expect(try await store.commit(HistoryChanges(marks: marks), nowSeconds: 0).refusedRows == 5)
        let others = (["bike-08", "bike-09"] as [DeviceID]).map { MarkRow(.device($0), WorkoutMark(0, .start)) }
        #expect(try await store.commit(HistoryChanges(marks: others), nowSeconds: 0).refusedRows == 1)
    }

    @Test(
        "Who is forgotten leaves no marks and titles, and what is older than its minutes goes",
        arguments: StoreKind.available)
    func forgetting(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep(ride(0..<60))
        try await store.checkIn("Anna", "bike-07", Self.start..<Self.start + 40)
        let mark = MarkRow(.device("bike-07"), WorkoutMark((Self.start + 10) * 60, .toggle))
        let later = MarkRow(.device("bike-07"), WorkoutMark((Self.start + 50) * 60, .start))
        _ = try await store.commit(HistoryChanges(marks: [mark, later]), nowSeconds: 0)
        let id = try #require(try await list(store, #"{"person":"Anna"}"#).first).id
        let _: WorkoutData = try await store.ask(.workoutsEdit, #"{"id":"\#(id)","title":"Secret"}"#, at: Self.now)
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"Anna"}"#, at: Self.now)
        #expect(try await store.count(of: "workout_notes") == 0)
        #expect(try await store.count(of: "workout_marks") == 1)
        #expect(try await list(store, #"{"person":"Anna"}"#) == [])
        #expect(try await store.commit(HistoryChanges(marks: [mark]), nowSeconds: 0).erasedRows == 1)
        _ = try await store.compactAll(before: Self.start + 10 * 1440)
        #expect(try await store.count(of: "workout_marks") == 0)
    }

    @Test("A member asks about the own workouts and no others, an operator about all, and nobody else about any")
    func rights() async throws {
        let store = try folder.store()
        _ = try await store.keep(ride(0..<20) + ride(30..<60))
        for (person, minutes) in [("anna", 0..<25), ("ben", 25..<60)] as [(String, Range<Int64>)] {
            let range = Self.start + minutes.lowerBound..<Self.start + minutes.upperBound
            try await store.checkIn(person, "bike-07", range)
            try await store.give(.member, to: person)
        }
        try await store.give(.viewer, to: "screen")
        try await store.give(.device, to: "bike-07")
        let ids = try await ["anna", "ben"].asyncMap { try await list(store, #"{"person":"\#($0)"}"#)[0].id }
        let bikes = try await list(store, #"{"device":"bike-07"}"#)[0].id
        for (verb, json) in [
            (RequestVerb.historyWorkouts, ""), (.historyWorkouts, #""person":"anna""#),
            (.historyWorkout, #""id":"\#(ids[0])""#),
            (.workoutsStart, ""), (.workoutsStart, #""device":"anna""#), (.workoutsStop, #""person":"anna""#),
            (.workoutsEdit, #""id":"\#(ids[0])","title":"A""#),
        ] {
            #expect(await store.code(of: verb, "{\(json)}", by: "anna") == nil, "\(verb) \(json)")
        }
        for (verb, json) in [
            (RequestVerb.historyWorkouts, #""device":"bike-07""#), (.historyWorkouts, #""person":"ben""#),
            (.workoutsStart, #""device":"bike-07""#), (.workoutsStop, #""person":"ben""#),
        ] {
            for user in ["anna", "screen", "bike-07"] {
                #expect(await store.code(of: verb, "{\(json)}", by: user) == .notAuthorised, "\(verb) \(json) \(user)")
            }
        }
        // Whether another has such a workout is not told.
        for id in [ids[1], bikes, "p.ben.1", "p.nobody.1"] {
            for (verb, more) in [
                (RequestVerb.historyWorkout, ""), (.workoutsExport, ""), (.workoutsEdit, #","deleted":true"#),
            ] {
                let json = #"{"id":"\#(id)"\#(more)}"#
                #expect(await store.code(of: verb, json, by: "anna") == .notAvailable, "\(verb) \(id)")
                for user in ["screen", "bike-07"] {
                    #expect(await store.code(of: verb, json, by: user) == .notAuthorised, "\(verb) \(id) \(user)")
                }
            }
        }
    }
}

extension HistoryStore {
    fileprivate func count(of table: String) async throws -> Int64? {
        try await database.read(isSnapshot: false) { try $0.number("SELECT count(*) FROM \(table)") }
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ work: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await work(element)) }
        return results
    }
}
