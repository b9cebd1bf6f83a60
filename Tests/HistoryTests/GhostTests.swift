import Testing

@testable import History
@testable import Wire

@Suite("A forgotten device leaves no ghost", .timeLimit(.minutes(5)))
struct GhostTests {
    private static let minute: Int64 = 1_795_195_800 / 60
    private let folder: TemporaryFolder
    private let bike: DeviceID

    init() throws { (folder, bike) = (try TemporaryFolder(), try DeviceID("bike-07")) }

    @Test(
        "Forgotten, and its config taken back before or after, twice too: nothing of it is known",
        arguments: StoreKind.available)
    func forgotten(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        for order in [[true, false], [false, true], [true, false, true], [true, true, false, false]] {
            try await count(in: store)
            try await configure(DeviceSettings(kind: "bike", zone: "Pacific/Auckland"), in: store)
            for isForgetting in order {
                if isForgetting { try await forget(in: store) } else { try await configure(nil, in: store) }
            }
            #expect(try await store.device(bike) == nil)
            #expect(try await store.subjects().isEmpty)
            #expect(try await messages(in: store).allSatisfy(\.isEmpty))
        }
        await store.close()
    }

    @Test(
        "An emptied config makes no device known, and one that never counted goes with it",
        arguments: StoreKind.available)
    func emptied(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await configure(nil, in: store)
        #expect(try await store.device(bike) == nil)
        try await configure(DeviceSettings(kind: "bike"), in: store)
        #expect(try await store.device(bike)?.settings.kind == "bike")
        try await configure(nil, in: store)
        #expect(try await store.device(bike) == nil)
        await store.close()
    }

    @Test(
        "A config that the broker keeps stays in force: for what comes later, and no totals until then",
        arguments: StoreKind.available)
    func kept(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let settings = DeviceSettings(kind: "bike", zone: "Pacific/Auckland", person: "Anna")
        try await configure(settings, in: store)
        try await count(in: store)
        try await forget(in: store)
        #expect(try await store.device(bike)?.settings == settings)
        #expect(try await messages(in: store).allSatisfy(\.isEmpty))
        let listed = try await store.ask(
            HistoryRequest(verb: .devices), at: Double(Self.minute) * 60, as: DevicesData.self)
        #expect(listed.devices.isEmpty)
        try await count(in: store, at: Self.minute + 5, revision: 2)
        #expect(try await store.device(bike)?.counts.revolutions == 84)
        #expect(try await store.device(bike)?.settings == settings)
        #expect(try await store.assignments(of: "Anna").map(\.device) == [bike])
        #expect(try await messages(in: store).allSatisfy { !$0.isEmpty })
        await store.close()
    }

    @Test(
        "Who is forgotten, or has nothing left, is named by each start until the broker retains nothing of them",
        arguments: StoreKind.available)
    func retained(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await count(in: store)
        for (person, next) in [("Ben", "Anna"), ("Anna", nil)] as [(String, String?)] {
            let all = Self.minute - 60..<Self.minute
            #expect(try await store.assign(Assignment(person: person, device: bike, minutes: all)) == nil)
            _ = try await store.mergePeople(days: 9, nowMinute: Self.minute)
            #expect(try await store.retainedSubjects().contains(.person(person)))
            guard let next else { continue }
            // It was somebody else after all.
            #expect(try await store.assign(Assignment(person: next, device: bike, minutes: all)) == nil)
            _ = try await store.mergePeople(days: 9, nowMinute: Self.minute)
        }
        let request = HistoryRequest(verb: .peopleForget, person: "Anna")
        _ = try await store.ask(request, at: Double(Self.minute) * 60, as: ForgetData.self)
        try await forget(in: store)
        let gone: Set<Subject> = [.person("Anna"), .person("Ben"), .device(bike)]
        #expect(try await store.subjects().isEmpty)
        #expect(Set(try await store.retainedSubjects()) == gone)
        try await store.noteCleared(Array(gone))
        #expect(try await store.retainedSubjects().isEmpty)
        await store.close()
    }

    private func count(in store: HistoryStore, at minute: Int64 = minute - 5, revision: UInt64 = 1) async throws {
        var row = MinuteRow(device: bike, minute: minute, epoch: 7, revision: revision)
        (row.revolutions, row.coveredMilliseconds) = (84, 60_000)
        _ = try await store.keep([row])
    }

    private func configure(_ settings: DeviceSettings?, in store: HistoryStore) async throws {
        var changes = HistoryChanges()
        changes.settings = [SettingsChange(device: bike, settings: settings)]
        _ = try await store.commit(changes, nowSeconds: Self.minute * 60)
    }

    private func forget(in store: HistoryStore) async throws {
        let request = HistoryRequest(verb: .devicesForget, device: bike)
        _ = try await store.ask(request, at: Double(Self.minute) * 60, as: ForgetData.self)
    }

    private func messages(in store: HistoryStore) async throws -> [[UInt8]] {
        try await store.totalsMessages(
            of: [.device(bike)], nowSeconds: Double(Self.minute) * 60, topics: try TopicTree()
        )
        .values.flatMap(\.messages).map(\.payload)
    }
}
