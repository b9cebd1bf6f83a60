import TestBroker
import Testing

@testable import History
@testable import Wire

@Suite("A person's rows", .timeLimit(.minutes(5)))
struct PersonRowsTests {
    let bike: DeviceID = "bike-07"
    let phone: DeviceID = "phone-3"
    let watch: DeviceID = "watch-3"
    let folder = StoreFolder()
    /// 2026-11-20T17:00:00Z
    static let start: Int64 = 1_795_194_000 / 60
    static let now = Double(start + 120) * 60

    // MARK: - Whose it is

    @Test("Of a config's person and a check-in at once only the check-in counts", arguments: StoreKind.available)
    func checkInBeforeConfig(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await configure(bike, person: "Zoe", in: store)
        try await count(bike, 0..<60, in: store)
        try await checkIn("Anna", 20..<40, in: store)
        #expect(try await revolutions(of: "Anna", in: store) == 20 * 80)
        #expect(try await revolutions(of: "Zoe", in: store) == 40 * 80)
        let now: Page<PersonEntry> = try await store.ask(.people, "{}", at: Double(Self.start + 30) * 60)
        let owned = now.rows.flatMap(\.devices).filter { entry in
            let minute = Double(Self.start + 30) * 60
            return entry.from ?? 0 <= minute && minute < entry.to ?? .infinity
        }
        #expect(owned.map(\.person) == ["Anna"])
        #expect(now.rows.map(\.person) == ["Anna", "Zoe"])
    }

    @Test("A check-in that was wrong is corrected, and so are both riders", arguments: StoreKind.available)
    func corrected(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await count(bike, 0..<100, in: store)
        try await checkIn("Anna", 0..<100, in: store)
        #expect(try await revolutions(of: "Anna", in: store) == 100 * 80)
        try await checkIn("Ben", 10..<30, in: store)
        #expect(try await revolutions(of: "Anna", in: store) == 80 * 80)
        #expect(try await revolutions(of: "Ben", in: store) == 20 * 80)
        try await checkIn("Ben", 20..<50, in: store)
        #expect(try await revolutions(of: "Anna", in: store) == 60 * 80)
        #expect(try await revolutions(of: "Ben", in: store) == 40 * 80)
        // All of it was Anna after all: of Ben nothing is left.
        try await checkIn("Anna", 0..<100, in: store)
        #expect(try await revolutions(of: "Anna", in: store) == 100 * 80)
        #expect(try await store.record(of: .person("Ben")) == nil)
    }

    @Test("Check-ins inside a long interval have their share of it", arguments: StoreKind.available)
    func shareOfInterval(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await checkIn("Anna", 10..<12, on: phone, in: store)
        try await tell(phone, [(0, 120, 2_000)], in: store)
        #expect([33, 34].contains(try await steps(of: "Anna", in: store)))
        // The word is corrected: so is the person.
        try await tell(phone, [(0, 120, 1_200)], from: 9, in: store)
        #expect(try await steps(of: "Anna", in: store) == 20)
    }

    @Test("A phone that tells two hours and a watch that tells each are one walk", arguments: StoreKind.available)
    func longIntervals(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        for device in [phone, watch] { try await configure(device, person: "Anna", in: store) }
        try await tell(phone, [(-60, 60, 2_000)], in: store)
        try await tell(watch, [(-60, 0, 1_000), (0, 60, 1_000)], in: store)
        #expect(try await steps(of: "Anna", in: store) == 2_000)
    }

    @Test("A person's day is one of the device's zone, with the midnight there", arguments: StoreKind.available)
    func midnight(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await configure(phone, person: "Anna", zone: "Asia/Kolkata", in: store)
        // 22:00 to 02:00 in Kolkata.
        let evening = DayCalendar.startOfHour(22, on: "2026-11-20", in: "Asia/Kolkata") - Self.start
        try await tell(phone, [(evening, evening + 240, 2_400)], in: store)
        let days = try await store.days(
            of: .person("Anna"), from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: .max))
        #expect(days.map(\.counts.steps) == [1_200, 1_200])
        #expect(days.map(\.zone) == ["Asia/Kolkata", "Asia/Kolkata"])
        #expect(days.map(\.date.description) == ["2026-11-20", "2026-11-21"])
        let asked: Page<DayTotals> = try await store.ask(
            .historyDays, #"{"person":"Anna","from":"2026-11-20","to":"2026-11-22"}"#, at: Self.now + 86_400)
        #expect(asked.person == "Anna" && asked.device == nil && asked.rows.map(\.steps) == [1_200, 1_200])
    }

