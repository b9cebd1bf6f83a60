import TestBroker
import Testing
import Wire

@testable import History

@Suite("Classes", .timeLimit(.minutes(5)))
struct ClassTests {
    static let start = ClassScoreTests.start
    static let minute = ClassScoreTests.minute
    static let hills =
        #"{"title":"Hills","steps":[{"length_s":300,"cadence_min_rpm":80,"cadence_max_rpm":90},{"length_s":300}]}"#
    private let folder = StoreFolder()

    /// Minutes of a bike from the class's first on, at one cadence and one power.
    private func rows(
        _ device: DeviceID, _ minutes: Range<Int64>, rpm: Int, watts: Int? = nil, revision: UInt64 = 1
    ) -> [MinuteRow] {
        minutes.map { place in
            var trace = Trace()
            for second in 0..<60 {
                trace[.cadence, second] = rpm
                trace[.power, second] = watts
            }
            return MinuteRow(device, Self.minute + place, revision: revision, revolutions: Int64(rpm)) {
                ($0.distanceMillimetres, $0.trace) = (Int64(rpm) * 6_000, trace.packed)
            }
        }
    }

    private func gym(_ kind: StoreKind = .sqlite) async throws -> HistoryStore {
        let store = try await folder.store(kind)
        for device in ["bike-1", "bike-2", "bike-3"] as [DeviceID] {
            try await store.set(device, DeviceSettings(kind: "bike"))
        }
        return store
    }

    private func riders(_ report: ClassReport?) -> [String] {
        report?.riders.map {
            "\($0.rank) \($0.name) \(Int($0.figures.timeInTargetSeconds)) \($0.figures.distanceMetres ?? 0) \($0.team ?? "-")"
        } ?? []
    }

    private func classes(_ store: HistoryStore, at second: Int64 = start + 4_000) async throws -> [ClassReport] {
        try await store.ask(.historyClasses, "{}", at: Double(second), as: Page<ClassReport>.self).rows
    }

    @Test("One runs at a time; who taps twice has one, and who stops it twice is told", arguments: StoreKind.available)
    func oneAtATime(kind: StoreKind) async throws {
        let store = try await gym(kind)
        let first: ClassReport = try await store.ask(.classesStart, Self.hills, at: Double(Self.start) + 0.7)
        #expect(first.start == Double(Self.start) && first.lengthSeconds == 600 && first.ranking == .timeInTarget)
        #expect(first.step == 0 && first.stepEnd == Double(Self.start + 300))
        let again: ClassReport = try await store.ask(.classesStart, Self.hills, at: Double(Self.start) + 2)
        #expect(again.id == first.id)
        let other = #"{"title":"Sprints","length_s":60}"#
        #expect(await store.code(of: .classesStart, other, by: nil, at: Self.start + 599) == .notAvailable)
        let ended: ClassReport = try await store.ask(.classesStop, "{}", at: Double(Self.start + 200))
        #expect(ended.ended == Double(Self.start + 200) && ended.step == nil)
        #expect(await store.code(of: .classesStop, "{}", by: nil, at: Self.start + 201) == .notAvailable)
        let second: ClassReport = try await store.ask(.classesStart, other, at: Double(Self.start + 202))
        #expect(second.id != first.id && second.ranking == .distance)
        #expect(try await classes(store).map(\.title) == ["Hills", "Sprints"])
    }

