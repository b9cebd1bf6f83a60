import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("What is erased", .timeLimit(.minutes(5)))
struct ForgettingTests {
    let watch: DeviceID = "watch-3"
    let bike: DeviceID = "bike-07"
    let folder = StoreFolder()
    static let start: Int64 = 1_795_194_000 / 60

    @Test(
        "A forgotten device is one that nobody has heard of, the others stay as they are",
        arguments: StoreKind.available)
    func device(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, watch, minutes: 0..<5000)
        try await fill(store, bike, minutes: 0..<100)
        while try await store.compact(watch, before: Self.start + 1440) > 0 {}
        let kept = try await store.device(bike)
        let data = try await ask(store, .devicesForget, #"{"device":"watch-3"}"#)
        #expect(data.devices == 1)
        #expect(data.minutes > 4000)
        #expect(try await store.device(watch) == nil)
        #expect(try await store.allDays(of: watch).isEmpty)
        #expect(try await store.device(bike) == kept)
        // A number that is given again must not find the rows of the one before.
        try await fill(store, "watch-4", minutes: 0..<1)
        #expect(try await store.device("watch-4")?.counts.steps == 10)
        let all = try await store.sums(of: "watch-4", in: [0..<DayCalendar.minutes.upperBound])
        #expect(all.map(\.counts.steps) == [10])
    }

