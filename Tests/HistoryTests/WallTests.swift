import TestBroker
import Testing
import Wire

@testable import History

@Suite("The wall", .timeLimit(.minutes(5)))
struct WallTests {
    /// 2026-11-20T17:00:00Z
    static let minute: Int64 = 1_795_194_000 / 60
    static let midnight: Int64 = 1_795_132_800 / 60
    private let folder = StoreFolder()

    private func row(_ device: DeviceID, minute: Int64, revolutions: Int64 = 0, steps: Int64 = 0) -> MinuteRow {
        MinuteRow(device, minute, revision: UInt64(minute), steps: steps, revolutions: revolutions)
    }

    /// Two bikes, a board without a config, and a phone and a watch, each with ten minutes until now.
    private func gym(_ kind: StoreKind) async throws -> HistoryStore {
        let store = try await folder.store(kind)
        for (device, kind) in [("bike-1", "bike"), ("bike-2", "bike"), ("watch-1", "wearable")] as [(DeviceID, String)]
        {
            try await store.set(device, DeviceSettings(kind: kind))
        }
        for minute in Self.minute - 9...Self.minute {
            try await store.keep(["bike-1", "bike-2", "board-1"].map { row($0, minute: minute, revolutions: 80) })
            try await store.keep(["anna", "watch-1"].map { row($0, minute: minute, steps: 100) })
        }
        try await store.give(.member, to: "anna")
        return store
    }

    private func wall(_ store: HistoryStore, at minute: Int64 = minute) async throws -> [String] {
        try await store.wall(nowMinute: minute).map {
            "\($0.device) \($0.alias ?? "-") \($0.steps) \($0.revolutions)"
        }
    }

    private func checkIn(
        _ person: String, _ device: DeviceID, from minute: Int64, in store: HistoryStore
    ) async throws {
        try await store.checkIn(person, device, minute..<Assignment.forGood)
    }