    // MARK: - Forgetting

    @Test(
        "A member is forgotten with the own device, whoever was ever checked in on it; what others have is theirs",
        arguments: StoreKind.available)
    func ownDevice(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        let anna: DeviceID = "anna"
        try await store.give(.member, to: "anna")
        try await count(anna, 0..<60, in: store)
        try await checkIn("Ben", 10..<20, on: anna, in: store)
        let ben = try await store.snapshot(of: "Ben")
        let forgotten: ForgetData = try await store.ask(.peopleForget, #"{"person":"anna"}"#, at: Self.now)
        #expect(forgotten == ForgetData(devices: 1, minutes: 60))
        #expect(try await store.device(anna) == nil)
        #expect(try await store.snapshot(of: "Ben") == ben)
        #expect(try await revolutions(of: "Ben", in: store) == 10 * 80)
        #expect(try await store.assignments(of: anna).isEmpty)
    }

    @Test("A shared bike of the name of somebody who is no member stays", arguments: StoreKind.available)
    func nobodysOwn(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await count(bike, 0..<60, in: store)
        let forgotten: ForgetData = try await store.ask(.peopleForget, #"{"person":"bike-07"}"#, at: Self.now)
        #expect(forgotten == ForgetData())
        #expect(try await store.device(bike)?.counts.revolutions == 60 * 80)
    }

    @Test(
        "A config that still names who was forgotten does not bring the person back; one that names another is taken",
        arguments: StoreKind.available)
    func retainedConfig(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await configure(bike, person: "Anna", in: store)
        try await count(bike, 0..<60, in: store)
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"Anna"}"#, at: Self.now)
        // At the next connection the broker says it again, and an operator changes another field.
        try await configure(bike, person: "Anna", in: store)
        try await configure(bike, person: "Anna", zone: "Europe/Berlin", in: store)
        try await count(bike, 130..<140, in: store)
        #expect(try await store.record(of: .person("Anna")) == nil)
        #expect(try await store.people(after: nil, limit: 9).isEmpty)
        #expect(try await store.device(bike)?.counts.revolutions == 10 * 80)
        try await configure(bike, person: "Ben", in: store)
        #expect(try await revolutions(of: "Ben", in: store) == 10 * 80)
    }

    @Test("Of somebody who was forgotten nothing comes back with late rows or words", arguments: StoreKind.available)
    func late(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        try await checkIn("Anna", 0..<60, in: store)
        try await count(bike, 0..<30, in: store)
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"Anna"}"#, at: Self.now)
        try await count(bike, 0..<90, revision: 1_000, in: store)
        try await tell(bike, [(0, 60, 600)], in: store)
        #expect(try await store.device(bike)?.counts.revolutions == 30 * 80)
        #expect(try await store.device(bike)?.counts.steps == 0)
        #expect(try await store.record(of: .person("Anna")) == nil)
        #expect(try await store.subjects() == [.device(bike)])
        // Who comes back begins anew.
        try await checkIn("Anna", 70..<80, in: store)
        #expect(try await revolutions(of: "Anna", in: store) == 10 * 80)
    }

