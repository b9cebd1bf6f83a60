import Seeded
import TestBroker
import Testing
@testable import Wire

@testable import History

@Suite("People and their devices", .timeLimit(.minutes(5)))
struct PeopleTests {
    let watch: DeviceID = "watch-3"
    let phone: DeviceID = "phone-3"
    let bike: DeviceID = "bike-07"
    let folder = StoreFolder()
    /// 2026-11-20T17:00:00Z
    static let start: Int64 = 1_795_194_000 / 60

    @Test(
        "A phone and a watch on one walk are one walk, and what only one of them saw is there too",
        arguments: StoreKind.available)
    func phoneAndWatch(kind: StoreKind) async throws {
        let store = try await equipped(kind)
        // Both for ten minutes, then the watch is charged, then the phone is left at home.
        try await walk(store, watch, minutes: 0..<10, steps: 100)
        try await walk(store, phone, minutes: 0..<20, steps: 104)
        try await walk(store, watch, minutes: 20..<25, steps: 90)
        let bucket = try await today(store)
        let expected: UInt64 = 10 * 100 + 10 * 104 + 5 * 90
        #expect(bucket.steps == expected)
        #expect(bucket.coveredSeconds == 25 * 60)
    }

    @Test(
        "The placement decides who is believed first; a minute barely covered is a gap",
        arguments: StoreKind.available)
    func order(kind: StoreKind) async throws {
        let store = try await equipped(kind)
        try await walk(store, watch, minutes: 0..<2, steps: 100)
        try await walk(store, phone, minutes: 0..<3, steps: 110)
        try await walk(store, watch, minutes: 2..<3, steps: 7, coveredSeconds: 10)
        #expect(try await today(store).steps == 310)
    }