    @Test(
        "What nobody could ride or rank is refused by name",
        arguments: [
            (#"{"length_s":600}"#, "title"), (#"{"title":"  ","length_s":600}"#, "title"),
            (#"{"title":"","length_s":600}"#, "title"),
            (#"{"title":"A"}"#, "length_s"),
            (#"{"title":"A","length_s":600,"ranking":"time_in_target"}"#, "target"),
            (#"{"title":"A","length_s":60,"steps":[{"length_s":61}]}"#, "steps"),
            (#"{"title":"A","steps":[{"length_s":30}]}"#, "steps"),
            (#"{"title":"A","steps":[{"length_s":300,"cadence_min_rpm":90,"cadence_max_rpm":80}]}"#, "step 1"),
            (#"{"title":"A","steps":[{"length_s":300,"power_min_w":9,"power_max_w":8}]}"#, "step 1"),
            (#"{"title":"A","length_s":600,"devices":[]}"#, "devices"),
        ])
    func refused(json: String, word: String) async throws {
        let store = try folder.store()
        let error = await store.refusal(of: .classesStart, json, by: nil)
        #expect(error?.code == .badRequest && error?.message.contains(word) == true, "\(error?.message ?? "")")
        let steps = Array(repeating: #"{"length_s":60}"#, count: 31).joined(separator: ",")
        #expect(await store.code(of: .classesStart, #"{"title":"A","steps":[\#(steps)]}"#, by: nil) == .badRequest)
    }

    @Test(
        "Riders are the bikes that move or are checked in, by aliases and else by their ids; late rows and check-ins count",
        arguments: StoreKind.available)
    func results(kind: StoreKind) async throws {
        let store = try await gym(kind)
        let begun: ClassReport = try await store.ask(.classesStart, Self.hills, at: Double(Self.start))
        #expect(begun.riders.isEmpty)
        _ = try await store.keep(
            rows("bike-1", 0..<10, rpm: 85, watts: 200) + rows("bike-2", 0..<3, rpm: 80) + rows("board", 0..<1, rpm: 0))
        let now = Double(Self.start + 700)
        let _: AssignmentData = try await store.ask(
            .peopleCheckin, #"{"person":"Anna","device":"bike-1","team":"Red","from":\#(Self.start + 120)}"#, at: now)
        let _: AssignmentData = try await store.ask(
            .peopleCheckin, #"{"person":"Ben","device":"bike-3","from":\#(Self.start)}"#, at: now)
        #expect(try await store.keep(alias: "A. S.", of: "Anna") == nil)
        #expect(
            riders(try await classes(store).first) == [
                "1 A. S. 300 5100.0 Red", "2 bike-2 180 1440.0 -", "3 bike-3 0 0.0 -",
            ])
        #expect(try await classes(store).first?.riders.first?.figures.workKilojoules == 120)
        #expect(try await classes(store).first?.teams.map(\.team) == ["Red"])
        // Rows that come late, and newer ones.
        _ = try await store.keep(rows("bike-2", 0..<10, rpm: 90, revision: 2))
        #expect(
            riders(try await classes(store).first).prefix(2) == ["1 A. S. 300 5100.0 Red", "1 bike-2 300 5400.0 -"])
        let _: AssignmentData = try await store.ask(
            .peopleCheckin, #"{"person":"Ben","device":"bike-3","team":"Blue"}"#, at: now + 200)
        let bike: DeviceID = "bike-3"
        let last = try await store.assignments(of: bike).last
        #expect(last?.team == "Blue")
        let people: Page<PersonEntry> = try await store.ask(.people, "{}", at: now)
        #expect(people.rows.first?.devices.first?.team == "Red")
    }

    @Test("Who takes the alias away or is forgotten is in no class under it, also in those whose seconds are gone")
    func forgetting() async throws {
        let store = try await gym()
        let all = #"{"title":"All","length_s":600,"devices":["anna","bike-1","bike-2","watch-1"]}"#
        try await store.give(.member, to: "anna")
        let _: ClassReport = try await store.ask(.classesStart, all, at: Double(Self.start))
        _ = try await store.keep(
            rows("anna", 0..<10, rpm: 99) + rows("bike-1", 0..<10, rpm: 85) + rows("bike-2", 0..<10, rpm: 80)
                + rows("bike-3", 0..<10, rpm: 80))
        for (person, bike) in [("Ben", "bike-1"), ("Cleo", "bike-2")] as [(String, DeviceID)] {
            try await store.checkIn(person, bike, Self.minute..<Self.minute + 20)
            #expect(try await store.keep(alias: "\(person) W", of: person) == nil)
        }
        // A member's own device has no name but theirs, so it is shown under an alias alone.
        func names() async throws -> [String] { try await classes(store).first?.riders.map(\.name) ?? [] }
        #expect(try await names() == ["Ben W", "Cleo W"])
        #expect(try await store.keep(alias: "A", of: "anna") == nil)
        #expect(try await names() == ["A", "Ben W", "Cleo W"])
        let settled = Self.start + 600 + 5 * 86_400
        _ = try await store.settleClasses(nowSecond: settled - 1, tracesHorizon: 0)
        #expect(try await store.lastClass()?.isSettled == false)
        _ = try await store.settleClasses(nowSecond: settled, tracesHorizon: 0)
        #expect(try await store.lastClass()?.isSettled == true)
        let before = try await classes(store)
        try await store.dropTraces(before: Self.minute + 10_000)
        #expect(try await classes(store).first?.riders == before.first?.riders)
        #expect(try await store.keep(alias: nil, of: "Ben") == nil)
        #expect(try await names() == ["A", "bike-1", "Cleo W"])
        let now = Double(Self.start + 4_000)
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"Cleo"}"#, at: now)
        #expect(try await names() == ["A", "bike-1"])
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"anna"}"#, at: now)
        #expect(try await names() == ["bike-1"])
        #expect(try await store.lastClass()?.devices == ["bike-1", "bike-2", "watch-1"])
        let _: ForgetData = try await store.ask(.devicesForget, #"{"device":"bike-1"}"#, at: now)
        #expect(try await names().isEmpty)
    }

    @Test("Seconds that nobody wants to keep stay until the classes that need them are settled")
    func secondsOfAClass() async throws {
        let store = try await gym()
        let _: ClassReport = try await store.ask(.classesStart, Self.hills, at: Double(Self.start))
        _ = try await store.keep(rows("bike-1", -3_000 ..< -2_999, rpm: 85) + rows("bike-1", 0..<3, rpm: 85))
        for (second, seconds, isSettled) in [(190, 180.0, false), (900, 240, false), (90_000, 240, true)] {
            let now = Self.start + Int64(second)
            let horizon = try await store.settleClasses(nowSecond: now, tracesHorizon: now / 60)
            try await store.dropTraces(before: horizon)
            #expect(try await classes(store).first?.riders.first?.figures.timeInTargetSeconds == seconds)
            #expect(try await store.lastClass()?.isSettled == isSettled)
            _ = try await store.keep(rows("bike-1", 3..<4, rpm: 85))
        }
        let kept = try await store.traces(of: .device("bike-1"), in: 0..<DayCalendar.minutes.upperBound)
        #expect(kept.isEmpty)
    }

    @Test("Classes come by their beginnings, in pages")
    func pages() async throws {
        let store = try folder.store()
        for number in 0..<5 {
            let json = #"{"title":"C\#(number)","length_s":60}"#
            let _: ClassReport = try await store.ask(.classesStart, json, at: Double(Self.start + Int64(number) * 60))
        }
        let request = HistoryRequest(verb: .historyClasses, from: .instant(seconds: Double(Self.start + 60)))
        let pages: [[ClassReport]] = try await store.pages(of: request, limit: 2, at: Double(Self.start + 900))
        #expect(pages.joined().map(\.title) == ["C1", "C2", "C3", "C4"])
        #expect(await store.code(of: .historyClasses, #"{"cursor":"x"}"#, by: nil) == .badRequest)
    }

    @Test(
        "It is retained while it runs, goes on with a history that starts in mid-class, and goes a minute after its end"
    )
    func published() async throws {
        let clock = TestClock(seconds: Double(Self.start))
        let bike: DeviceID = "bike-1"
        try await withScope { scope in
            let listener = try await scope.listener("stride/class", "stride/reply/#")
            try await scope.withHistory(now: clock.nowSeconds) {
                let json = Self.hills.dropLast() + #","reply_to":"stride/reply/me"}"#
                try await scope.publish(.request(.classesStart), Array(json.utf8))
                _ = try await listener.wait(for: "stride/class") { $0.text.contains(#""title":"Hills""#) }
                try await scope.count(bike, minute: Self.minute, revolutions: 84)
                _ = try await listener.wait(for: "stride/class") { $0.text.contains(#""name":"bike-1""#) }
            }
            clock.set(Double(Self.start + 301))
            let later = try await scope.listener("stride/class")
            try await scope.withHistory(now: clock.nowSeconds) {
                let heard = try await later.wait(for: "stride/class") { $0.text.contains(#""step":1"#) }
                let report = try ClassReport(json: heard.payload)
                #expect(report.riders.map(\.name) == ["bike-1"] && report.start == Double(Self.start))
                clock.set(Double(Self.start + 600))
                _ = try await later.wait(for: "stride/class") { $0.text.contains(#""ended""#) }
                clock.set(Double(Self.start + 660))
                _ = try await later.wait(for: "stride/class") { $0.text.isEmpty }
                #expect(try await scope.bus.retained("stride/class").isEmpty)
            }
            // One whose end nobody saw is gone with the next start.
            clock.set(Double(Self.start + 700))
            let old = ClassReport { ($0.id, $0.title, $0.lengthSeconds) = ("1", "Hills", 600) }
            try await scope.publish(.runningClass, old.encodedJSON(), retain: true)
            let last = try await scope.listener("stride/class")
            try await scope.withHistory(now: clock.nowSeconds) {
                _ = try await last.wait(for: "stride/class") { $0.text.isEmpty }
            }
        }
    }
}
