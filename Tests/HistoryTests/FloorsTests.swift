import TestBroker
import Testing
@testable import Wire

@testable import History

@Suite("Floors in history", .timeLimit(.minutes(5)))
struct FloorsTests {
    let watch: DeviceID = "watch-3"
    let folder = StoreFolder()
    static let start: Int64 = 1_795_194_000 / 60

    private func row(_ offset: Int64, _ floors: FloorCounts?, revision: UInt64 = 1) -> MinuteRow {
        MinuteRow(watch, Self.start + offset, revision: revision, steps: 100) { $0.floors = floors }
    }

    private func ask<Data: JSONPayload>(_ store: HistoryStore, _ verb: RequestVerb) async throws -> Data {
        try await store.ask(
            verb, #"{"device":"watch-3","bucket":"day"}"#, at: Double(Self.start + 90) * 60)
    }

    @Test("They add up over minutes, days and a life, and the greater revision wins", arguments: StoreKind.available)
    func sums(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([
            row(0, FloorCounts(ascended: 1)), row(1, FloorCounts(ascended: 2, descended: 1)), row(2, FloorCounts()),
        ])
        _ = try await store.keep([row(1, FloorCounts(ascended: 2, descended: 4), revision: 5)])
        _ = try await store.keep([row(1, FloorCounts(ascended: 9), revision: 4)])
        let known = FloorCounts(ascended: 3, descended: 4)
        #expect(try await store.device(watch)?.counts.floors == known)
        #expect(try await store.allDays(of: watch).map(\.counts.floors) == [known])
        let sums = try await store.sums(
            of: watch, in: [Self.start..<Self.start + 1, Self.start + 1..<Self.start + 9, 0..<1])
        #expect(
            sums.map(\.counts.floors) == [FloorCounts(ascended: 1), FloorCounts(ascended: 2, descended: 4), nil])
        #expect(
            try await store.minutes(of: watch, in: Self.start..<Self.start + 9).map(\.sum.counts.floors)
                == [FloorCounts(ascended: 1), FloorCounts(ascended: 2, descended: 4), FloorCounts()])
    }

    @Test("Where no barometer spoke nothing is known, not zero", arguments: StoreKind.available)
    func unknown(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([row(0, nil), row(1, nil)])
        #expect(try await store.device(watch)?.counts.floors == nil)
        #expect(try await store.allDays(of: watch).map(\.counts.floors) == [nil])
        let interval: IntervalData = try await ask(store, .historyInterval)
        let days: Page<DayTotals> = try await ask(store, .historyDays)
        let series: Page<SeriesBucket> = try await ask(store, .historySeries)
        #expect([interval.steps, days.rows.last?.steps, series.rows.last?.steps] == [200, 200, 200])
        #expect([interval.floors, days.rows.last?.floors, series.rows.last?.floors] == [nil, nil, nil])
        let before: CapabilitiesData = try await ask(store, .capabilities)
        #expect(!before[.floors])
        _ = try await store.keep([row(2, FloorCounts())])
        #expect(try await store.device(watch)?.counts.floors == FloorCounts())
        let later: CapabilitiesData = try await ask(store, .capabilities)
        #expect(later[.floors])
    }

    @Test("Intervals, days, buckets and people are answered with them", arguments: StoreKind.available)
    func answered(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let floors = FloorCounts(ascended: 4, descended: 1)
        try await store.set(watch, DeviceSettings(kind: "wearable", zone: "UTC", person: "Anna"))
        try await store.keep([row(0, floors), row(1, nil)])
        let interval: IntervalData = try await ask(store, .historyInterval)
        #expect(interval.floors == floors)
        let days: Page<DayTotals> = try await ask(store, .historyDays)
        #expect(days.rows.last?.floors == floors)
        let series: Page<SeriesBucket> = try await ask(store, .historySeries)
        #expect(series.rows.last?.floors == floors)
        let person: IntervalData = try await store.ask(
            .historyInterval, #"{"person":"Anna"}"#, at: Double(Self.start + 90) * 60)
        #expect(person.floors == floors)
    }

    @Test("They outlive their minutes, and are forgotten with them", arguments: StoreKind.available)
    func retained(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([
            row(0, FloorCounts(ascended: 2)), row(90, FloorCounts(descended: 3)), row(3000, FloorCounts(ascended: 1)),
        ])
        while try await store.compact(watch, before: Self.start + 2880) > 0 {}
        let all = Self.start - 60..<Self.start + 9000
        #expect(
            try await store.sums(of: watch, in: [all]).first?.counts.floors == FloorCounts(ascended: 3, descended: 3))
        _ = try await store.erase(watch, in: Self.start - 60..<Self.start + 1440)
        #expect(try await store.sums(of: watch, in: [all]).first?.counts.floors == FloorCounts(ascended: 1))
        #expect(try await store.device(watch)?.counts.floors == FloorCounts(ascended: 1))
    }
}