    @Test(
        "Steps made while cycling on a known bike are not steps; a bike is its rider's from check-in to check-out",
        arguments: StoreKind.available)
    func cycling(kind: StoreKind) async throws {
        let store = try await equipped(kind)
        try await walk(store, watch, minutes: 0..<30, steps: 60)
        try await ride(store, minutes: 5..<25, revolutions: 80)
        #expect(try await today(store).steps == 1800)
        let begin: AssignmentData = try await ask(
            store, .peopleCheckin,
            #"{"person":"Anna","device":"bike-07","from":\#((Self.start + 10) * 60 - 30)}"#, at: 10)
        #expect(begin.from == Double(Self.start + 10) * 60)
        let end: AssignmentData = try await ask(store, .peopleCheckout, #"{"device":"bike-07"}"#, at: 19)
        #expect(end.to == Double(Self.start + 20) * 60)
        let bucket = try await today(store)
        #expect(bucket.steps == 20 * 60)
        #expect(bucket.revolutions == 10 * 80)
        #expect(bucket.activeSeconds == 30 * 60)
    }

    @Test(
        "A person's cadences and activities are those of the devices that are believed", arguments: StoreKind.available)
    func cadenceAndActivity(kind: StoreKind) async throws {
        let store = try await equipped(kind)
        try await walk(store, watch, minutes: 0..<30, steps: 110) { $0.counts[.walking] = 60_000 }
        try await walk(store, phone, minutes: 0..<40, steps: 100) { $0.counts[.running] = 60_000 }
        try await ride(store, minutes: 10..<20, revolutions: 80) { row in
            row.counts[.cycling] = 60_000
            row.distanceMillimetres = row.minute < Self.start + 15 ? 0 : 400_000
        }
        try await name("Anna", bike, store, at: Self.start)
        let bucket = try await today(store)
        #expect(bucket.rpm == CadenceFigures(average: 80, minimum: 80, maximum: 80))
        #expect(bucket.spm == CadenceFigures(average: 106.67, minimum: 100, maximum: 110))
        #expect(bucket.distanceMetres == 2000)
        let interval: IntervalData = try await ask(store, .historyInterval, #"{"person":"Anna"}"#, at: 60)
        #expect(interval.distanceActiveSeconds == 300 && interval.counts == bucket.counts)
        let data: Page<ActivitySegment> = try await ask(store, .historyActivity, #"{"person":"Anna"}"#, at: 60)
        #expect(data.person == "Anna" && data.device == nil)
        #expect(data.rows.map(\.activity) == [.walking, .cycling, .walking, .running])
        #expect(data.rows.map { $0.start / 60 - Double(Self.start) } == [0, 10, 20, 30])
        #expect(data.rows.map(\.steps) == [1100, 0, 1100, 1000])
        #expect(data.rows.map(\.revolutions) == [0, 800, 0, 0])
    }

    @Test("A device that changes hands keeps its past where it was", arguments: StoreKind.available)
    func changesHands(kind: StoreKind) async throws {
        let store = try await equipped(kind)
        try await walk(store, watch, minutes: 0..<20, steps: 100)
        try await name("Ben", watch, store, at: Self.start + 15)
        #expect(try await today(store, "Anna").steps == 1500)
        #expect(try await today(store, "Ben").steps == 500)
        try await name(nil, watch, store, at: Self.start + 18)
        #expect(try await today(store, "Ben").steps == 300)
    }

    @Test("A device that counts by itself fills gaps with what it counted", arguments: StoreKind.available)
    func selfCounting(kind: StoreKind) async throws {
        let store = try await equipped(kind)
        try await walk(store, watch, minutes: 0..<5, steps: 100)
        try await walk(store, phone, minutes: 3..<8, steps: 95, coveredSeconds: 0)
        #expect(try await today(store).steps == 785)
    }

    @Test("A person's floors are those of the device that is believed, or of the first that has a barometer")
    func floors() async throws {
        let store = try await equipped(.sqlite)
        let (two, seven) = (FloorCounts(ascended: 2), FloorCounts(ascended: 7, descended: 7))
        let minutes: [[FloorCounts?]] = [[nil, two, seven], [two, seven], [nil]]
        let ring: DeviceID = "ring-3"
        let settings = DeviceSettings(kind: "wearable", placement: "hand", zone: "Europe/Berlin", person: "Anna")
        try await store.set(ring, settings, nowSeconds: Self.start * 60)
        for (minute, floors) in minutes.enumerated() {
            try await store.keep(
                zip([watch, phone, ring], floors).map { device, floors in
                    MinuteRow(device, Self.start + Int64(minute), steps: 50) { $0.floors = floors }
                })
        }
        let bucket = try await today(store)
        #expect(bucket.floors == FloorCounts(ascended: 4))
        #expect(bucket.steps == 150)
    }
}

extension PeopleTests {
    /// Anna's watch and phone, and a bike that is nobody's.
    private func equipped(_ kind: StoreKind) async throws -> HistoryStore {
        let store = try await folder.store(kind)
        for (device, kind, placement, person) in [
            (watch, "wearable", "wrist", "Anna"), (phone, "wearable", "pocket", "Anna"), (bike, "bike", "frame", nil),
        ] {
            let settings = DeviceSettings(kind: kind, placement: placement, zone: "Europe/Berlin", person: person)
            try await store.set(device, settings, nowSeconds: Self.start * 60)
        }
        return store
    }

    private func name(_ person: String?, _ device: DeviceID, _ store: HistoryStore, at minute: Int64) async throws {
        var settings = try #require(try await store.device(device)).settings
        settings.person = person
        try await store.set(device, settings, nowSeconds: minute * 60)
    }

    private func walk(
        _ store: HistoryStore, _ device: DeviceID, minutes: Range<Int64>, steps: Int64,
        coveredSeconds: Int64 = 60, _ change: (inout MinuteRow) -> Void = { _ in }
    ) async throws {
        try await store.keep(
            minutes.map { minute in
                MinuteRow(device, Self.start + minute, steps: steps) {
                    $0.coveredMilliseconds = coveredSeconds * 1000
                    $0.moveEvenly()
                    change(&$0)
                }
            })
    }

    private func ride(
        _ store: HistoryStore, minutes: Range<Int64>, revolutions: Int64,
        _ change: (inout MinuteRow) -> Void = { _ in }
    ) async throws {
        try await store.keep(
            minutes.map { minute in
                MinuteRow(bike, Self.start + minute, revolutions: revolutions) {
                    $0.moveEvenly()
                    change(&$0)
                }
            })
    }

    private func today(_ store: HistoryStore, _ person: String = "Anna") async throws -> SeriesBucket {
        let data: Page<SeriesBucket> = try await ask(
            store, .historySeries, #"{"person":"\#(person)","bucket":"day"}"#, at: 60)
        #expect(data.rows.count == 1)
        return try #require(data.rows.last)
    }

    private func ask<Data: JSONPayload>(
        _ store: HistoryStore, _ verb: RequestVerb, _ payload: String, at minute: Int64
    ) async throws -> Data {
        try await store.ask(verb, payload, at: Double(Self.start + minute) * 60)
    }
}
