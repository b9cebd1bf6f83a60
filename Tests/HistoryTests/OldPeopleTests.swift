import MQTT
import Seeded
import ServiceKit
import TestBroker
import Testing
import Wire

@testable import History

@Suite("People when their minutes are gone", .timeLimit(.minutes(5)))
struct OldPeopleTests {
    let bike: DeviceID = "bike-07"
    let watch: DeviceID = "watch-3"
    let phone: DeviceID = "phone-3"
    let folder = StoreFolder()
    /// 2026-03-27T00:00Z, two days before Berlin's clocks go forward.
    static let start: Int64 = 1_774_569_600 / 60
    static let zones = ["UTC", "Europe/Berlin", "Asia/Kathmandu"]

    @Test(
        "Two riders of one hour keep their rides, and what a phone and a watch come to together stays, in any zone",
        arguments: StoreKind.available, zones)
    func sameSums(kind: StoreKind, zone: String) async throws {
        let store = try await gym(kind, zone)
        let before = try await (person("Anna", store, zone), person("Ben", store, zone))
        #expect(before.0.rows.reduce(0) { $0 + $1.revolutions } == 4 * 30 * 80)
        #expect(before.1.rows.reduce(0) { $0 + $1.revolutions } == 4 * 20 * 90)
        try await compact(store)
        #expect(try #require(try await store.device(bike)).compactedMinute > Self.start)
        #expect(try await person("Anna", store, zone) == before.0)
        #expect(try await person("Ben", store, zone) == before.1)
        // A second round keeps nothing twice.
        try await compact(store)
        #expect(try await person("Anna", store, zone) == before.0)
    }

