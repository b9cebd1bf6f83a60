import Testing
import Wire

@testable import History

@Suite("What is forgotten", .timeLimit(.minutes(5)))
struct ForgettingTests {
    let watch: DeviceID
    let bike: DeviceID
    let folder: TemporaryFolder
    static let start: Int64 = 1_795_194_000 / 60

    init() throws {
        watch = try DeviceID("watch-3")
        bike = try DeviceID("bike-07")
        folder = try TemporaryFolder()
    }

    @Test(
        "A forgotten device is one that nobody has heard of, the others stay as they are",
        arguments: StoreKind.available)
    func device(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, watch, minutes: 0..<5000)
        try await fill(store, bike, minutes: 0..<100)
        while try await store.compact(watch, before: Self.start + 1440) > 0 {}
        let kept = try await store.device(bike)
        let data = try ForgetData(json: try await ask(store, .devicesForget, #"{"device":"watch-3"}"#))
        #expect(data.devices == 1)
        #expect(data.minutes > 4000)
        #expect(try await store.device(watch) == nil)
        #expect(try await store.allDays(of: watch).isEmpty)
        #expect(try await store.device(bike) == kept)
        // A number that is given again must not find the rows of the one before.
        try await fill(store, try DeviceID("watch-4"), minutes: 0..<1)
        #expect(try await store.device(try DeviceID("watch-4"))?.counts.steps == 10)
        let all = try await store.sums(of: try DeviceID("watch-4"), in: [0..<DayCalendar.minutes.upperBound])
        #expect(all.map(\.counts.steps) == [10])
    }

    @Test(
        "A person is forgotten with what the devices counted meanwhile; others' rides on the same bike stay",
        arguments: StoreKind.available)
    func person(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, bike, minutes: 0..<3000)
        for (person, range) in [("Anna", 10..<20), ("Ben", 20..<40), ("Anna", 100..<2900)] as [(String, Range<Int64>)] {
            let minutes = Self.start + range.lowerBound..<Self.start + range.upperBound
            #expect(try await store.assign(Assignment(person: person, device: bike, minutes: minutes)))
        }
        let data = try ForgetData(json: try await ask(store, .peopleForget, #"{"person":"Anna"}"#))
        #expect(data == ForgetData(devices: 1, minutes: 2810))
        #expect(try await store.people(after: nil, limit: 9) == ["Ben"])
        #expect(try await store.device(bike)?.counts.steps == 1900)
        let days = try await store.allDays(of: bike)
        #expect(days.reduce(0) { $0 + $1.counts.steps } == 1900)
        let sums = try await store.sums(of: bike, in: days.map(\.minutes))
        #expect(sums.map(\.counts) == days.map(\.counts))
    }

    @Test("Rows that were forgotten and are sent again by the counter do not come back", arguments: StoreKind.available)
    func resent(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, bike, minutes: 0..<50)
        #expect(try await store.erase(bike, in: Self.start..<Self.start + 30) == 30)
        try await fill(store, bike, minutes: 0..<50)
        #expect(try await store.device(bike)?.counts.steps == 200)
    }

    @Test(
        "Minutes that the counter was told to forget come back empty: they take away what was on its way, and make nothing",
        arguments: StoreKind.available)
    func emptied(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let empty = (0..<10).map { MinuteTotals(device: watch, minute: Self.start + $0, epoch: 1, revision: 9) }
        #expect(try await store.keep(empty).repeatedRows == 10)
        #expect(try await store.device(watch) == nil)
        try await fill(store, watch, minutes: 0..<4)
        #expect(try await store.keep(empty).appliedRows == 4)
        #expect(try await store.device(watch)?.counts == Counts())
        #expect(try await store.allDays(of: watch).map(\.counts) == [Counts()])
        #expect(try await store.standing(of: watch)?.dayPeak?.counts == Counts())
    }

    @Test(
        "What was begun is known until it is ended, and a device that is forgotten whole takes the place of its parts")
    func begun() async throws {
        for kind in StoreKind.available {
            let store = try await folder.store(kind)
            let part = Forgetting(device: watch, minutes: 5..<9, isWhole: false)
            let whole = Forgetting(device: watch, minutes: 0..<99, isWhole: true)
            let other = Forgetting(device: bike, minutes: 5..<9, isWhole: false)
            let begun = try await store.begin([part, other], person: "Anna")
            #expect(try await store.forgettings(limit: 9) == begun)
            try await store.noteDone(begun[1])
            #expect(try await store.forgettings(limit: 9).map(\.isDone) == [false, true])
            let again = try await store.begin([whole], person: nil)
            #expect(try await store.forgettings(limit: 9).map(\.minutes) == [5..<9, 0..<99])
            try await store.end(begun[1])
            #expect(try await store.forgettings(limit: 9) == again)
            await store.close()
        }
    }

    @Test("What a process that ended had begun is finished by the next; what was counted since stays")
    func resumed() async throws {
        for kind in StoreKind.available {
            let store = try await folder.store(kind)
            try await fill(store, watch, minutes: 0..<20)
            try await fill(store, bike, minutes: 0..<20)
            let orders = [watch, bike].map {
                Forgetting(device: $0, minutes: 0..<Self.start + ($0 == bike ? 10 : 99), isWhole: true)
            }
            for order in try await store.begin(orders, person: nil) { try await store.resume(order) }
            #expect(try await store.device(watch) == nil)
            #expect(try await store.device(bike)?.counts.steps == 100)
            #expect(try await store.forgettings(limit: 9).allSatisfy(\.isDone))
            await store.close()
        }
    }

    @Test("Hours are forgotten as minutes are", arguments: StoreKind.available)
    func hours(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, bike, minutes: 0..<3000)
        while try await store.compact(bike, before: Self.start + 2500) > 0 {}
        _ = try await store.erase(bike, in: 0..<DayCalendar.minutes.upperBound)
        #expect(try await store.device(bike)?.counts == Counts())
        #expect(try await store.allDays(of: bike).allSatisfy { $0.counts == Counts() })
    }

    private func fill(_ store: ScriptedStore, _ device: DeviceID, minutes: Range<Int64>) async throws {
        _ = try await store.keep(
            minutes.map { minute in
                var row = MinuteTotals(device: device, minute: Self.start + minute, epoch: 1, revision: 1)
                row.steps = 10
                row.coveredMilliseconds = 60_000
                return row
            })
    }

    private func ask(_ store: ScriptedStore, _ verb: RequestVerb, _ payload: String) async throws -> [UInt8] {
        let answers = HistoryAnswers(store: store, defaultZone: try DayCalendar(zone: "UTC"))
        let request = try HistoryRequest(verb: verb, json: Array(payload.utf8))
        switch await answers.answer(request, nowSeconds: Double(Self.start) * 60) {
        case .ok(_, let data): return data
        case .error(_, let error): throw error
        }
    }
}