    @Test("A forgotten device goes out of the minutes of its people", arguments: StoreKind.available)
    func forgottenDevice(kind: StoreKind) async throws {
        let store = try await folder.store(kind)
        for device in [phone, watch] { try await configure(device, person: "Anna", in: store) }
        try await count(watch, 0..<30, steps: 100, in: store)
        try await count(phone, 0..<60, steps: 90, in: store)
        #expect(try await steps(of: "Anna", in: store) == 30 * 100 + 30 * 90)
        let _: ForgetData = try await store.ask(.devicesForget, #"{"device":"watch-3"}"#, at: Self.now)
        #expect(try await steps(of: "Anna", in: store) == 60 * 90)
    }

    // MARK: - What is retained

    @Test("A person's day and total are retained below the person's id, and taken away when forgotten")
    func retained() async throws {
        let store = try await folder.store(.sqlite)
        let topics = try TopicTree()
        try await configure(phone, person: "Anna Berg", in: store)
        try await count(phone, 0..<60, steps: 100, in: store)
        let id = DeviceID(person: "Anna Berg")
        #expect("\(id)".hasPrefix("anna-berg-"))
        let told = try await store.totalsMessages(
            of: [.person("Anna Berg")], nowSeconds: Self.now, topics: topics)
        let messages = try #require(told[.person("Anna Berg")]).messages
        #expect(
            messages.map { String(decoding: $0.topic, as: UTF8.self) } == [
                "stride/person/\(id)/day", "stride/person/\(id)/total",
            ])
        #expect(try DayTotals(json: messages[0].payload).person == "Anna Berg")
        #expect(try DeviceTotals(json: messages[1].payload).steps == 6_000)
        #expect(try DayTotals(json: messages[0].payload).t == Self.now)
        #expect(try DeviceTotals(json: messages[1].payload).t == Self.now)
        let _: ForgetData = try await store.ask(.peopleForget, #"{"person":"Anna Berg"}"#, at: Self.now)
        let cleared = try await store.totalsMessages(
            of: [.person("Anna Berg")], nowSeconds: Self.now, topics: topics)
        #expect(try #require(cleared[.person("Anna Berg")]).messages.allSatisfy(\.payload.isEmpty))
    }

    // MARK: - What it is made of

    private func configure(
        _ device: DeviceID, person: String?, zone: String? = nil, in store: HistoryStore
    ) async throws {
        let settings = DeviceSettings(
            kind: device == bike ? "bike" : "wearable", placement: device == watch ? "wrist" : nil, zone: zone,
            person: person)
        try await store.set(device, settings, nowSeconds: Int64(Self.now))
    }

    private func checkIn(
        _ person: String, _ minutes: Range<Int64>, on device: DeviceID? = nil, in store: HistoryStore
    ) async throws {
        let range = Self.start + minutes.lowerBound..<Self.start + minutes.upperBound
        try await store.checkIn(person, device ?? bike, range)
    }

    /// Minutes with 80 revolutions, or so many steps.
    private func count(
        _ device: DeviceID, _ minutes: Range<Int64>, steps: Int64 = 0, revision: UInt64 = 1, in store: HistoryStore
    ) async throws {
        try await store.keep(
            minutes.map {
                MinuteRow(
                    device, Self.start + $0, revision: revision, steps: steps, revolutions: steps > 0 ? 0 : 80
                ) { $0.moveEvenly() }
            })
    }

    /// Words of steps from one minute to another.
    private func tell(
        _ device: DeviceID, _ words: [(from: Int64, to: Int64, steps: Int64)], from revision: UInt64 = 1,
        in store: HistoryStore
    ) async throws {
        let rows = try words.enumerated().map { index, told in
            let word = try #require(
                StepWord(
                    start: (Self.start + told.from) * StepWord.minute, end: (Self.start + told.to) * StepWord.minute,
                    microSteps: told.steps * StepWord.micro))
            return WordRow(device: device, word: word, epoch: 7, revision: revision + UInt64(index))
        }
        _ = try await store.commit(HistoryChanges(words: rows), nowSeconds: Int64(Self.now))
        _ = try await store.makeDue(days: .max, nowMinute: Int64(Self.now) / 60)
    }

    private func steps(of person: String, in store: HistoryStore) async throws -> Int64 {
        try await totals(of: person, in: store).steps
    }

    private func revolutions(of person: String, in store: HistoryStore) async throws -> Int64 {
        try await totals(of: person, in: store).revolutions
    }

    /// The totals of a person, which are those of the days and of the minutes.
    private func totals(of person: String, in store: HistoryStore) async throws -> Counts {
        let snapshot = try #require(try await store.snapshot(of: person))
        let days = snapshot.days.reduce(into: Counts()) { $0 += $1.counts }
        let minutes = try await store.sums(of: .person(person), in: [DayCalendar.minutes])
        #expect(days == snapshot.record.counts && minutes.map(\.counts) == [days])
        return snapshot.record.counts
    }
}

extension HistoryStore {
    /// A person with all days.
    func snapshot(of person: String) async throws -> SubjectSnapshot? {
        try await snapshot(of: .person(person), from: LocalDate(dayNumber: 0), to: LocalDate(dayNumber: .max))
    }
}

extension DayCalendar {
    fileprivate static func startOfHour(_ hour: Int64, on date: String, in zone: String) -> Int64 {
        guard let calendar = try? DayCalendar(zone: zone), let date = LocalDate(date) else { return 0 }
        return calendar.startMinute(of: date) + hour * 60
    }
}