    @Test("It has bikes by their ids, and people under their aliases alone", arguments: StoreKind.available)
    func entries(kind: StoreKind) async throws {
        let store = try await gym(kind)
        let bikes = ["bike-1 - 0 800", "bike-2 - 0 800", "board-1 - 0 800"]
        #expect(try await wall(store) == bikes)
        // Without an alias Ben's bike is a bike, and his watch is not there. Of the bike Carl has what is his.
        try await checkIn("Ben", "bike-1", from: Self.minute - 5, in: store)
        try await checkIn("Ben", "watch-1", from: Self.minute - 5, in: store)
        try await checkIn("Carl", "bike-2", from: Self.minute - 3, in: store)
        #expect(try await wall(store) == bikes)
        for (person, alias) in [("Ben", "Benny"), ("Carl", "Carl"), ("anna", "A")] {
            #expect(try await store.keep(alias: alias, of: person) == nil)
        }
        #expect(
            try await wall(store) == [
                "anna A 1000 0", "bike-1 Benny 600 480", "bike-2 Carl 0 320", "board-1 - 0 800",
                "watch-1 Benny 600 480",
            ])
    }

    @Test("A check-in counts before a config, whatever the names", arguments: ["Abe", "Zoe"])
    func both(person: String) async throws {
        let store = try await gym(.sqlite)
        let settings = DeviceSettings(kind: "bike", person: "Mia")
        try await store.set("bike-1", settings, nowSeconds: Self.minute * 60)
        try await checkIn(person, "bike-1", from: Self.minute, in: store)
        for name in ["Mia", person] { #expect(try await store.keep(alias: "\(name) W", of: name) == nil) }
        #expect(try await wall(store).first == "bike-1 \(person) W 0 80")
    }

    @Test("Who takes the alias away, is checked out, has no role any more or is forgotten is off it at once")
    func leaving() async throws {
        let store = try await gym(.sqlite)
        for person in ["anna", "Ben"] { #expect(try await store.keep(alias: "\(person) W", of: person) == nil) }
        try await checkIn("Ben", "bike-1", from: Self.minute - 5, in: store)
        #expect(try await wall(store).prefix(2) == ["anna anna W 1000 0", "bike-1 Ben W 0 480"])
        let seconds = Double(Self.minute * 60 + 7)
        let _: AssignmentData = try await store.ask(.peopleCheckout, #"{"device":"bike-1"}"#, at: seconds)
        #expect(try await wall(store)[1] == "bike-1 - 0 800")
        try await checkIn("Ben", "bike-2", from: Self.minute, in: store)
        #expect(try await wall(store)[2].hasPrefix("bike-2 Ben W"))
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"Ben"}"#, at: seconds)
        #expect(try await wall(store)[2].hasPrefix("bike-2 - "))
        let _: ShownPersonData = try await store.ask(.peopleConfigure, #"{"person":"anna","alias":""}"#, at: seconds)
        #expect(try await !wall(store).contains { $0.contains("anna") })
        #expect(try await store.keep(alias: "A", of: "anna") == nil)
        #expect(try await wall(store).first == "anna A 1000 0")
        try await store.give(nil, to: "anna")
        #expect(try await !wall(store).contains { $0.contains("anna") })
    }

    @Test("It has today alone, by the days of each zone", arguments: StoreKind.available)
    func today(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        for (device, zone) in [("bike-1", "UTC"), ("bike-2", "Asia/Tokyo")] as [(DeviceID, String)] {
            try await store.set(device, DeviceSettings(kind: "bike", zone: zone))
            // At 13:00 and 16:00 UTC, which is the day after in Tokyo.
            let rides: [(hour: Int64, turns: Int64)] = [(13, 5), (16, 7)]
            try await store.keep(
                rides.map { row(device, minute: Self.midnight + $0.hour * 60, revolutions: $0.turns) })
        }
        #expect(try await wall(store, at: Self.midnight + 14 * 60) == ["bike-1 - 0 12", "bike-2 - 0 5"])
        #expect(try await wall(store) == ["bike-1 - 0 12", "bike-2 - 0 7"])
        let ends = try await store.wall(nowMinute: Self.minute).map { Int64($0.end) / 60 - Self.midnight }
        #expect(ends == [24 * 60, 39 * 60])
        #expect(try await wall(store, at: Self.midnight + 24 * 60) == ["bike-2 - 0 7"])
        #expect(try await wall(store, at: Self.midnight + 39 * 60).isEmpty)
    }

    @Test("It has no more entries than it may: those that counted last")
    func limit() async throws {
        let store = try folder.store()
        try await store.keep(
            (0..<WallReport.maximumEntries + 20).map {
                row("bike-\($0)", minute: Self.minute - Int64($0), revolutions: 80)
            })
        let shown = try await Set(store.wall(nowMinute: Self.minute).map { "\($0.device)" })
        #expect(shown == Set((0..<WallReport.maximumEntries).map { "bike-\($0)" }))
    }

    @Test("It is retained, and said anew when somebody leaves it, at most once a second")
    func published() async throws {
        let clock = TestClock(seconds: Double(Self.minute) * 60)
        let bike: DeviceID = "bike-1"
        try await withScope { scope in
            let listener = try await scope.listener("stride/wall", "stride/reply/#")
            try await scope.withHistory(now: clock.nowSeconds) {
                try await scope.count(bike, minute: Self.minute, revolutions: 84)
                _ = try await listener.wait(for: "stride/wall") { $0.text.contains(#""revolutions":84"#) }
                for (verb, json) in [
                    (RequestVerb.peopleCheckin, #"{"person":"Anna","device":"bike-1""#),
                    (.peopleConfigure, #"{"person":"Anna","alias":"Champion""#),
                ] {
                    try await scope.publish(.request(verb), Array((json + #","reply_to":"stride/reply/me"}"#).utf8))
                }
                _ = try await listener.wait(for: "stride/wall") { $0.text.contains("Champion") }
                // The first that it hears is retained.
                let later = try await scope.listener("stride/wall")
                try await scope.publish(.request(.peopleConfigure), Array(#"{"person":"Anna","alias":""}"#.utf8))
                _ = try await later.wait(for: "stride/wall") { !$0.text.contains("Champion") }
                let walls = try later.heard.map { try WallReport(json: $0.payload) }
                #expect(walls.first?.entries.first?.alias == "Champion")
                #expect(zip(walls, walls.dropFirst()).allSatisfy { $1.t - $0.t > 0.9 })
                let retained = try #require(try await scope.bus.retained("stride/wall").first)
                #expect(!retained.text.contains("Champion"))
            }
        }
    }
}