    @Test(
        "Forgetting one rider takes the own rides off the bike and leaves the other's, with some days or all gone",
        arguments: StoreKind.available, [9, 60] as [Int64])
    func forgotten(kind: StoreKind, age: Int64) async throws {
        let zone = "Asia/Kathmandu"
        let store = try await gym(kind, zone)
        let ben = try await person("Ben", store, zone)
        let now = Double(Self.start + age * 1440) * 60
        try await compact(store, at: now)
        #expect(try await !store.minutes(of: bike, in: Self.week).isEmpty == (age == 9))
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"Anna"}"#, at: now)
        #expect(try await person("Ben", store, zone) == ben)
        #expect(try await person("Anna", store, zone).rows.allSatisfy { $0.revolutions == 0 && $0.steps == 0 })
        #expect(try #require(try await store.device(bike)).counts.revolutions == 4 * 20 * 90)
        #expect(try await store.allDays(of: bike).reduce(0) { $0 + $1.counts.revolutions } == 4 * 20 * 90)
        let days = try DayCalendar(zone: zone).buckets(.day, in: Self.week, limit: .max)
        #expect(
            try await store.sums(of: bike, in: days).map(\.counts.revolutions).filter { $0 > 0 } == [
                1800, 1800, 1800, 1800,
            ])
        #expect(try #require(try await store.device(watch)).counts.steps == 0)
    }

    @Test(
        "Of a part of a day whose minutes are gone nothing is told but that, of whole days their sums",
        arguments: StoreKind.available)
    func partOfDay(kind: StoreKind) async throws {
        let store = try await gym(kind, "UTC")
        try await compact(store)
        for whose in [#""person":"Anna""#, #""device":"watch-3""#] {
            for (from, to) in [("10:00", "12:00"), ("00:00", "12:00"), ("10:00", "23:59")] {
                let error = await #expect(throws: ReplyError.self) {
                    let _: IntervalData = try await store.ask(
                        .historyInterval,
                        "{\(whose),\"from\":\"2026-03-28T\(from):00Z\",\"to\":\"2026-03-28T\(to):00Z\"}",
                        at: Self.now)
                }
                #expect(error?.code == .notAvailable)
                #expect(error?.message.contains("of 2026-03-28 only the whole day is kept") == true)
            }
            let whole: IntervalData = try await store.ask(
                .historyInterval, "{\(whose),\"from\":\"2026-03-28\",\"to\":\"2026-03-29\"}", at: Self.now)
            #expect(whole.steps > 0 && whole.resolutionSeconds == 86_400)
        }
    }

    @Test(
        "The list of all check-ins comes in pages that a client can read, and of a stretch of time where it is asked for"
    )
    func everybody() async throws {
        let store = try await folder.store(.sqlite)
        for person in ["Anna", "Ben", "Cleo"] {
            for number in 0..<600 {
                let first = Self.start + Int64(number) * 60
                let device: DeviceID = "bike-of-\(person.lowercased())-\(number % 3)"
                _ = try await store.checkIn(Assignment(person: person, device: device, minutes: first..<first + 20))
            }
        }
        let page: Page<PersonEntry> = try await store.ask(.people, "{}", at: Self.now)
        #expect(page.rows.map(\.person) == ["Anna", "Ben"] && page.cursor == "Ben")
        #expect(page.encodedJSON().count < 500_000)
        let rest: Page<PersonEntry> = try await store.ask(.people, #"{"cursor":"Ben"}"#, at: Self.now)
        #expect(rest.rows.map(\.person) == ["Cleo"] && rest.cursor == nil)
        let day: Page<PersonEntry> = try await store.ask(
            .people, #"{"from":"2026-03-28","to":"2026-03-29"}"#, at: Self.now)
        #expect(day.rows.map(\.devices.count) == [24, 24, 24])
    }

    // MARK: - The gym

    private static let now = Double(start + 60 * 1440) * 60
    private static let week = start - 1440..<start + 8 * 1440

    /// Four days: Ben rides the shared bike from 17:00 to 17:20 by the clock of the house, Anna from 17:20 to 17:50; she
    /// wears a watch and carries a phone.
    private func gym(_ kind: StoreKind, _ zone: String) async throws -> HistoryStore {
        let store = try await folder.store(kind)
        let calendar = try DayCalendar(zone: zone)
        for (device, type) in [(bike, "bike"), (watch, "wearable"), (phone, "wearable")] {
            let settings = DeviceSettings(kind: type, placement: device == watch ? "wrist" : nil, zone: zone)
            try await store.set(device, settings)
        }
        for device in [watch, phone] {
            try await store.checkIn("Anna", device, Assignment.always..<Assignment.forGood)
        }
        var random = SeededGenerator(seed: 5)
        var rows: [MinuteRow] = []
        for day in 0..<Int64(4) {
            let midnight = calendar.startMinute(of: LocalDate(ofMinute: Self.start + 1440 * day))
            let evening = midnight + 17 * 60
            for (person, minutes, rpm) in [
                ("Ben", evening..<evening + 20, 90), ("Anna", evening + 20..<evening + 50, 80),
            ] {
                try await store.checkIn(person, bike, minutes)
                rows += minutes.map { row(bike, $0, revolutions: Int64(rpm)) }
            }
            for minute in midnight + 60..<midnight + 20 * 60 where Int.random(in: 0..<9, using: &random) == 0 {
                let steps = Int64.random(in: 60...140, using: &random)
                if steps % 3 != 0 { rows.append(row(watch, minute, steps: steps)) }
                if steps % 4 != 0 { rows.append(row(phone, minute, steps: steps + 3)) }
            }
        }
        _ = try await store.keep(rows)
        return store
    }

    private func row(_ device: DeviceID, _ minute: Int64, steps: Int64 = 0, revolutions: Int64 = 0) -> MinuteRow {
        MinuteRow(device, minute, revision: UInt64(minute), steps: steps, revolutions: revolutions) {
            $0.moveEvenly()
            $0.distanceMillimetres = revolutions > 0 ? 400_000 : 0
            $0.counts[steps > 0 ? .walking : .cycling] = 60_000
        }
    }

    private func person(_ name: String, _ store: HistoryStore, _ zone: String) async throws -> Page<SeriesBucket> {
        try await store.ask(
            .historySeries,
            #"{"person":"\#(name)","bucket":"day","zone":"\#(zone)","from":"2026-03-26","to":"2026-04-03"}"#,
            at: Self.now)
    }

    private func compact(_ store: HistoryStore, at nowSeconds: Double = now) async throws {
        _ = try await store.compactAll(before: Retention(days: 7).horizon(nowMinute: Int64(nowSeconds) / 60))
    }
}