    @Test("Rows that were erased and are sent again by the counter do not come back", arguments: StoreKind.available)
    func resent(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, bike, minutes: 0..<50)
        #expect(try await store.erase(bike, in: Self.start..<Self.start + 30) == 30)
        try await fill(store, bike, minutes: 0..<50)
        #expect(try await store.device(bike)?.counts.steps == 200)
        // Not even those of a device that is gone, while later minutes make it anew.
        try await store.erase(watch, in: 0..<Self.start + 5, isWhole: true)
        try await fill(store, watch, minutes: 0..<7)
        #expect(try await store.device(watch)?.counts.steps == 20)
    }

    @Test("Whose totals an erasure changes is told, also where nobody asked for it by that name")
    func changed() async throws {
        let store = try HistoryStore.inMemory()
        try await fill(store, watch, minutes: 0..<50)
        let lent = Assignment(person: "Ben", device: watch, minutes: Self.start..<Self.start + 20)
        #expect(try await store.assign(lent) == nil)
        _ = try await store.makeDue(days: .max, nowMinute: Self.start)
        #expect(try await store.record(of: .person("Ben"))?.counts.steps == 200)
        var changed: Set<Subject> = []
        for erasure in try await store.begin([Erasure(device: watch, minutes: 0..<Self.start + 99, isWhole: true)]) {
            _ = try await store.carryOut(erasure, isResumed: true, changed: &changed)
        }
        #expect(changed == [.device(watch), .person("Ben")])
    }

    @Test("An empty row makes nothing where nothing was, and takes back what was there", arguments: StoreKind.available)
    func emptied(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let empty = (0..<10).map { MinuteRow(device: watch, minute: Self.start + $0, epoch: 1, revision: 9) }
        #expect(try await store.keep(empty).repeatedRows == 10)
        #expect(try await store.device(watch) == nil)
        try await fill(store, watch, minutes: 0..<4)
        #expect(try await store.keep(empty).appliedRows == 4)
        #expect(try await store.device(watch)?.counts == Counts())
        #expect(try await store.allDays(of: watch).map(\.counts) == [Counts()])
    }

    @Test("After an erasure the published totals may fall", arguments: StoreKind.available)
    func published(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, bike, minutes: 0..<50)
        try await store.erase(bike, in: Self.start..<Self.start + 30)
        let snapshot = try #require(try await store.snapshot(of: bike))
        #expect(snapshot.record.published == nil)
        #expect(snapshot.days.map(\.published) == [nil])
        #expect(snapshot.days.map(\.counts.steps) == [200])
    }

    @Test(
        "An erasure waits until the counter is told, and one of the whole device takes the place of its parts",
        arguments: StoreKind.available)
    func untold(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let part = Erasure(device: watch, minutes: 5..<9, isWhole: false)
        let whole = Erasure(device: watch, minutes: 0..<99, isWhole: true)
        let other = Erasure(device: bike, minutes: 5..<9, isWhole: false)
        let begun = try await store.begin([part, other])
        #expect(try await store.unsentErasures() == begun)
        try await store.noteSent(begun[1])
        #expect(try await store.unsentErasures() == [begun[0]])
        let again = try await store.begin([whole])
        #expect(try await store.unsentErasures() == again)
    }

    @Test(
        "An erasure that a process before this one began is finished; what was counted since stays",
        arguments: StoreKind.available)
    func resumed(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, watch, minutes: 0..<20)
        try await fill(store, bike, minutes: 0..<20)
        let erasures = [watch, bike].map {
            Erasure(device: $0, minutes: 0..<Self.start + ($0 == bike ? 10 : 99), isWhole: true)
        }
        var changed: Set<Subject> = []
        for erasure in try await store.begin(erasures) {
            _ = try await store.carryOut(erasure, isResumed: true, changed: &changed)
        }
        #expect(try await store.device(watch) == nil)
        #expect(try await store.device(bike)?.counts.steps == 100)
    }

    @Test(
        "Forgotten, and its config taken back before or after, twice too: nothing of it is known",
        arguments: StoreKind.available)
    func forgottenAndTakenBack(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        for order in [[true, false], [false, true], [true, false, true], [true, true, false, false]] {
            try await fill(store, bike, minutes: -5..<(-4))
            try await store.set(
                bike, DeviceSettings(kind: "bike", zone: "Pacific/Auckland"), nowSeconds: Self.start * 60)
            for isForgetting in order {
                if isForgetting {
                    try await forget(store)
                } else {
                    try await store.set(bike, nil, nowSeconds: Self.start * 60)
                }
            }
            #expect(try await store.device(bike) == nil)
            #expect(try await store.subjects().isEmpty)
            #expect(try await messages(store).allSatisfy(\.isEmpty))
        }
    }

    @Test(
        "An emptied config makes no device known, and one that never counted goes with it",
        arguments: StoreKind.available)
    func configTakenBack(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await store.set(bike, nil, nowSeconds: Self.start * 60)
        #expect(try await store.device(bike) == nil)
        try await store.set(bike, DeviceSettings(kind: "bike"), nowSeconds: Self.start * 60)
        #expect(try await store.device(bike)?.settings.kind == "bike")
        try await store.set(bike, nil, nowSeconds: Self.start * 60)
        #expect(try await store.device(bike) == nil)
    }

    @Test(
        "A config that the broker keeps stays in force: for what comes later, and no totals until then",
        arguments: StoreKind.available)
    func kept(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let settings = DeviceSettings(kind: "bike", zone: "Pacific/Auckland", person: "Anna")
        try await store.set(bike, settings, nowSeconds: Self.start * 60)
        try await fill(store, bike, minutes: -5..<(-4))
        try await forget(store)
        #expect(try await store.device(bike)?.settings == settings)
        #expect(try await messages(store).allSatisfy(\.isEmpty))
        let listed = try await store.ask(
            HistoryRequest(verb: .devices), at: Double(Self.start) * 60, as: Page<DeviceEntry>.self)
        #expect(listed.rows.isEmpty)
        try await fill(store, bike, minutes: 5..<6)
        #expect(try await store.device(bike)?.counts.steps == 10)
        #expect(try await store.device(bike)?.settings == settings)
        #expect(try await store.assignments(of: "Anna").map(\.device) == [bike])
        #expect(try await messages(store).allSatisfy { !$0.isEmpty })
    }

    @Test(
        "Who is forgotten, or has nothing left, is named by each start until the broker retains nothing of them",
        arguments: StoreKind.available)
    func retained(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await fill(store, bike, minutes: -5..<(-4))
        for (person, next) in [("Ben", "Anna"), ("Anna", nil)] as [(String, String?)] {
            let all = Self.start - 60..<Self.start
            #expect(try await store.assign(Assignment(person: person, device: bike, minutes: all)) == nil)
            _ = try await store.makeDue(days: 9, nowMinute: Self.start)
            #expect(try await store.retainedSubjects().contains(.person(person)))
            guard let next else { continue }
            // It was somebody else after all.
            #expect(try await store.assign(Assignment(person: next, device: bike, minutes: all)) == nil)
            _ = try await store.makeDue(days: 9, nowMinute: Self.start)
        }
        _ = try await ask(store, .peopleForget, #"{"person":"Anna"}"#)
        try await forget(store)
        let gone: Set<Subject> = [.person("Anna"), .person("Ben"), .device(bike)]
        #expect(try await store.subjects().isEmpty)
        #expect(Set(try await store.retainedSubjects()) == gone)
        try await store.noteCleared(Array(gone))
        #expect(try await store.retainedSubjects().isEmpty)
    }

    private func forget(_ store: HistoryStore) async throws {
        _ = try await ask(store, .devicesForget, #"{"device":"bike-07"}"#)
    }

    private func messages(_ store: HistoryStore) async throws -> [[UInt8]] {
        try await store.totalsMessages(
            of: [.device(bike)], nowSeconds: Double(Self.start) * 60, topics: try TopicTree()
        )
        .values.flatMap(\.messages).map(\.payload)
    }

    private func fill(_ store: HistoryStore, _ device: DeviceID, minutes: Range<Int64>) async throws {
        try await store.keep(minutes.map { MinuteRow(device, Self.start + $0, steps: 10) })
    }

    private func ask(_ store: HistoryStore, _ verb: RequestVerb, _ payload: String) async throws -> ForgetData {
        try await store.ask(verb, payload, at: Double(Self.start) * 60)
    }
}
