import Testing
import Wire

@testable import History

@Suite("Floors in history", .timeLimit(.minutes(5)))
struct FloorsTests {
    let watch: DeviceID
    let folder: TemporaryFolder
    static let start: Int64 = 1_795_194_000 / 60

    init() throws {
        watch = try DeviceID("watch-3")
        folder = try TemporaryFolder()
    }

    private func row(_ offset: Int64, _ floors: FloorCounts?, revision: UInt64 = 1) -> MinuteTotals {
        var row = MinuteTotals(device: watch, minute: Self.start + offset, epoch: 1, revision: revision)
        (row.steps, row.coveredMilliseconds, row.floors) = (100, 60_000, floors)
        return row
    }

    private func ask(_ store: HistoryStore, _ verb: RequestVerb, _ json: String) async throws -> [UInt8] {
        let answers = HistoryAnswers(store: store)
        let reply = await answers.reply(
            to:
                try HistoryRequest(verb: verb, json: Array(json.utf8)), nowSeconds: Double(Self.start + 90) * 60)
        guard case .ok(_, let data) = reply else { throw ReplyError(code: .badRequest, message: "\(reply)") }
        return data
    }

    @Test("They add up over minutes, days and a life, and the greater revision wins", arguments: StoreKind.available)
    func sums(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([
            row(0, FloorCounts(ascended: 1)), row(1, FloorCounts(ascended: 2, descended: 1)), row(2, FloorCounts()),
        ])
        _ = try await store.keep([row(1, FloorCounts(ascended: 2, descended: 4), revision: 5)])
        _ = try await store.keep([row(1, FloorCounts(ascended: 9), revision: 4)])
        let known = Counts.Floors(ascended: 3, descended: 4)
        #expect(try await store.device(watch)?.counts.floors == known)
        #expect(try await store.allDays(of: watch).map(\.counts.floors) == [known])
        let sums = try await store.sums(
            of: watch, in: [Self.start..<Self.start + 1, Self.start + 1..<Self.start + 9, 0..<1])
        #expect(
            sums.map(\.counts.floors) == [Counts.Floors(ascended: 1), Counts.Floors(ascended: 2, descended: 4), nil])
        #expect(
            try await store.minutes(of: watch, in: Self.start..<Self.start + 9, limit: 9).map(\.sum.counts.floors)
                == [Counts.Floors(ascended: 1), Counts.Floors(ascended: 2, descended: 4), Counts.Floors()])
    }

    @Test("Where no barometer spoke nothing is known, not zero", arguments: StoreKind.available)
    func unknown(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([row(0, nil), row(1, nil)])
        #expect(try await store.device(watch)?.counts.floors == nil)
        #expect(try await store.allDays(of: watch).map(\.counts.floors) == [nil])
        for (verb, json) in [
            (.historyInterval, #"{"device":"watch-3"}"#), (.historyDays, #"{"device":"watch-3"}"#),
            (.historySeries, #"{"device":"watch-3","bucket":"hour"}"#),
        ] as [(RequestVerb, String)] {
            let text = String(decoding: try await ask(store, verb, json), as: UTF8.self)
            #expect(text.contains("\"steps\":200") && !text.contains("floors"))
        }
        let capabilities = try CapabilitiesData(json: try await ask(store, .capabilities, #"{"device":"watch-3"}"#))
        #expect(!capabilities[.floors])
        _ = try await store.keep([row(2, FloorCounts())])
        #expect(try await store.device(watch)?.counts.floors == Counts.Floors())
        let later = try CapabilitiesData(json: try await ask(store, .capabilities, #"{"device":"watch-3"}"#))
        #expect(later[.floors])
    }

    @Test("Intervals, days, buckets and people are answered with them", arguments: StoreKind.available)
    func answered(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        var changes = HistoryChanges()
        var settings = DeviceSettings(kind: "wearable", zone: "UTC")
        settings.person = "Anna"
        changes.settings = [SettingsChange(device: watch, settings: settings)]
        changes.rows = [row(0, FloorCounts(ascended: 4, descended: 1)), row(1, nil)]
        _ = try await store.commit(changes, nowSeconds: Self.start * 60)
        let floors = FloorCounts(ascended: 4, descended: 1)
        let interval = try IntervalData(json: try await ask(store, .historyInterval, #"{"device":"watch-3"}"#))
        #expect(interval.floors == FloorCounts(ascended: 4, descended: 1))
        let days = try DaysData(json: try await ask(store, .historyDays, #"{"device":"watch-3"}"#))
        #expect(days.days.last?.floors == floors)
        let series = try SeriesData(
            json: try await ask(store, .historySeries, #"{"device":"watch-3","bucket":"day"}"#))
        #expect(series.buckets.last?.floors == floors)
        let person = try PersonData(json: try await ask(store, .people, #"{"person":"Anna"}"#))
        #expect(person.buckets.last?.floors == floors)
    }

    @Test("A person's floors are those of the device that is believed, or of the first that has a barometer")
    func person() throws {
        let sources = ["watch-3", "phone-3", "ring-3"].compactMap { try? DeviceID($0) }.map {
            PersonSource(device: $0, kind: .wearable, minutes: [0..<10], rank: 0)
        }
        var merger = SourceMerger(sources)
        func sum(_ floors: Counts.Floors?) -> CountSum {
            var sum = CountSum()
            (sum.counts.steps, sum.counts.coveredMilliseconds, sum.counts.floors) = (50, 60_000, floors)
            return sum
        }
        let known = (Counts.Floors(ascended: 2), Counts.Floors(ascended: 7, descended: 7))
        merger.add([(source: 0, sum: sum(nil)), (source: 1, sum: sum(known.0)), (source: 2, sum: sum(known.1))])
        merger.add([(source: 0, sum: sum(known.0)), (source: 1, sum: sum(known.1))])
        merger.add([(source: 0, sum: sum(nil))])
        #expect(merger.bucket(start: 0).floors == FloorCounts(ascended: 4))
        #expect(merger.bucket(start: 0).steps == 150)
    }

    @Test("They outlive their minutes in hours, and are forgotten with them", arguments: StoreKind.available)
    func retained(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        _ = try await store.keep([
            row(0, FloorCounts(ascended: 2)), row(90, FloorCounts(descended: 3)), row(3000, FloorCounts(ascended: 1)),
        ])
        while try await store.compact(watch, before: Self.start + 2880) > 0 {}
        let all = Self.start - 60..<Self.start + 9000
        #expect(
            try await store.sums(of: watch, in: [all]).first?.counts.floors == Counts.Floors(ascended: 3, descended: 3))
        _ = try await store.erase(watch, in: Self.start - 60..<Self.start + 1440)
        #expect(try await store.sums(of: watch, in: [all]).first?.counts.floors == Counts.Floors(ascended: 1))
        #expect(try await store.device(watch)?.counts.floors == Counts.Floors(ascended: 1))
    }
}
